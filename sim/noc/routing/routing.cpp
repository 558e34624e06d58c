#include "sim/noc/routing/routing.h"

#include <bit>

namespace dfsim {

void add_outputs(std::uint32_t ports, std::uint32_t vcs, RouteOptions& options) {
  for (; ports != 0 && options.count < kMaxRouteOptions; ports &= ports - 1)
    options.add(static_cast<std::uint32_t>(std::countr_zero(ports)), vcs);
}

std::optional<Link> absent_link(const LinkGraph& graph) {
  std::array<bool, 3> wraps{};
  std::vector<std::uint8_t> present(graph.router_count(), 0);  // a bit per output port
  for (const Link& link : graph.links) {
    wraps[link.port_out / 2] = wraps[link.port_out / 2] || link.wrap;
    present[link.from.value()] |= static_cast<std::uint8_t>(1u << link.port_out);
  }
  for (std::uint32_t router = 0; router < graph.router_count(); ++router)
    for (std::uint8_t port = 0; port < 2 * graph.dimensions; ++port) {
      std::array<std::uint32_t, 3> at = graph.coordinates(RouterId(router));
      const std::uint32_t d = port / 2u, size = graph.extent[d];
      const bool up = port % 2 == 0, edge = up ? at[d] + 1 == size : at[d] == 0;
      if (size == 1 || (edge && !wraps[d]) || (present[router] >> port & 1)) continue;
      at[d] = (at[d] + (up ? 1 : size - 1)) % size;
      return Link{.from = RouterId(router), .to = graph.router_at(at[0], at[1], at[2]), .port_out = port};
    }
  return std::nullopt;
}

std::unique_ptr<RoutingFunction> make_routing(const std::string& name, const LinkGraph& graph) {
  std::unique_ptr<RoutingFunction> routing = RoutingRegistry::instance().make(name);
  const std::string reason = routing->refuse(graph);
  if (!reason.empty()) throw SimulationError("routing '" + name + "': " + reason);
  routing->bind(graph);
  return routing;
}

std::uint32_t steps_along(const LinkGraph& graph, std::uint32_t from, std::uint32_t to, std::uint32_t port) {
  const std::uint32_t dimension = port / 2, extent = graph.extent[dimension];
  const std::uint32_t at = graph.coordinates(RouterId(from))[dimension];
  const std::uint32_t end = graph.coordinates(RouterId(to))[dimension];
  return (port % 2 == 0 ? end + extent - at : at + extent - end) % extent;
}

}  // namespace dfsim
