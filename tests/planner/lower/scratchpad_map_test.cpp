#include "planner/lower/scratchpad_map.h"

#include <gtest/gtest.h>

#include <map>

#include "sim/base/rng.h"

namespace dfsim {
namespace {

TEST(ScratchpadMap, StreamsUseTheWholeFreeSpaceBeforeAnAddressComesBack) {
  ScratchpadMap map(1024);
  ASSERT_EQ(map.allocate_lowest(256), 0u);
  std::vector<std::uint32_t> addresses;
  for (int i = 0; i < 6; ++i) {
    const auto address = map.allocate_stream(256);
    ASSERT_TRUE(address);
    addresses.push_back(*address);
    map.release(*address, 256);
  }
  EXPECT_EQ(addresses, (std::vector<std::uint32_t>{256, 512, 768, 256, 512, 768}));
}

TEST(ScratchpadMap, JoinsNeighbouringHoles) {
  ScratchpadMap map(96);
  const auto a = map.allocate_lowest(32), b = map.allocate_lowest(32), c = map.allocate_lowest(32);
  ASSERT_TRUE(a && b && c);
  EXPECT_FALSE(map.allocate_lowest(1));
  map.release(*a, 32);
  map.release(*c, 32);
  EXPECT_EQ(map.largest_free(), 32u);
  map.release(*b, 32);
  EXPECT_EQ(map.largest_free(), 96u);
}

TEST(ScratchpadMap, MeasuringKeepsStreamsOutOfTheWay) {
  ScratchpadMap map(256, PlacePolicy::measure);
  ASSERT_GT(map.allocate_stream(64), 1u << 30) << "there is no end";
  ASSERT_EQ(map.allocate_lowest(100), 0u);
  ASSERT_EQ(map.allocate_lowest(64), 128u);
  map.release(0, 100);
  ASSERT_EQ(map.allocate_lowest(32), 0u);
  ASSERT_EQ(map.uses().size(), 4u);
  EXPECT_FALSE(map.uses()[0].long_lived);
  EXPECT_EQ(map.uses()[1].born, 1u);
  EXPECT_EQ(map.uses()[1].died, 3u);
  EXPECT_GT(map.uses()[2].died, 1000u) << "lives on";
}

/// Asks a map for the same things, whatever it answers.
template <class Steps>
ScratchpadUses measured(const Steps& steps) {
  ScratchpadMap map(1u << 20, PlacePolicy::measure);
  steps(map);
  return map.uses();
}

TEST(ScratchpadMap, StreamsTakeThePlaceThatHasBeenFreeLongest) {
  std::vector<std::uint32_t> at;
  const auto steps = [&at](ScratchpadMap& map) {
    at.clear();
    for (int i = 0; i < 3; ++i) at.push_back(map.allocate_stream(256).value());
    for (const std::size_t i : {1, 0, 2}) map.release(at[i], 256);
    for (const std::uint32_t bytes : {128, 128, 128, 256}) at.push_back(map.allocate_stream(bytes).value());
  };
  ScratchpadMap map(768, PlacePolicy::foreseen, measured(steps));
  steps(map);
  EXPECT_EQ(at[3], at[1]);
  EXPECT_EQ(at[4], at[1] + 128);
  EXPECT_EQ(at[5], at[0]);
  EXPECT_EQ(at[6], at[2]) << "the rest of the first is older, but too short";
}

TEST(ScratchpadMap, StreamsKeepAwayFromWhatComesWhileTheyLive) {
  const auto steps = [](ScratchpadMap& map) {
    const auto first = map.allocate_stream(128);  // lives on beside the long-lived
    const auto brief = map.allocate_stream(128);  // gone before it
    if (brief) map.release(*brief, 128);
    const auto kept = map.allocate_lowest(256);
    return std::vector{first, brief, kept};
  };
  ScratchpadMap map(384, PlacePolicy::foreseen, measured(steps));
  const auto at = steps(map);
  EXPECT_EQ(at[0], 256u);
  EXPECT_EQ(at[1], 0u);
  EXPECT_EQ(at[2], 0u);
}

TEST(ScratchpadMap, ForeseesOnlyWhatWasMeasured) {
  const auto steps = [](ScratchpadMap& map) { map.allocate_lowest(64); };
  ScratchpadMap another(1024, PlacePolicy::foreseen, measured(steps));
  EXPECT_FALSE(another.allocate_lowest(96)) << "another size";
  ScratchpadMap longer(1024, PlacePolicy::foreseen, measured(steps));
  EXPECT_TRUE(longer.allocate_lowest(64));
  EXPECT_FALSE(longer.allocate_stream(64)) << "one more than was measured";
  ScratchpadMap small(32, PlacePolicy::foreseen, measured(steps));
  EXPECT_FALSE(small.allocate_lowest(64)) << "no room";
}

TEST(ScratchpadMap, SumsLeaveThePlacesThatWereFreeForLong) {
  std::optional<std::uint32_t> old, sum, weights;
  const auto steps = [&](ScratchpadMap& map) {
    old = map.allocate_stream(64);
    map.release(old.value(), 64);
    const auto apart = map.allocate_stream(64);  // keeps the next from joining the first
    const auto young = map.allocate_stream(128);
    map.release(young.value(), 128);
    for (int i = 0; i < 30; ++i) {  // so that nothing was released only just
      const auto one = map.allocate_stream(32);
      map.release(one.value(), 32);
    }
    sum = map.allocate_sum(64);
    weights = map.allocate_stream(64);
    map.release(apart.value(), 64);
  };
  ScratchpadMap map(4096, PlacePolicy::foreseen, measured(steps));
  steps(map);
  ASSERT_TRUE(sum && weights);
  EXPECT_NE(*sum, *weights);
  EXPECT_GE(*weights, 256u) << "never used before";
  EXPECT_LT(*sum, 1024u + 256u) << "used before";
}

/// Any sequence: what is alive at the same time never overlaps, and long-lived data lies where it was
/// measured.
TEST(ScratchpadMap, NothingAliveOverlaps) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const auto steps = [seed](ScratchpadMap& map) {
      Rng rng(seed, 0);
      std::map<std::uint32_t, std::uint32_t> alive;  // address: bytes
      for (int step = 0; step < 300; ++step) {
        if (!alive.empty() && rng.below(2) == 0) {
          auto gone = alive.begin();  // by size and not by address: the same in every map
          for (auto it = alive.begin(); it != alive.end(); ++it)
            if (it->second > gone->second) gone = it;
          map.release(gone->first, gone->second);
          alive.erase(gone);
          continue;
        }
        const auto bytes = static_cast<std::uint32_t>(32 * (1 + rng.below(64)) + step % 32);
        const auto kind = rng.below(3);
        const auto at = kind == 0   ? map.allocate_lowest(bytes)
                        : kind == 1 ? map.allocate_stream(bytes)
                                    : map.allocate_sum(bytes);
        if (!at) return false;
        for (const auto& [begin, size] : alive)
          EXPECT_TRUE(*at + bytes <= begin || begin + ScratchpadMap::aligned(size) <= *at) << "seed " << seed;
        alive[*at] = bytes;
      }
      return true;
    };
    ScratchpadMap measuring(1u << 24, PlacePolicy::measure);
    ASSERT_TRUE(steps(measuring));
    ScratchpadMap map(1u << 17, PlacePolicy::foreseen, measuring.uses());
    ASSERT_TRUE(steps(map)) << "seed " << seed;
    for (std::size_t i = 0; i < map.uses().size(); ++i)
      if (map.uses()[i].long_lived) {
        EXPECT_EQ(map.uses()[i].address, measuring.uses()[i].address);
      }
  }
}

}  // namespace
}  // namespace dfsim
