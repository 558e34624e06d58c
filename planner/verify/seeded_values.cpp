#include "planner/verify/seeded_values.h"

#include <cmath>
#include <numbers>

#include "sim/base/rng.h"

namespace dfsim {

void draw_normal(std::uint64_t seed, std::uint64_t stream, Distribution distribution, float* values,
                 std::uint64_t count) {
  Rng rng(seed, stream);
  for (std::uint64_t i = 0; i < count; i += 2) {
    const double radius = distribution.deviation * std::sqrt(-2 * std::log1p(-rng.uniform()));
    const double angle = 2 * std::numbers::pi * rng.uniform();
    values[i] = static_cast<float>(distribution.mean + radius * std::cos(angle));
    if (i + 1 < count) values[i + 1] = static_cast<float>(distribution.mean + radius * std::sin(angle));
  }
}

void draw_below(std::uint64_t seed, std::uint64_t stream, std::uint32_t bound, float* values,
                std::uint64_t count) {
  Rng rng(seed, stream);
  for (std::uint64_t i = 0; i < count; ++i) values[i] = static_cast<float>(rng.below(bound));
}

}  // namespace dfsim
