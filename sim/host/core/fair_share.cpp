#include "sim/host/core/fair_share.h"

#include <algorithm>
#include <limits>

namespace dfsim {

std::vector<double> fair_rates(const std::vector<double>& capacities,
                               const std::vector<std::vector<std::size_t>>& flows) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  std::vector<double> rates(flows.size(), kInfinite), left = capacities;
  std::vector<bool> fixed(flows.size(), false);
  while (true) {
    std::vector<std::size_t> users(capacities.size(), 0);
    for (std::size_t f = 0; f < flows.size(); ++f)
      if (!fixed[f])
        for (const std::size_t c : flows[f]) ++users[c];
    std::size_t tightest = capacities.size();
    double share = kInfinite;
    for (std::size_t c = 0; c < capacities.size(); ++c)
      if (users[c] > 0 && left[c] / static_cast<double>(users[c]) < share) {
        share = left[c] / static_cast<double>(users[c]);
        tightest = c;
      }
    if (tightest == capacities.size()) return rates;
    for (std::size_t f = 0; f < flows.size(); ++f) {
      if (fixed[f] || std::find(flows[f].begin(), flows[f].end(), tightest) == flows[f].end()) continue;
      fixed[f] = true;
      rates[f] = share;
      for (const std::size_t c : flows[f]) left[c] = std::max(0.0, left[c] - share);
    }
  }
}

}  // namespace dfsim
