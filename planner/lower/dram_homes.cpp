#include "planner/lower/dram_homes.h"

#include <algorithm>
#include <limits>

#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kAddressAlignment = 64;

}  // namespace

std::uint32_t hops(const LinkGraph& graph, RouterId from, RouterId to) {
  const auto a = graph.coordinates(from), b = graph.coordinates(to);
  std::uint32_t sum = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::uint32_t straight = a[d] > b[d] ? a[d] - b[d] : b[d] - a[d];
    sum += graph.topology == "mesh" ? straight : std::min(straight, graph.extent[d] - straight);
  }
  return sum;
}

DramHomes::DramHomes(const HardwareSpec& hardware) : hardware_(hardware), used_(hardware.memory.size(), 0) {}

std::vector<PortId> DramHomes::ports_of(const PeGroup& group) const {
  std::vector<PortId> near, all;
  for (std::uint32_t p = 0; p < hardware_.memory.size(); ++p) {
    const MemoryPortSpec& port = hardware_.memory[p];
    const auto at = hardware_.nocs[port.noc.value()].graph.coordinates(port.router);
    bool same_noc = false, same_rows = false;
    for (const Submesh& submesh : group.submeshes) {
      if (submesh.noc != port.noc) continue;
      same_noc = true;
      same_rows = same_rows || (at[1] >= submesh.y && at[1] < submesh.y + submesh.height);
    }
    if (same_noc) all.push_back(PortId(p));
    if (same_rows) near.push_back(PortId(p));
  }
  return near.empty() ? all : near;
}

std::uint64_t DramHomes::reserve(PortId port, std::uint64_t bytes) {
  std::uint64_t& used = used_[port.value()];
  const std::uint64_t address = used;
  used = (used + bytes + kAddressAlignment - 1) / kAddressAlignment * kAddressAlignment;
  return address;
}

DramSegment DramHomes::weight_tile(TensorId tensor, const Box& box, std::uint32_t bytes,
                                   const std::vector<PortId>& candidates, const std::vector<PeId>& readers) {
  const auto key = std::make_pair(tensor, box);
  if (const auto it = tiles_.find(key); it != tiles_.end()) return it->second;
  std::uint64_t best_score = std::numeric_limits<std::uint64_t>::max();
  PortId best;
  for (const PortId port : candidates) {
    const MemoryPortSpec& spec = hardware_.memory[port.value()];
    std::uint32_t nearest = std::numeric_limits<std::uint32_t>::max();
    for (const PeId reader : readers) {
      const PePlace& place = hardware_.pes[reader.value()];
      if (place.noc == spec.noc)
        nearest = std::min(nearest, hops(hardware_.nocs[spec.noc.value()].graph, spec.router, place.router));
    }
    if (nearest == std::numeric_limits<std::uint32_t>::max()) continue;
    const std::uint64_t score = used_[port.value()] + std::uint64_t{2} * nearest * bytes;
    if (score < best_score) {
      best_score = score;
      best = port;
    }
  }
  if (best_score == std::numeric_limits<std::uint64_t>::max())
    throw SimulationError("lower: no memory port on the NoC of the readers of a weight");
  const DramSegment segment{best, reserve(best, bytes), bytes, 1, 0};
  tiles_.emplace(key, segment);
  return segment;
}

std::vector<DramSegment> DramHomes::sample_box(TensorId tensor, const std::vector<std::uint32_t>& shape,
                                               std::uint32_t element_bytes, std::uint32_t samples,
                                               const Box& box, const std::vector<PortId>& candidates) {
  RowMajor& home = row_major_[tensor];
  std::uint64_t sample_bytes = element_bytes;
  for (const std::uint32_t extent : shape) sample_bytes *= extent;
  for (auto sample = static_cast<std::uint32_t>(home.parts.size()); sample < samples; ++sample) {
    const PortId port = candidates[sample % candidates.size()];
    home.parts.push_back({port, reserve(port, sample_bytes), static_cast<std::uint32_t>(sample_bytes), 1, 0});
  }
  // From the last dimension upwards, as long as the box takes the dimension whole, a piece is contiguous.
  const std::size_t rank = shape.size();
  std::uint64_t run = element_bytes;
  std::size_t d = rank;
  while (d > 0) {
    run *= box.extent[d];  // dimension d of the box is dimension d-1 of the shape
    --d;
    if (box.extent[d + 1] != shape[d]) break;
  }
  std::vector<std::uint64_t> pitch(rank + 1, element_bytes);
  for (std::size_t i = rank; i-- > 0;) pitch[i] = pitch[i + 1] * shape[i];
  // Dimensions [0, d) are walked; the innermost of them becomes the stride of a segment.
  std::vector<DramSegment> segments;
  for (std::uint32_t s = 0; s < box.extent[0]; ++s) {
    const DramSegment& part = home.parts[box.offset[0] + s];
    std::uint64_t base = part.address;
    for (std::size_t i = 0; i < rank; ++i) base += box.offset[i + 1] * pitch[i + 1];
    const std::size_t outer = d == 0 ? 0 : d - 1;
    std::uint64_t pieces = 1;
    for (std::size_t i = 0; i < outer; ++i) pieces *= box.extent[i + 1];
    for (std::uint64_t piece = 0; piece < pieces; ++piece) {
      std::uint64_t address = base, rest = piece;
      for (std::size_t i = outer; i-- > 0;) {
        address += (rest % box.extent[i + 1]) * pitch[i + 1];
        rest /= box.extent[i + 1];
      }
      const std::uint32_t count = d == 0 ? 1 : box.extent[d];
      const auto stride = static_cast<std::uint32_t>(d == 0 ? 0 : pitch[d]);
      segments.push_back(
          {part.port, address, static_cast<std::uint32_t>(run), count, count > 1 ? stride : 0});
    }
  }
  return segments;
}

DramSegment DramHomes::table_row(TensorId tensor, std::uint32_t rows, std::uint32_t row_bytes,
                                 std::uint32_t row, const std::vector<PortId>& candidates) {
  RowMajor& home = row_major_[tensor];
  if (home.parts.empty())
    for (const PortId port : candidates) {
      const std::uint64_t bytes = std::uint64_t{row_bytes} * ceil_div<std::uint64_t>(rows, candidates.size());
      home.parts.push_back({port, reserve(port, bytes), row_bytes,
                            static_cast<std::uint32_t>(ceil_div<std::uint64_t>(rows, candidates.size())),
                            row_bytes});
    }
  const DramSegment& part = home.parts[row % home.parts.size()];
  return {part.port, part.address + std::uint64_t{row_bytes} * (row / home.parts.size()), row_bytes, 1, 0};
}

std::vector<std::pair<TensorId, std::vector<DramSegment>>> DramHomes::pieces() const {
  std::map<TensorId, std::vector<DramSegment>> all;
  for (const auto& [key, segment] : tiles_) all[key.first].push_back(segment);
  for (const auto& [tensor, home] : row_major_) all[tensor] = home.parts;
  return {all.begin(), all.end()};
}

}  // namespace dfsim
