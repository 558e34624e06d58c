// planner/lower/box_cover.h: set operations on boxes.
#pragma once

#include <vector>

#include "sim/api/program.h"

namespace dfsim {

/// `whole` without `hole`, as disjoint boxes (at most two per dimension); empty if `hole` covers it.
std::vector<Box> subtract(const Box& whole, const Box& hole);

/// Takes `hole` out of every box of `boxes`.
void subtract_from(std::vector<Box>& boxes, const Box& hole);

/// The least box that contains both.
Box hull(const Box& a, const Box& b);

/// The whole of a tensor with the given extents.
Box whole_box(const std::vector<std::uint32_t>& shape);

}  // namespace dfsim
