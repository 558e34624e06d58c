// O1TURN (Seo et al., Near-optimal worst-case throughput routing for two-dimensional mesh networks, ISCA
// 2005): each packet takes one of the two dimension orders, chosen by a coin, on virtual channels of that
// order's own.
#include "sim/noc/routing/dimension_order.h"

namespace dfsim {
namespace {

constexpr std::uint32_t kOrderCoin = 3;  ///< bit of RouteRequest::coins

/// Proved near-optimal on 2-D meshes; free of deadlock wherever dimension order is, since the two orders
/// share no virtual channel. In three dimensions the orders are xyz and zyx.
class O1Turn : public RoutingFunction {
 public:
  std::string refuse(const LinkGraph& graph) const override { return first_to_last_.refuse(graph); }
  std::uint32_t routing_classes(const LinkGraph& graph) const override {
    return 2 * first_to_last_.routing_classes(graph);
  }
  void bind(const LinkGraph& graph) override {
    first_to_last_.bind(graph);
    last_to_first_.bind(graph);
  }
  void route(const RouteRequest& request, RouteOptions& options) const override {
    RouteRequest half = request;
    half.vc_count = static_cast<std::uint8_t>(request.vc_count / 2);
    if ((request.coins >> kOrderCoin & 1) == 0) return first_to_last_.route(half, options);
    half.first_vc = static_cast<std::uint8_t>(request.first_vc + half.vc_count);
    half.vc_count = static_cast<std::uint8_t>(request.vc_count - half.vc_count);
    last_to_first_.route(half, options);
  }

 private:
  DimensionOrder first_to_last_{DimensionOrder::Order::first_to_last};
  DimensionOrder last_to_first_{DimensionOrder::Order::last_to_first};
};

const Registration<RoutingFunction, O1Turn> kO1Turn{
    "o1turn", "one of the two dimension orders per packet, on virtual channels of its own (Seo et al. 2005)"};

}  // namespace
}  // namespace dfsim
