#include "planner/lower/tile_chain.h"

#include <gtest/gtest.h>

#include <deque>

#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {
namespace {

using test::chip;
using test::mlp;
using test::rectangle;

/// matmul 0, relu 1, matmul 2, relu 3 of 64 x 64 on 2x2 PEs; axes b, m, n(, k) and b, m, n.
class TileChainTest : public ::testing::Test {
 protected:
  const OperatorMapping& map(std::uint32_t op, std::vector<std::uint32_t> spatial,
                             std::vector<std::uint32_t> temporal, OuterLoop outer = OuterLoop::features) {
    OperatorCandidate candidate;
    candidate.spatial = std::move(spatial);
    candidate.temporal = std::move(temporal);
    candidate.outer = outer;
    return mappings_.emplace_back(
        map_operator(graph_, hardware_, OpId(op), rectangle(0, 0, 2, 2), candidate, 0, 1));
  }

  const HardwareSpec hardware_ = chip("mesh2x2.yaml");
  const Graph graph_ = mlp(2, 64, 64);
  std::deque<OperatorMapping> mappings_;
  TileChain chain_{graph_};
};

using Tiles = std::vector<TileChain::Tile>;

TEST_F(TileChainTest, AVectorOperatorFollowsTileByTile) {
  ASSERT_TRUE(chain_.add(OpId(0), map(0, {1, 4, 1, 1}, {1, 2, 1, 1})));
  ASSERT_TRUE(chain_.add(OpId(1), map(1, {1, 4, 1}, {1, 2, 1})));
  EXPECT_EQ(chain_.order(), (Tiles{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
}

TEST_F(TileChainTest, ATileWaitsForAllThatItReads) {
  // The matmul makes columns, the relu reads rows: all columns are needed for the first row.
  ASSERT_TRUE(chain_.add(OpId(0), map(0, {1, 4, 1, 1}, {1, 1, 2, 1})));
  ASSERT_TRUE(chain_.add(OpId(1), map(1, {1, 4, 1}, {1, 2, 1})));
  EXPECT_EQ(chain_.order(), (Tiles{{0, 0}, {0, 1}, {1, 0}, {1, 1}}));
}

TEST_F(TileChainTest, RowsOutermostAreCompleteEarly) {
  ASSERT_TRUE(chain_.add(OpId(0), map(0, {1, 4, 1, 1}, {1, 2, 2, 1}, OuterLoop::rows)));
  ASSERT_TRUE(chain_.add(OpId(1), map(1, {1, 4, 1}, {1, 2, 1})));
  EXPECT_EQ(chain_.order(), (Tiles{{0, 0}, {0, 1}, {1, 0}, {0, 2}, {0, 3}, {1, 1}}));
}

TEST_F(TileChainTest, WhatAnotherPeMakesIsNotFollowed) {
  ASSERT_TRUE(chain_.add(OpId(0), map(0, {1, 4, 1, 1}, {1, 2, 1, 1})));
  EXPECT_FALSE(chain_.add(OpId(1), map(1, {1, 2, 2}, {1, 2, 1})));
  EXPECT_EQ(chain_.size(), 1u);
}

TEST_F(TileChainTest, SharesOfASplitReductionAreFollowed) {
  // Two partners each keep half of the rows of their sum.
  ASSERT_TRUE(chain_.add(OpId(0), map(0, {1, 2, 1, 2}, {1, 1, 2, 1})));
  ASSERT_TRUE(chain_.add(OpId(1), map(1, {1, 4, 1}, {1, 1, 2})));
  EXPECT_EQ(chain_.order(), (Tiles{{0, 0}, {1, 0}, {0, 1}, {1, 1}}));
}

TEST_F(TileChainTest, TheMatrixUnitTakesOneOperatorAfterTheOther) {
  ASSERT_TRUE(chain_.add(OpId(1), map(1, {1, 4, 1}, {1, 2, 1})));
  EXPECT_FALSE(chain_.add(OpId(2), map(2, {1, 4, 1, 1}, {1, 2, 1, 1})));
}

TEST_F(TileChainTest, WhatReadsNothingOfTheChainDoesNotFollow) {
  ASSERT_TRUE(chain_.add(OpId(0), map(0, {1, 4, 1, 1}, {1, 2, 1, 1})));
  EXPECT_FALSE(chain_.add(OpId(3), map(3, {1, 4, 1}, {1, 2, 1})));
}

}  // namespace
}  // namespace dfsim
