#include "planner/verify/boxes.h"

#include <algorithm>

namespace dfsim {

std::array<std::uint64_t, kMaxRank> strides_of(const Box& box) {
  std::array<std::uint64_t, kMaxRank> strides{};
  std::uint64_t stride = 1;
  for (std::uint8_t d = box.rank; d > 0; --d) {
    strides[d - 1] = stride;
    stride *= box.extent[d - 1];
  }
  return strides;
}

std::uint64_t position_in(const Box& box, const std::array<std::uint32_t, kMaxRank>& index) {
  std::uint64_t position = 0;
  for (std::uint8_t d = 0; d < box.rank; ++d)
    position = position * box.extent[d] + (index[d] - box.offset[d]);
  return position;
}

std::uint64_t copy_common(const Box& from_box, const float* from, const Box& to_box, float* to) {
  std::uint64_t copied = 0;
  for_each_run(from_box.intersection(to_box), from_box, to_box,
               [&](std::uint64_t in_from, std::uint64_t in_to, std::uint64_t length) {
                 std::copy_n(from + in_from, length, to + in_to);
                 copied += length;
               });
  return copied;
}

}  // namespace dfsim
