#include "planner/lower/box_cover.h"

namespace dfsim {

std::vector<Box> subtract(const Box& whole, const Box& hole) {
  const Box common = whole.intersection(hole);
  if (common.empty()) return {whole};
  std::vector<Box> rest;
  Box core = whole;  // shrinks to `common`, dimension by dimension; what is cut off is kept
  for (std::uint8_t d = 0; d < whole.rank; ++d) {
    const std::uint32_t core_end = core.offset[d] + core.extent[d];
    const std::uint32_t common_end = common.offset[d] + common.extent[d];
    if (core.offset[d] < common.offset[d]) {
      Box below = core;
      below.extent[d] = common.offset[d] - core.offset[d];
      rest.push_back(below);
    }
    if (common_end < core_end) {
      Box above = core;
      above.offset[d] = common_end;
      above.extent[d] = core_end - common_end;
      rest.push_back(above);
    }
    core.offset[d] = common.offset[d];
    core.extent[d] = common.extent[d];
  }
  return rest;
}

void subtract_from(std::vector<Box>& boxes, const Box& hole) {
  std::vector<Box> rest;
  for (const Box& box : boxes) {
    std::vector<Box> parts = subtract(box, hole);
    rest.insert(rest.end(), parts.begin(), parts.end());
  }
  boxes = std::move(rest);
}

Box hull(const Box& a, const Box& b) {
  Box both = a;
  for (std::uint8_t d = 0; d < a.rank; ++d) {
    both.offset[d] = std::min(a.offset[d], b.offset[d]);
    both.extent[d] = std::max(a.offset[d] + a.extent[d], b.offset[d] + b.extent[d]) - both.offset[d];
  }
  return both;
}

Box whole_box(const std::vector<std::uint32_t>& shape) {
  Box box;
  box.rank = static_cast<std::uint8_t>(shape.size());
  for (std::size_t d = 0; d < shape.size(); ++d) box.extent[d] = shape[d];
  return box;
}

}  // namespace dfsim
