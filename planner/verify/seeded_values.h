// planner/verify/seeded_values.h: numbers that depend on a seed, a stream and their position alone.
#pragma once

#include <cstdint>

#include "planner/verify/kernel.h"

namespace dfsim {

/// `count` numbers of a normal distribution (Box and Muller, "A note on the generation of random normal
/// deviates", 1958).
void draw_normal(std::uint64_t seed, std::uint64_t stream, Distribution distribution, float* values,
                 std::uint64_t count);

/// `count` whole numbers, uniform in [0, bound).
void draw_below(std::uint64_t seed, std::uint64_t stream, std::uint32_t bound, float* values,
                std::uint64_t count);

}  // namespace dfsim
