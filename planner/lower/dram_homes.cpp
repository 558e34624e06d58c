#include "planner/lower/dram_homes.h"

#include <algorithm>
#include <limits>

#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr std::uint64_t kAddressAlignment = 64;
/// The ports at both ends of the reader's row fill evenly: so many hops along it count as much as one more
/// tile at a port.
constexpr std::uint64_t kRowHopsPerTile = 16;
/// Other rows help out only when the own one has so many tiles more per hop.
constexpr std::uint64_t kTilesPerHop = 2;
/// Of network inputs and outputs: small enough that a period uses every port, long enough for long packets.
constexpr std::uint64_t kLeastGranule = 1024, kMostGranule = 4096;

/// Whole rows, if they are short enough.
std::uint64_t sample_granule(std::uint64_t bytes, std::uint64_t ports, std::uint64_t row) {
  const std::uint64_t wanted = std::clamp(ceil_div(bytes, ports), kLeastGranule, kMostGranule);
  return row <= kMostGranule ? ceil_div(wanted, row) * row
                             : ceil_div(wanted, kAddressAlignment) * kAddressAlignment;
}

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
    if (port.host_bus) continue;
    const auto at = hardware_.nocs[port.noc.value()].graph.coordinates(port.router);
    bool same_noc = false, same_rows = false;
    for (const Submesh& submesh : group.submeshes) {
      if (submesh.noc != port.noc) continue;
      same_noc = true;
      same_rows = same_rows || (at[1] >= submesh.y && at[1] < submesh.y + submesh.height &&
                                at[2] >= submesh.z && at[2] < submesh.z + submesh.depth);
    }
    if (same_noc) all.push_back(PortId(p));
    if (same_rows) near.push_back(PortId(p));
  }
  return near.empty() ? all : near;
}

std::vector<PortId> DramHomes::bridges_of(const PeGroup& group) const {
  std::vector<PortId> bridges;
  for (std::uint32_t p = 0; p < hardware_.memory.size(); ++p)
    for (const Submesh& submesh : group.submeshes)
      if (hardware_.memory[p].host_bus && submesh.noc == hardware_.memory[p].noc &&
          (bridges.empty() || bridges.back() != PortId(p)))
        bridges.push_back(PortId(p));
  return bridges;
}

std::vector<PortId> DramHomes::input_ports_of(const PeGroup& group) const {
  return hardware_.host && hardware_.host->inputs ? bridges_of(group) : ports_of(group);
}

std::vector<PortId> DramHomes::output_ports_of(const PeGroup& group) const {
  return hardware_.host && hardware_.host->outputs ? bridges_of(group) : ports_of(group);
}

std::uint64_t DramHomes::reserve(PortId port, std::uint64_t bytes) {
  std::uint64_t& used = used_[port.value()];
  const std::uint64_t address = used;
  used = (used + bytes + kAddressAlignment - 1) / kAddressAlignment * kAddressAlignment;
  return address;
}

