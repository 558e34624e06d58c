// Splits of an iteration space: complete, without repeats, within their limits.
#include "planner/plan/splits.h"

#include <gtest/gtest.h>

#include <set>

namespace dfsim {

namespace {

using Splits = std::vector<std::vector<std::uint32_t>>;

/// Every tuple up to the extents, filtered: the obvious way.
Splits brute_force(const std::vector<std::uint32_t>& extents, std::uint32_t most) {
  Splits result;
  std::vector<std::uint32_t> parts(extents.size(), 1);
  for (;;) {
    std::uint64_t product = 1;
    for (const std::uint32_t count : parts) product *= count;
    if (product <= most) result.push_back(parts);
    std::size_t axis = extents.size();
    while (axis > 0 && parts[axis - 1] == std::min(extents[axis - 1], most)) parts[--axis] = 1;
    if (axis == 0) return result;
    ++parts[axis - 1];
  }
}

TEST(Splits, AreAllThatFit) {
  for (const std::vector<std::uint32_t>& extents :
       Splits{{1}, {7}, {13, 11}, {2, 3, 5}, {8, 1, 12}, {3, 3, 3, 3}})
    for (const std::uint32_t most : {1u, 2u, 6u, 7u, 12u, 13u})
      EXPECT_EQ(all_splits(extents, most), brute_force(extents, most)) << most;
}

TEST(Splits, OfPrimesUseWhatTheGroupHas) {
  const Splits splits = all_splits({7, 13}, 5);
  EXPECT_EQ(splits.size(), 10u);  // 1x1..1x5, 2x1, 2x2, 3x1, 4x1, 5x1
  EXPECT_EQ(std::set(splits.begin(), splits.end()).size(), splits.size());
}

TEST(Splits, MaximalOnesCoverAllOthers) {
  const std::vector<std::uint32_t> extents{8, 6, 5};
  for (const std::uint32_t most : {1u, 5u, 7u, 12u, 36u}) {
    const Splits maximal = maximal_splits(extents, most);
    for (const std::vector<std::uint32_t>& split : all_splits(extents, most)) {
      const bool covered = std::any_of(maximal.begin(), maximal.end(), [&](const auto& larger) {
        for (std::size_t axis = 0; axis < split.size(); ++axis)
          if (split[axis] > larger[axis]) return false;
        return true;
      });
      EXPECT_TRUE(covered) << most;
    }
  }
}

}  // namespace

}  // namespace dfsim
