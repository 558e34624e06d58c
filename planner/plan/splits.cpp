#include "planner/plan/splits.h"

#include <algorithm>

namespace dfsim {

namespace {

void visit_from(std::size_t axis, std::uint32_t left, const std::vector<std::uint32_t>& extents,
                std::vector<std::uint32_t>& parts,
                const std::function<void(const std::vector<std::uint32_t>&)>& visit) {
  if (axis == extents.size()) return visit(parts);
  for (std::uint32_t count = 1; count <= std::min(left, extents[axis]); ++count) {
    parts[axis] = count;
    visit_from(axis + 1, left / count, extents, parts, visit);
  }
}

}  // namespace

void for_each_split(const std::vector<std::uint32_t>& extents, std::uint32_t most_parts,
                    const std::function<void(const std::vector<std::uint32_t>&)>& visit) {
  std::vector<std::uint32_t> parts(extents.size(), 1);
  visit_from(0, most_parts, extents, parts, visit);
}

std::vector<std::vector<std::uint32_t>> all_splits(const std::vector<std::uint32_t>& extents,
                                                   std::uint32_t most_parts) {
  std::vector<std::vector<std::uint32_t>> result;
  for_each_split(extents, most_parts, [&](const auto& parts) { result.push_back(parts); });
  return result;
}

std::vector<std::vector<std::uint32_t>> maximal_splits(const std::vector<std::uint32_t>& extents,
                                                       std::uint32_t most_parts) {
  std::vector<std::vector<std::uint32_t>> result;
  for_each_split(extents, most_parts, [&](const std::vector<std::uint32_t>& parts) {
    std::uint64_t product = 1;
    for (const std::uint32_t count : parts) product *= count;
    for (std::size_t axis = 0; axis < parts.size(); ++axis)
      if (parts[axis] < extents[axis] && product / parts[axis] * (parts[axis] + 1) <= most_parts) return;
    result.push_back(parts);
  });
  return result;
}

}  // namespace dfsim