DramSegment DramHomes::weight_tile(TensorId tensor, const Box& box, std::uint32_t bytes,
                                   const std::vector<PortId>& candidates, PeId reader) {
  const auto key = std::make_tuple(tensor, box, hardware_.memory[candidates.front().value()].noc);
  if (const auto it = tiles_.find(key); it != tiles_.end()) return it->second;
  std::uint64_t best_score = std::numeric_limits<std::uint64_t>::max();
  PortId best;
  for (const PortId port : candidates) {
    const MemoryPortSpec& spec = hardware_.memory[port.value()];
    const PePlace& place = hardware_.pes[reader.value()];
    if (place.noc != spec.noc) continue;
    const LinkGraph& graph = hardware_.nocs[spec.noc.value()].graph;
    const std::uint32_t away = hops(graph, spec.router, place.router);
    const auto at_port = graph.coordinates(spec.router), at_pe = graph.coordinates(place.router);
    const bool same_row = at_port[1] == at_pe[1] && at_port[2] == at_pe[2];
    const std::uint64_t penalty = std::uint64_t{away} * bytes;
    const std::uint64_t score =
        used_[port.value()] + (same_row ? penalty / kRowHopsPerTile : penalty * kTilesPerHop);
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

const DramHomes::Interleaved& DramHomes::interleaved(TensorId tensor, const Interleaved& wanted,
                                                     const std::vector<PortId>& candidates) {
  Interleaved& home = interleaved_[{tensor, hardware_.memory[candidates.front().value()].noc}];
  if (!home.parts.empty()) return home;
  home = wanted;
  const std::uint64_t granules = ceil_div(home.bytes, home.granule);
  const std::uint64_t turns = ceil_div(granules, std::uint64_t{candidates.size()});
  for (const PortId port : candidates) home.parts.emplace_back(port, reserve(port, turns * home.granule));
  return home;
}

std::vector<DramSegment> DramHomes::sample_box(TensorId tensor, const std::vector<std::uint32_t>& shape,
                                               std::uint32_t element_bytes, std::uint32_t samples,
                                               const Box& box, const std::vector<PortId>& candidates) {
  // Pitches of the dimensions of the box: pitch[0] is one sample.
  std::vector<std::uint64_t> pitch(shape.size() + 1, element_bytes);
  for (std::size_t d = shape.size(); d-- > 0;) pitch[d] = pitch[d + 1] * shape[d];
  const std::uint64_t bytes = samples * pitch[0];
  const std::uint64_t granule = sample_granule(bytes, candidates.size(), pitch[shape.size() - 1]);
  const Interleaved& home = interleaved(tensor, {bytes, granule, false, {}}, candidates);
  // From the last dimension upwards, as long as the box takes the dimension whole, a run is contiguous.
  std::size_t inner = shape.size();
  while (inner > 0 && box.extent[inner] == shape[inner - 1]) --inner;
  const std::uint64_t run = box.extent[inner] * pitch[inner];
  std::vector<DramSegment> segments;
  std::vector<std::uint32_t> at(inner, 0);
  for (bool more = true; more;) {
    std::uint64_t offset = 0;
    for (std::size_t d = 0; d < box.rank; ++d) offset += (box.offset[d] + (d < inner ? at[d] : 0)) * pitch[d];
    append_run(home, offset, run, segments);
    more = false;
    for (std::size_t d = inner; d-- > 0;) {
      if (++at[d] < box.extent[d]) {
        more = true;
        break;
      }
      at[d] = 0;
    }
  }
  return segments;
}

/// Bytes [offset, offset + bytes) of the tensor; pieces at equal distances become one segment.
void DramHomes::append_run(const Interleaved& home, std::uint64_t offset, std::uint64_t bytes,
                           std::vector<DramSegment>& segments) {
  while (bytes > 0) {
    const std::uint64_t granule = offset / home.granule, inside = offset % home.granule;
    const auto piece = static_cast<std::uint32_t>(std::min(bytes, home.granule - inside));
    const auto& [port, begin] = home.parts[granule % home.parts.size()];
    const std::uint64_t address = begin + granule / home.parts.size() * home.granule + inside;
    const auto fits = [&](DramSegment& last) {
      if (last.port != port || last.bytes != piece || address <= last.address) return false;
      const std::uint64_t distance = address - last.address;
      if (last.count == 1) {
        if (distance < piece || distance > home.granule) return false;
        last.stride = static_cast<std::uint32_t>(distance);
      }
      return distance == std::uint64_t{last.count} * last.stride;
    };
    if (!segments.empty() && fits(segments.back()))
      ++segments.back().count;
    else
      segments.push_back({port, address, piece, 1, 0});
    offset += piece;
    bytes -= piece;
  }
}

DramSegment DramHomes::table_row(TensorId tensor, std::uint32_t rows, std::uint32_t row_bytes,
                                 std::uint32_t row, const std::vector<PortId>& candidates) {
  const Interleaved& home =
      interleaved(tensor, {std::uint64_t{rows} * row_bytes, row_bytes, true, {}}, candidates);
  std::vector<DramSegment> segments;
  append_run(home, std::uint64_t{row} * row_bytes, row_bytes, segments);
  return segments.front();
}

void DramHomes::append_pieces(const Interleaved& home, std::vector<DramSegment>& pieces) {
  const auto granule = static_cast<std::uint32_t>(home.granule);
  const std::uint64_t count = ceil_div(home.bytes, home.granule), parts = home.parts.size();
  if (home.table) {
    for (std::uint64_t part = 0; part < std::min(parts, count); ++part)
      pieces.push_back({home.parts[part].first, home.parts[part].second, granule,
                        static_cast<std::uint32_t>(ceil_div(count - part, parts)), granule});
    return;
  }
  for (std::uint64_t number = 0; number < count; ++number) {
    const auto& [port, begin] = home.parts[number % parts];
    const std::uint64_t left = home.bytes - number * home.granule;
    pieces.push_back({port, begin + number / parts * home.granule,
                      static_cast<std::uint32_t>(std::min(left, home.granule)), 1, 0});
  }
}

std::vector<std::pair<TensorId, std::vector<DramSegment>>> DramHomes::pieces() const {
  std::map<TensorId, std::vector<DramSegment>> all;
  for (const auto& [key, segment] : tiles_) all[std::get<TensorId>(key)].push_back(segment);
  for (const auto& [key, home] : interleaved_) {
    append_pieces(home, all[key.first]);
  }
  return {all.begin(), all.end()};
}

}  // namespace dfsim
