#include "sim/noc/routing/routing.h"

namespace dfsim {

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
