#include "planner/lower/spanning_tree.h"

#include <algorithm>
#include <tuple>

#include "planner/lower/dram_homes.h"

namespace dfsim {

std::vector<TreeNode> spanning_tree(const HardwareSpec& hardware, PeId root,
                                    const std::vector<PeId>& others) {
  const LinkGraph& graph = hardware.nocs[hardware.pes[root.value()].noc.value()].graph;
  const auto distance = [&](PeId a, PeId b) {
    return hops(graph, hardware.pes[a.value()].router, hardware.pes[b.value()].router);
  };
  struct Open {
    PeId pe;
    std::uint32_t parent, hops, depth;
  };
  std::vector<TreeNode> tree{{root, 0, 0}};
  std::vector<Open> open;
  for (const PeId pe : others)
    if (pe != root) open.push_back({pe, 0, distance(root, pe), 1});
  while (!open.empty()) {
    const auto next = std::min_element(open.begin(), open.end(), [](const Open& a, const Open& b) {
      return std::tie(a.hops, a.depth, a.pe) < std::tie(b.hops, b.depth, b.pe);
    });
    const TreeNode added{next->pe, next->parent, next->depth};
    open.erase(next);
    const auto number = static_cast<std::uint32_t>(tree.size());
    tree.push_back(added);
    for (Open& one : open) {
      const std::uint32_t from_here = distance(added.pe, one.pe);
      if (std::make_tuple(from_here, added.depth + 1) < std::make_tuple(one.hops, one.depth))
        one.parent = number, one.hops = from_here, one.depth = added.depth + 1;
    }
  }
  return tree;
}

}  // namespace dfsim
