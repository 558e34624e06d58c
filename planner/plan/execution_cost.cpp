#include "planner/plan/execution_cost.h"

namespace dfsim {

std::string to_string(PriceBasis basis) {
  switch (basis) {
    case PriceBasis::preset:
      return "preset";
    case PriceBasis::measured:
      return "measured";
    case PriceBasis::bound:
      return "bound";
  }
  return "unknown";
}

}  // namespace dfsim
