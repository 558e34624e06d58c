#include "sim/noc/routing/dimension_order.h"

#include <fmt/format.h>

#include "sim/noc/routing/turn_table.h"

namespace dfsim {

std::string DimensionOrder::refuse(const LinkGraph& graph) const {
  const std::optional<Link> absent = absent_link(graph);
  if (!absent) return {};
  return fmt::format("dimension order has one way between two routers, and its link from {} is dead",
                     to_string(graph, {absent->from, absent->to}));
}

std::uint32_t DimensionOrder::routing_classes(const LinkGraph& graph) const {
  for (const Link& link : graph.links)
    if (link.wrap) return 2;
  return 1;
}

void DimensionOrder::bind(const LinkGraph& graph) {
  dimensions_ = graph.dimensions;
  for (std::uint32_t i = 0; i < dimensions_; ++i) {
    const std::uint32_t d = order_ == Order::first_to_last ? i : dimensions_ - 1 - i;
    visit_[i] = {d, graph.extent[d], false};
    for (const Link& link : graph.links) visit_[i].wraps |= link.wrap && link.port_out / 2 == d;
  }
  coordinates_.clear();
  for (std::uint32_t r = 0; r < graph.router_count(); ++r) {
    const std::array<std::uint32_t, 3> place = graph.coordinates(RouterId(r));
    coordinates_.push_back({static_cast<std::uint16_t>(place[0]), static_cast<std::uint16_t>(place[1]),
                            static_cast<std::uint16_t>(place[2])});
  }
}

void DimensionOrder::route(const RouteRequest& request, RouteOptions& options) const {
  const auto& here = coordinates_[request.router];
  const auto& there = coordinates_[request.destination];
  for (std::uint32_t i = 0; i < dimensions_; ++i) {
    const Dimension& dimension = visit_[i];
    const std::uint32_t at = here[dimension.number];
    const std::uint32_t to = there[dimension.number];
    if (at == to) continue;
    if (dimension.wraps) return route_ring(request, i, at, to, options);
    options.add(2 * dimension.number + (to > at ? 0 : 1), vc_mask(request.first_vc, request.vc_count));
    return;
  }
}

void DimensionOrder::route_ring(const RouteRequest& request, std::uint32_t dimension, std::uint32_t at,
                                std::uint32_t to, RouteOptions& options) const {
  const std::uint32_t d = visit_[dimension].number;
  const std::uint32_t extent = visit_[dimension].extent;
  const std::uint32_t lower_count = request.vc_count / 2u;
  bool up;
  bool upper;
  if (request.in_port / 2u == d && request.in_port < 2 * dimensions_) {
    // Under way in this dimension: an input has the number of the side its flits come from. Half and
    // direction stay.
    up = request.in_port % 2 == 1;
    upper = request.in_vc - request.first_vc >= static_cast<int>(lower_count);
  } else {
    const std::uint32_t distance_up = (to + extent - at) % extent;
    up = 2 * distance_up == extent ? (request.coins >> d & 1) != 0 : 2 * distance_up < extent;
    const bool crosses = up ? to < at : to > at;
    upper = up == crosses;
  }
  const std::uint32_t vcs = upper ? vc_mask(request.first_vc + lower_count, request.vc_count - lower_count)
                                  : vc_mask(request.first_vc, lower_count);
  options.add(2 * d + (up ? 0 : 1), vcs);
}

}  // namespace dfsim
