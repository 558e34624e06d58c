// planner/frontend/order.h: the order of operators.
#pragma once

#include <vector>

#include "planner/frontend/draft.h"

namespace dfsim {

/// Operators so that each follows those that it reads from or must run after; otherwise in the order of the
/// file. Reports every cycle by the operators on it, and is then empty.
std::vector<std::size_t> topological_order(const Draft& draft, const Wiring& wiring, Mistakes& mistakes);

}  // namespace dfsim
