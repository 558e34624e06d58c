// sim/hw/topology/topology.h: which routers there are and which channels join them. One file per topology.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/registry.h"

namespace dfsim {

inline constexpr std::uint64_t kMaxRouters = 65'536;  ///< of one NoC; more is taken for a slip of the pen

/// Stateless; registered by the name used in `noc.topology`.
class Topology {
 public:
  virtual ~Topology() = default;
  /// Why this extent (one entry per dimension, each at least 1) is not possible; empty if it is. Called with
  /// 1 to 3 dimensions.
  virtual std::string refuse(const std::vector<std::uint32_t>& extent) const = 0;
  /// All channels, ordered by (from, port_out). `graph` has everything but the links.
  virtual std::vector<Link> links(const LinkGraph& graph) const = 0;
};

using TopologyRegistry = Registry<Topology>;

/// Why `extent` cannot be: no or more than 3 dimensions, an empty one, more than kMaxRouters routers, or the
/// topology's own reason. Empty if it can. `topology` must be registered.
std::string refuse_extent(const std::string& topology, const std::vector<std::uint32_t>& extent);

/// The routers and links of `topology`. Throws SimulationError if the name is unknown or the extent refused:
/// callers check user input first.
LinkGraph build_link_graph(const std::string& topology, const std::vector<std::uint32_t>& extent);

/// Takes the channels from one router to another out of `graph`. False if there are none.
bool remove_links(LinkGraph& graph, RouterId from, RouterId to);

/// Channels between neighbours in every dimension, both ways; with `wrap` also between the last and the first
/// router of each line. Lines of one router have none; rings of two have two channels each way (one of them
/// wraps).
std::vector<Link> grid_links(const LinkGraph& graph, bool wrap);

}  // namespace dfsim
