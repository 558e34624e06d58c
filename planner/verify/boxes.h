// planner/verify/boxes.h: copies between row-major values of boxes of one tensor.
#pragma once

#include <array>
#include <cstdint>

#include "sim/api/program.h"

namespace dfsim {

/// Elements between neighbours along each dimension of a box stored row-major.
std::array<std::uint64_t, kMaxRank> strides_of(const Box& box);

/// Position of the element at `index` (coordinates of the tensor) in the row-major order of `box`.
std::uint64_t position_in(const Box& box, const std::array<std::uint32_t, kMaxRank>& index);

/// Calls run(position in a, position in b, elements) for every piece of `part` that is contiguous in the
/// row-major order of both boxes. `part` lies inside both; nothing is called if it is empty.
template <class Run>
void for_each_run(const Box& part, const Box& a, const Box& b, Run run) {
  if (part.empty()) return;
  // The last dimensions that all three take whole form one run, and the dimension before them joins it.
  std::uint8_t outer = part.rank;
  std::uint64_t length = 1;
  while (outer > 0) {
    --outer;
    length *= part.extent[outer];
    if (part.extent[outer] != a.extent[outer] || part.extent[outer] != b.extent[outer]) break;
  }
  std::array<std::uint32_t, kMaxRank> index = part.offset;
  for (;;) {
    run(position_in(a, index), position_in(b, index), length);
    std::uint8_t d = outer;
    for (; d > 0; --d) {
      if (++index[d - 1] < part.offset[d - 1] + part.extent[d - 1]) break;
      index[d - 1] = part.offset[d - 1];
    }
    if (d == 0) return;
  }
}

/// Copies what both boxes hold from `from` to `to`, both row-major. Returns the number of elements.
std::uint64_t copy_common(const Box& from_box, const float* from, const Box& to_box, float* to);

}  // namespace dfsim
