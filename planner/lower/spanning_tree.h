// planner/lower/spanning_tree.h: the way by which one PE's data reaches several, or several PEs' partial sums
// reach one.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

/// One PE of a tree. Parents stand before their children.
struct TreeNode {
  PeId pe;
  std::uint32_t parent = 0;  ///< index in the tree; the root is its own parent
  std::uint32_t depth = 0;
};

/// A minimum spanning tree over `root` and `others` (all of one NoC) by Prim's algorithm, where an edge
/// weighs as many hops as it takes: every datum crosses few links, and on a line each link only once. Among
/// equal edges the one nearer to the root, then the lower PE wins. tree[0] is the root.
std::vector<TreeNode> spanning_tree(const HardwareSpec& hardware, PeId root, const std::vector<PeId>& others);

}  // namespace dfsim
