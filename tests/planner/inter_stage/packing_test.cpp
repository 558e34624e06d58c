// Boxes side by side: the fitting checks of case P3, the pinwheel, and a brute-force packer on small areas.
#include "planner/inter_stage/packing.h"

#include <gtest/gtest.h>

#include <functional>

#include "sim/base/rng.h"

namespace dfsim {
namespace {

/// Fits if each box may be turned.
bool fits_turned(const Extent& area, std::vector<Extent> boxes, std::size_t from = 0) {
  if (from == boxes.size()) return pack(area, boxes).has_value();
  if (fits_turned(area, boxes, from + 1)) return true;
  std::swap(boxes[from][0], boxes[from][1]);
  return fits_turned(area, boxes, from + 1);
}

void expect_apart(const Extent& area, const std::vector<Extent>& boxes, const std::vector<Extent>& places) {
  ASSERT_EQ(boxes.size(), places.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) EXPECT_LE(places[i][axis] + boxes[i][axis], area[axis]);
    for (std::size_t k = 0; k < i; ++k) {
      bool apart = false;
      for (std::size_t axis = 0; axis < 3; ++axis)
        apart |= places[i][axis] + boxes[i][axis] <= places[k][axis] ||
                 places[k][axis] + boxes[k][axis] <= places[i][axis];
      EXPECT_TRUE(apart);
    }
  }
}

TEST(Packing, AgreesWithTheFittingChecksOfP3) {
  const Extent area{4, 4, 1};
  EXPECT_TRUE(fits_turned(area, {{3, 3, 1}, {1, 4, 1}, {1, 3, 1}}));
  EXPECT_TRUE(fits_turned(area, {{2, 4, 1}, {2, 2, 1}, {2, 2, 1}}));
  EXPECT_TRUE(fits_turned(area, std::vector<Extent>(5, {1, 3, 1})));
  EXPECT_FALSE(fits_turned(area, {{3, 3, 1}, {2, 3, 1}}));
  EXPECT_FALSE(fits_turned(area, {{3, 2, 1}, {3, 2, 1}, {2, 2, 1}}));
}

TEST(Packing, FindsThePinwheel) {
  const Extent area{5, 5, 1};
  const std::vector<Extent> boxes{{2, 3, 1}, {3, 2, 1}, {1, 1, 1}, {2, 3, 1}, {3, 2, 1}};
  const auto places = pack(area, boxes);
  ASSERT_TRUE(places);
  expect_apart(area, boxes, *places);
  EXPECT_EQ((*places)[2], (Extent{2, 2, 0}));
}

TEST(Packing, AgreesWithTryingEveryPlace) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Rng rng(seed);
    const auto side = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + rng.below(most)); };
    const Extent area{side(4), side(4), side(2)};
    std::vector<Extent> boxes(1 + rng.below(4));
    for (Extent& box : boxes) box = {side(area[0]), side(area[1]), side(area[2])};
    std::vector<Extent> places;
    const std::function<bool()> try_all = [&] {
      if (places.size() == boxes.size()) return true;
      const Extent& box = boxes[places.size()];
      for (std::uint32_t z = 0; z + box[2] <= area[2]; ++z)
        for (std::uint32_t y = 0; y + box[1] <= area[1]; ++y)
          for (std::uint32_t x = 0; x + box[0] <= area[0]; ++x) {
            bool free = true;
            for (std::size_t k = 0; k < places.size(); ++k)
              free &= x + box[0] <= places[k][0] || places[k][0] + boxes[k][0] <= x ||
                      y + box[1] <= places[k][1] || places[k][1] + boxes[k][1] <= y ||
                      z + box[2] <= places[k][2] || places[k][2] + boxes[k][2] <= z;
            if (!free) continue;
            places.push_back({x, y, z});
            if (try_all()) return true;
            places.pop_back();
          }
      return false;
    };
    const auto packed = pack(area, boxes);
    EXPECT_EQ(packed.has_value(), try_all()) << seed;
    if (packed) expect_apart(area, boxes, *packed);
  }
}

}  // namespace
}  // namespace dfsim
