#include "sim/noc/routing/turn_model.h"

#include <fmt/format.h>

namespace dfsim {

TurnTable::Legal TurnModel::turns(const LinkGraph& graph) const {
  return [this, columns = graph.extent[0]](std::uint32_t router, std::uint32_t in, std::uint32_t out) {
    return legal(router % columns, in, out);
  };
}

std::string TurnModel::refuse(const LinkGraph& graph) const {
  if (graph.topology != "mesh" || graph.dimensions > 2)
    return "its turns are those of a mesh of at most two dimensions";
  if (!absent_link(graph)) return {};
  if (graph.router_count() > TurnTable::kMostRouters)
    return fmt::format("dead links are possible on at most {} routers", TurnTable::kMostRouters);
  if (const auto pair = TurnTable::cut_off(graph, turns(graph)))
    return fmt::format("its legal turns leave no way from {} around the dead links", to_string(graph, *pair));
  return {};
}

void TurnModel::bind(const LinkGraph& graph) {
  columns_ = graph.extent[0];
  whole_ = !absent_link(graph);
  if (!whole_) table_ = TurnTable(graph, turns(graph));
}

void TurnModel::route(const RouteRequest& request, RouteOptions& options) const {
  const std::uint32_t vcs = vc_mask(request.first_vc, request.vc_count);
  if (!whole_)
    return add_outputs(table_.outputs(request.router, request.in_port, request.destination), vcs, options);
  const std::uint32_t x = request.router % columns_;
  const auto away = [](std::uint32_t to, std::uint32_t from) {
    return std::int64_t{to} - std::int64_t{from};
  };
  route_whole({x, away(request.destination % columns_, x),
               away(request.destination / columns_, request.router / columns_), request.in_port},
              vcs, options);
}

}  // namespace dfsim
