// Dimension order, last dimension first.
#include "sim/noc/routing/dimension_order.h"

namespace dfsim {
namespace {

class Yx : public DimensionOrder {
 public:
  Yx() : DimensionOrder(Order::last_to_first) {}
};

const Registration<RoutingFunction, Yx> kYx{"yx", "dimension order, x last; datelines on tori and rings"};

}  // namespace
}  // namespace dfsim
