// Up*/down* (Schroeder et al., Autonet: a high-speed, self-configuring local area network using
// point-to-point links, IEEE JSAC 1991): routers are ranked by their distance from a central one; a packet
// goes up, nearer to it, and then down. Any graph whose links work both ways can be routed, whatever links
// are dead.
#include <fmt/format.h>

#include <memory>

#include "sim/noc/routing/routing.h"
#include "sim/noc/routing/turn_table.h"

namespace dfsim {
namespace {

/// By router: breadth first from the central router over the links, nearer routers first. Links in one
/// direction only count as well: a rank is needed, not a way.
std::vector<std::uint32_t> ranks(const LinkGraph& graph) {
  std::vector<std::vector<std::uint32_t>> neighbors(graph.router_count());
  for (const Link& link : graph.links) {
    neighbors[link.from.value()].push_back(link.to.value());
    neighbors[link.to.value()].push_back(link.from.value());
  }
  std::vector<std::uint32_t> result(graph.router_count(), graph.router_count());
  std::vector<std::uint32_t> queue{
      graph.router_at(graph.extent[0] / 2, graph.extent[1] / 2, graph.extent[2] / 2).value()};
  result[queue.front()] = 0;
  for (std::size_t i = 0; i < queue.size(); ++i)
    for (const std::uint32_t next : neighbors[queue[i]])
      if (result[next] == graph.router_count()) {
        result[next] = static_cast<std::uint32_t>(queue.size());
        queue.push_back(next);
      }
  return result;
}

/// Up after down is the one illegal turn. Going up, ranks fall, and going down they rise: no circle can be
/// closed without that turn.
TurnTable::Legal turns_of(const LinkGraph& graph) {
  const std::uint32_t ports = 2 * graph.dimensions;
  auto towards_root = std::make_shared<std::vector<bool>>(std::size_t{graph.router_count()} * ports);
  auto from_root = std::make_shared<std::vector<bool>>(*towards_root);
  const std::vector<std::uint32_t> rank = ranks(graph);
  for (const Link& link : graph.links) {
    const bool up = rank[link.to.value()] < rank[link.from.value()];
    (*towards_root)[link.from.value() * ports + link.port_out] = up;
    (*from_root)[link.to.value() * ports + link.port_in] = !up;
  }
  return [=](std::uint32_t router, std::uint32_t in, std::uint32_t out) {
    return !((*from_root)[router * ports + in] && (*towards_root)[router * ports + out]);
  };
}

class UpDown : public RoutingFunction {
 public:
  std::string refuse(const LinkGraph& graph) const override {
    if (graph.router_count() > TurnTable::kMostRouters)
      return fmt::format("its table holds at most {} routers", TurnTable::kMostRouters);
    if (const auto pair = TurnTable::cut_off(graph, turns_of(graph)))
      return fmt::format("there is no way up and then down from {}", to_string(graph, *pair));
    return {};
  }
  std::uint32_t routing_classes(const LinkGraph&) const override { return 1; }
  void bind(const LinkGraph& graph) override { table_ = TurnTable(graph, turns_of(graph)); }
  void route(const RouteRequest& request, RouteOptions& options) const override {
    add_outputs(table_.outputs(request.router, request.in_port, request.destination),
                vc_mask(request.first_vc, request.vc_count), options);
  }

 private:
  TurnTable table_;
};

const Registration<RoutingFunction, UpDown> kUpDown{
    "up_down", "any topology, and around any dead links: towards a central router, then away (Autonet 1991)"};

}  // namespace
}  // namespace dfsim
