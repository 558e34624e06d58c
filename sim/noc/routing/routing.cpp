#include "sim/noc/routing/routing.h"

namespace dfsim {

std::unique_ptr<RoutingFunction> make_routing(const std::string& name, const LinkGraph& graph) {
  std::unique_ptr<RoutingFunction> routing = RoutingRegistry::instance().make(name);
  const std::string reason = routing->refuse(graph);
  if (!reason.empty()) throw SimulationError("routing '" + name + "': " + reason);
  routing->bind(graph);
  return routing;
}

}  // namespace dfsim
