// sim/host/core/fair_share.h: rates of flows that share capacities.
#pragma once

#include <cstddef>
#include <vector>

namespace dfsim {

/// Max-min fair rates: all flows grow alike until a capacity that some of them use is full; those stop, the
/// others go on (progressive filling: Bertsekas and Gallager, Data Networks, section 6.5.2). `flows[f]` lists
/// the capacities that flow f uses, each once; a flow that uses none gets an infinite rate.
std::vector<double> fair_rates(const std::vector<double>& capacities,
                               const std::vector<std::vector<std::size_t>>& flows);

}  // namespace dfsim
