// sim/noc/routing/dimension_order.h: one dimension after another, in a fixed order. Free of deadlock on
// meshes because no turn leads back to an earlier dimension, and on rings because of a dateline (Dally and
// Seitz, Deadlock-free message routing in multiprocessor interconnection networks, IEEE ToC 1987).
#pragma once

#include "sim/noc/routing/routing.h"

namespace dfsim {

/// In a dimension with wrap links the shorter way round is taken; of two equally long ways a coin of the
/// packet decides. On entering such a dimension the packet is put into one half of its class's virtual
/// channels and stays there: going up, the upper half if its path crosses the wrap link and else the lower;
/// going down, the lower half if it crosses and else the upper. So no packet goes on, within a half, across
/// the point where that half's ring is open.
class DimensionOrder : public RoutingFunction {
 public:
  enum class Order { first_to_last, last_to_first };
  explicit DimensionOrder(Order order) : order_(order) {}

  std::string refuse(const LinkGraph& graph) const override;
  std::uint32_t routing_classes(const LinkGraph& graph) const override;
  void bind(const LinkGraph& graph) override;
  void route(const RouteRequest& request, RouteOptions& options) const override;
  bool forks() const override { return true; }

 private:
  void route_ring(const RouteRequest& request, std::uint32_t dimension, std::uint32_t at, std::uint32_t to,
                  RouteOptions& options) const;

  struct Dimension {
    std::uint32_t number = 0;
    std::uint32_t extent = 1;
    bool wraps = false;
  };
  Order order_;
  std::array<Dimension, 3> visit_{};  ///< in the order of travel
  std::uint32_t dimensions_ = 0;
  std::vector<std::array<std::uint16_t, 3>> coordinates_;  ///< by router
};

}  // namespace dfsim
