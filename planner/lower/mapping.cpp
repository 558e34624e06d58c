#include "planner/lower/mapping.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace dfsim {

namespace {

/// Block `index` of `parts` of [0, extent): sizes differ by at most one, the larger ones first.
std::pair<std::uint32_t, std::uint32_t> block_of(std::uint32_t extent, std::uint32_t parts,
                                                 std::uint32_t index) {
  const std::uint32_t base = extent / parts, rest = extent % parts;
  return {index * base + std::min(index, rest), base + (index < rest ? 1 : 0)};
}

/// Axes from the outermost loop to the innermost.
std::vector<std::uint32_t> loop_order(const std::vector<Axis>& axes, OuterLoop outer) {
  const auto rank = [&](std::uint32_t axis) {
    switch (axes[axis].role) {
      case AxisRole::feature:
        return 1;
      case AxisRole::reduction:
        return outer == OuterLoop::reduction ? 0 : 3;
      default:
        return outer == OuterLoop::rows ? 0 : 2;
    }
  };
  std::vector<std::uint32_t> order(axes.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
  return order;
}

void cut_into_tiles(const std::vector<Axis>& axes, const OperatorCandidate& candidate, MappedPart& part) {
  const std::vector<std::uint32_t> order = loop_order(axes, candidate.outer);
  std::vector<std::uint32_t> counts(axes.size(), 1), index(axes.size(), 0);
  for (std::size_t a = 0; a < axes.size(); ++a)
    if (axes[a].splittable && a < candidate.temporal.size())
      counts[a] = std::clamp<std::uint32_t>(candidate.temporal[a], 1, std::max(1u, part.block.extent[a]));
  std::map<std::vector<std::uint32_t>, std::uint32_t> places;
  for (bool more = true; more;) {
    Box tile = part.block;
    std::vector<std::uint32_t> place;
    bool last = true;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      const auto [offset, extent] = block_of(part.block.extent[a], counts[a], index[a]);
      tile.offset[a] = part.block.offset[a] + offset;
      tile.extent[a] = extent;
      if (axes[a].role == AxisRole::reduction)
        last = last && index[a] + 1 == counts[a];
      else
        place.push_back(index[a]);
    }
    part.tiles.push_back(tile);
    part.completes.push_back(last);
    part.output_tile.push_back(
        places.emplace(place, static_cast<std::uint32_t>(places.size())).first->second);
    more = false;
    for (auto a = order.rbegin(); a != order.rend(); ++a) {
      if (++index[*a] < counts[*a]) {
        more = true;
        break;
      }
      index[*a] = 0;
    }
  }
}

}  // namespace

std::vector<PeId> ordered_pes(const HardwareSpec& hardware, const PeGroup& group, PeOrder order) {
  std::vector<PeId> pes = group.pes(hardware);
  if (order == PeOrder::row_major) return pes;
  const auto key = [&](PeId pe) {
    const PePlace& place = hardware.pes[pe.value()];
    const std::uint32_t row = place.y;
    if (order == PeOrder::column_major) return std::make_tuple(place.noc.value(), place.z, place.x, row);
    return std::make_tuple(place.noc.value(), place.z, row, row % 2 == 0 ? place.x : UINT32_MAX - place.x);
  };
  std::stable_sort(pes.begin(), pes.end(), [&](PeId a, PeId b) { return key(a) < key(b); });
  return pes;
}

OperatorMapping map_operator(const Graph& graph, const HardwareSpec& hardware, OpId op, const PeGroup& group,
                             const OperatorCandidate& candidate, std::uint32_t first_sample,
                             std::uint32_t samples) {
  OperatorMapping mapping;
  mapping.axes = kind_of(graph.op(op)).axes(graph, op, samples);
  const std::size_t rank = mapping.axes.size();
  std::vector<std::uint32_t> parts(rank, 1);
  std::uint32_t total = 1;
  for (std::size_t a = 0; a < rank; ++a) {
    if (mapping.axes[a].splittable && a < candidate.spatial.size())
      parts[a] = std::clamp<std::uint32_t>(candidate.spatial[a], 1, mapping.axes[a].extent);
    total *= parts[a];
  }
  std::vector<std::uint32_t> nesting = candidate.nesting;
  if (nesting.size() != rank) {
    nesting.resize(rank);
    std::iota(nesting.begin(), nesting.end(), 0u);
  }
  const std::vector<PeId> pes = ordered_pes(hardware, group, candidate.order);
  std::map<std::vector<std::uint32_t>, std::vector<std::uint32_t>>
      sharers;  // coordinates without reduction -> parts
  for (std::uint32_t number = 0; number < total && number < pes.size(); ++number) {
    std::vector<std::uint32_t> coordinate(rank, 0);
    std::uint32_t rest = number;
    for (auto a = nesting.rbegin(); a != nesting.rend(); ++a) {
      coordinate[*a] = rest % parts[*a];
      rest /= parts[*a];
    }
    MappedPart part;
    part.pe = pes[number];
    part.block.rank = static_cast<std::uint8_t>(rank);
    for (std::size_t a = 0; a < rank; ++a) {
      const auto [offset, extent] = block_of(mapping.axes[a].extent, parts[a], coordinate[a]);
      part.block.offset[a] = offset + (a == 0 ? first_sample : 0);
      part.block.extent[a] = extent;
      if (mapping.axes[a].role == AxisRole::reduction) {
        mapping.reduction_split = mapping.reduction_split || parts[a] > 1;
        coordinate[a] = 0;
      }
    }
    cut_into_tiles(mapping.axes, candidate, part);
    mapping.most_tiles = std::max(mapping.most_tiles, static_cast<std::uint32_t>(part.tiles.size()));
    mapping.reduction_tiled = mapping.reduction_tiled || !part.completes.front();
    sharers[coordinate].push_back(number);
    mapping.parts.push_back(std::move(part));
  }
  for (const auto& [coordinate, numbers] : sharers)
    for (std::uint32_t share = 0; share < numbers.size(); ++share) {
      mapping.parts[numbers[share]].partners = numbers;
      mapping.parts[numbers[share]].share = share;
    }
  return mapping;
}

Box share_of_reduction(const Box& box, std::uint32_t share, std::uint32_t parts) {
  if (parts == 1) return box;
  // Rows before features: the tiles go along the features, so each tile then has a share for every partner.
  std::uint8_t cut = 0;
  for (std::uint8_t d = 0; d < box.rank; ++d) {
    if (d + 1 == box.rank && box.rank > 1 && box.extent[cut] >= parts) break;
    if (box.extent[d] > box.extent[cut]) cut = d;
  }
  Box piece = box;
  const std::uint32_t base = box.extent[cut] / parts, rest = box.extent[cut] % parts;
  piece.offset[cut] = box.offset[cut] + share * base + std::min(share, rest);
  piece.extent[cut] = base + (share < rest ? 1 : 0);
  return piece;
}

}  // namespace dfsim
