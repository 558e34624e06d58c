// sim/noc/routing/routing.h: which output port, and which of its virtual channels, a head flit may take. One
// file per routing function.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/registry.h"

namespace dfsim {

/// Most alternatives that a routing function may offer one head flit.
inline constexpr std::uint32_t kMaxRouteOptions = 3;

/// What a routing function may look at. Everything is local to the router, so that a decision depends on
/// nothing that has not travelled there.
struct RouteRequest {
  std::uint32_t router = 0;
  std::uint32_t destination = 0;  ///< router; never `router` itself: the network handles ejection
  std::uint8_t in_port = 0;       ///< at least 2 * dimensions for packets of the router's own endpoints
  std::uint8_t in_vc = 0;
  std::uint8_t first_vc = 0;  ///< of the packet's message class
  std::uint8_t vc_count = 1;  ///< of the packet's message class
  /// Random bits of the packet: bit d for a tie in dimension d, bit 3 for a choice between orders.
  std::uint32_t coins = 0;
};

struct RouteOption {
  std::uint32_t vcs = 0;  ///< bit v: virtual channel v may be taken
  std::uint8_t port = 0;
};

struct RouteOptions {
  std::uint32_t count = 0;
  std::array<RouteOption, kMaxRouteOptions> options;
  void add(std::uint32_t port, std::uint32_t vcs) {
    options[count++] = {vcs, static_cast<std::uint8_t>(port)};
  }
};

/// All virtual channels of a message class.
constexpr std::uint32_t vc_mask(std::uint32_t first, std::uint32_t count) {
  return static_cast<std::uint32_t>(((std::uint64_t{1} << count) - 1) << first);
}

/// Adds an option for each port of a bit set, the lowest first, as many as there is room for.
void add_outputs(std::uint32_t ports, std::uint32_t vcs, RouteOptions& options);

/// A link that the grid of `graph` would have between neighbours and that is not there; nothing if all are.
/// Dimensions in which any link wraps are rings. Of the link only from, to and port_out are given.
std::optional<Link> absent_link(const LinkGraph& graph);

/// Free of deadlock by construction on the graphs for which `refuse` returns nothing; a test checks the
/// channel dependency graph of everything that is registered.
class RoutingFunction {
 public:
  virtual ~RoutingFunction() = default;
  /// Why this graph cannot be routed; empty if it can. Where links are dead, it names a pair of routers that
  /// is cut off.
  virtual std::string refuse(const LinkGraph& graph) const = 0;
  /// Groups of virtual channels that each message class must be divided into on this graph.
  virtual std::uint32_t routing_classes(const LinkGraph& graph) const = 0;
  /// Fixes the graph that `route` is asked about. Called once, before the first route().
  virtual void bind(const LinkGraph& graph) = 0;
  /// Adds at least one option to `options` (empty on entry).
  virtual void route(const RouteRequest& request, RouteOptions& options) const = 0;
  /// Whether packets with several destinations may fork: every route has one port, fixed by source,
  /// destination and coins, and the routes from one source are a tree (docs/noc.md, multicast).
  virtual bool forks() const { return false; }
};

/// Channels that a packet at router `from` goes on in the dimension of `port`, in that direction, until it
/// has the coordinate of router `to`. Of several destinations behind one port the farthest one decides which
/// virtual channels the branch may take: its way contains those of the others.
std::uint32_t steps_along(const LinkGraph& graph, std::uint32_t from, std::uint32_t to, std::uint32_t port);

using RoutingRegistry = Registry<RoutingFunction>;

/// The registered function `name`, bound to `graph`. Throws SimulationError if there is none or it refuses
/// the graph: callers check user input first.
std::unique_ptr<RoutingFunction> make_routing(const std::string& name, const LinkGraph& graph);

}  // namespace dfsim
