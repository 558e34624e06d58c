// planner/frontend/order.h: the order of operators.
#pragma once

#include <vector>

#include "planner/frontend/draft.h"

namespace dfsim {

/// Operators so that each follows those that it reads from or must run after. Of those that may come next the
/// one with the most operators still behind it comes first, else the first in the file: so attention's values
/// are computed after its scores, while the vector unit is at the softmax. Reports every cycle by the
/// operators on it, and is then empty.
std::vector<std::size_t> topological_order(const Draft& draft, const Wiring& wiring, Mistakes& mistakes);

}  // namespace dfsim
