// Dimension order, x first.
#include "sim/noc/routing/dimension_order.h"

namespace dfsim {
namespace {

class Xy : public DimensionOrder {
 public:
  Xy() : DimensionOrder(Order::first_to_last) {}
};

const Registration<RoutingFunction, Xy> kXy{"xy", "dimension order, x first; datelines on tori and rings"};

}  // namespace
}  // namespace dfsim
