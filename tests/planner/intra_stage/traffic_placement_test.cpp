// Case P4 of the planner's known answers: bytes times hops.
#include "planner/intra_stage/traffic_placement.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace dfsim {
namespace {

const std::vector<Traffic> kSquare{{0, 1, 8}, {1, 2, 8}, {2, 3, 8}, {0, 3, 6}};
const std::vector<Traffic> kSix{{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 4, 4}, {4, 5, 4}, {0, 4, 3}, {1, 5, 5}};

struct Case {
  PlacementArea area;
  std::uint32_t count;
  const std::vector<Traffic>* traffic;
  double best;
  std::uint64_t placements;
};
const std::vector<Case> kCases{{{2, 2}, 4, &kSquare, 30, 8},
                               {{4, 1}, 4, &kSquare, 42, 2},
                               {{3, 2}, 6, &kSix, 32, 16},
                               {{6, 1}, 6, &kSix, 46, 4}};

double row_major(const Case& known) {
  std::vector<std::uint32_t> cells(known.area.cells());
  std::iota(cells.begin(), cells.end(), 0u);
  return byte_hops(known.area, *known.traffic, cells);
}

TEST(TrafficPlacementCases, P4IsFoundExactly) {
  for (const Case& known : kCases) {
    std::uint64_t placements = 0;
    const TrafficPlacement found = place_exactly(known.area, known.count, *known.traffic, &placements);
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(found.byte_hops, known.best);
    EXPECT_EQ(placements, known.placements);
    EXPECT_EQ(byte_hops(known.area, *known.traffic, found.cell), known.best);
  }
  EXPECT_EQ(row_major(kCases[0]), 44);
  EXPECT_EQ(row_major(kCases[2]), 44);
}

TEST(TrafficPlacementCases, P4IsFoundByExchangeFromNineOfTenSeeds) {
  for (const Case& known : kCases) {
    int reached = 0;
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      Rng rng(seed);
      const TrafficPlacement found = place_by_exchange(known.area, known.count, *known.traffic, rng);
      EXPECT_GE(found.byte_hops, known.best);
      EXPECT_EQ(byte_hops(known.area, *known.traffic, found.cell), found.byte_hops);
      reached += found.byte_hops == known.best ? 1 : 0;
    }
    EXPECT_GE(reached, 9);
  }
}

TEST(TrafficPlacement, TheExactSearchIsTheBestOfAllPermutations) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    const PlacementArea area{3, 2};
    std::vector<Traffic> traffic;
    for (int i = 0; i < 7; ++i)
      traffic.push_back({static_cast<std::uint32_t>(rng.below(5)), static_cast<std::uint32_t>(rng.below(5)),
                         static_cast<double>(1 + rng.below(9))});
    std::vector<std::uint32_t> cells{0, 1, 2, 3, 4, 5};
    double best = 1e9;
    do best = std::min(best, byte_hops(area, traffic, cells));
    while (std::next_permutation(cells.begin(), cells.end()));
    EXPECT_EQ(place_exactly(area, 5, traffic).byte_hops, best) << seed;
    EXPECT_GE(place_by_exchange(area, 5, traffic, rng).byte_hops, best) << seed;
  }
}

}  // namespace
}  // namespace dfsim
