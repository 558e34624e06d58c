#include "planner/cost/cost_oracle.h"

namespace dfsim {

double PlanAnswer::period_cycles() const {
  const std::size_t first = fill_periods;
  if (period_done_cycles.size() < first + 2) return 0;
  return static_cast<double>(period_done_cycles.back() - period_done_cycles[first]) /
         static_cast<double>(period_done_cycles.size() - 1 - first);
}

}  // namespace dfsim
