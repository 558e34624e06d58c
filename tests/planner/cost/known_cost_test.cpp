// What the loop knows of prices: preset, bound, measured; equal stages share.
#include "planner/cost/known_cost.h"

#include <gtest/gtest.h>

#include <cmath>

#include <limits>

#include "planner/cost/pipeline.h"
#include "tests/planner/inter_stage/table_cost.h"

namespace dfsim {
namespace {

using testing::bare_mesh;
using testing::chain;

constexpr double kForever = std::numeric_limits<double>::infinity();

class KnownCostTest : public ::testing::Test {
 protected:
  StageProposal stage(std::vector<std::uint32_t> ops, Submesh box) const {
    StageProposal result;
    for (const std::uint32_t op : ops) result.operators.push_back(OpId(op));
    result.group.submeshes = {box};
    return result;
  }
  static Submesh box(std::uint32_t x, std::uint32_t y, std::uint32_t w, std::uint32_t h) {
    return {NocId(0), x, y, 0, w, h, 1};
  }
  Graph graph_ = chain({5, 5, 5, 7});  // layers 1 and 2 are equal; 0 reads the input, 3 makes the output
  HardwareSpec hardware_ = bare_mesh(8, 8);
  KnownCost cost_{graph_, hardware_, [](const StageProposal& s) {
                    return StagePrice{100 * s.operators.size(), 50};
                  }};
};

TEST_F(KnownCostTest, TheFirstRoundIsNeutral) {
  const KnownPrice small = cost_.stage(stage({0}, box(0, 0, 1, 1)));
  EXPECT_EQ(small.basis, PriceBasis::preset);
  EXPECT_EQ(cost_.stage(stage({0}, box(0, 0, 8, 8))).period_cycles, small.period_cycles);
  EXPECT_EQ(cost_.stage(stage({0, 1, 2}, box(0, 0, 1, 1))).period_cycles, 3 * small.period_cycles);
}

TEST_F(KnownCostTest, BoundsStandInUntilMeasured) {
  cost_.forget_preset();
  const StageProposal one = stage({1}, box(0, 0, 4, 4));
  EXPECT_EQ(cost_.stage(one).basis, PriceBasis::bound);
  EXPECT_EQ(cost_.stage(one).latency_cycles, 100);
  cost_.set_measured(one, {130, 70});
  EXPECT_EQ(cost_.stage(one).basis, PriceBasis::measured);
  EXPECT_EQ(cost_.stage(one).period_cycles, 70);
}

TEST_F(KnownCostTest, EqualStagesShareAPrice) {
  cost_.forget_preset();
  cost_.set_measured(stage({1}, box(0, 0, 4, 2)), {130, 70});
  EXPECT_TRUE(cost_.measured(stage({2}, box(4, 6, 4, 2))));
  EXPECT_FALSE(cost_.measured(stage({2}, box(0, 0, 2, 4))));  // turned: another way to the memory ports
  EXPECT_FALSE(cost_.measured(stage({3}, box(0, 0, 4, 2))));
}

TEST_F(KnownCostTest, WhatDoesNotFitRulesOutMoreWorkOnLessSpace) {
  cost_.forget_preset();
  cost_.set_infeasible(stage({0, 1}, box(0, 0, 4, 2)));
  const auto never = [&](const StageProposal& s) { return cost_.stage(s).period_cycles == kForever; };
  EXPECT_TRUE(never(stage({0, 1}, box(4, 0, 4, 2))));
  EXPECT_TRUE(never(stage({0, 1}, box(0, 0, 2, 2))));
  // One that goes on need not keep what operator 1 makes.
  EXPECT_FALSE(never(stage({0, 1, 2}, box(0, 0, 2, 2))));
  EXPECT_FALSE(never(stage({0}, box(0, 0, 4, 2))));
  EXPECT_FALSE(never(stage({0, 1}, box(0, 0, 4, 4))));
}

TEST_F(KnownCostTest, LikelyPricesFollowWhatStagesLikeThemMeasured) {
  cost_.forget_preset();
  const LikelyCost likely(cost_, 1), lucky(cost_, 0.5);
  const StageProposal other = stage({3}, box(0, 0, 4, 2));
  const double bound = cost_.stage(other).period_cycles;
  EXPECT_EQ(likely.stage(other).period_cycles, bound);
  const StageProposal one = stage({1}, box(0, 0, 4, 2));
  const auto twice = static_cast<std::uint64_t>(2 * cost_.stage(one).period_cycles);
  cost_.set_measured(one, {3 * twice, twice});
  EXPECT_DOUBLE_EQ(likely.stage(one).period_cycles, static_cast<double>(twice));
  EXPECT_DOUBLE_EQ(likely.stage(other).period_cycles, 2 * bound);
  EXPECT_EQ(likely.stage(other).basis, PriceBasis::bound);
  EXPECT_DOUBLE_EQ(likely.stage(stage({3}, box(0, 0, 4, 4))).period_cycles,
                   2 * cost_.stage(stage({3}, box(0, 0, 4, 4))).period_cycles);
  EXPECT_NEAR(lucky.stage(other).period_cycles, std::sqrt(2) * bound, 1e-6 * bound);
  // A stage on a much larger group says little about one on this.
  const StageProposal large = stage({2}, box(0, 0, 8, 8));
  cost_.set_measured(large, {9, 8 * static_cast<std::uint64_t>(cost_.stage(large).period_cycles)});
  EXPECT_GT(likely.stage(other).period_cycles, 2 * bound);
  EXPECT_LT(likely.stage(other).period_cycles, 2.1 * bound);
}

TEST_F(KnownCostTest, TransfersArePricedByTensorsAndDistance) {
  cost_.forget_preset();
  const StageProposal a = stage({1}, box(0, 0, 4, 4)), b = stage({2}, box(4, 0, 4, 4));
  EXPECT_EQ(cost_.transfer(a, b).basis, PriceBasis::bound);
  EXPECT_EQ(cost_.transfer(a, b).period_cycles, 0);
  cost_.set_measured(a, b, {9, 6});
  EXPECT_EQ(cost_.transfer(a, b).period_cycles, 6);
  EXPECT_FALSE(cost_.measured(a, stage({2}, box(0, 4, 4, 4))));
  const InterStageStrategy strategy{{a, b}};
  EXPECT_EQ(connected_stages(graph_, strategy).size(), 1u);
  EXPECT_EQ(estimate(graph_, strategy, cost_).latency_cycles, 209);
  EXPECT_EQ(estimate(graph_, strategy, cost_, TransferPrices::left_out).latency_cycles, 200);
}

TEST_F(KnownCostTest, WholePlanRunsReplaceTheLonePrice) {
  cost_.forget_preset();
  const StageProposal one = stage({1}, box(0, 0, 4, 4));
  cost_.set_measured(one, {130, 70});
  cost_.set_seen(one, 90);
  EXPECT_EQ(cost_.stage(one).period_cycles, 90);
  cost_.set_seen(one, 80);
  EXPECT_EQ(cost_.stage(one).period_cycles, 80);
}

TEST_F(KnownCostTest, ViewsHidePrices) {
  cost_.forget_preset();
  const StageProposal part = stage({1}, box(0, 0, 4, 4)), whole = stage({0, 1, 2, 3}, box(0, 0, 4, 4));
  EXPECT_EQ(MeasuredOnly(cost_).stage(part).period_cycles, kForever);
  EXPECT_EQ(OfKind(cost_, PlanKind::one_stage, 4).stage(part).period_cycles, kForever);
  EXPECT_EQ(OfKind(cost_, PlanKind::one_stage, 4).stage(whole).period_cycles, 50);
  EXPECT_EQ(OfKind(cost_, PlanKind::several_stages, 4).stage(whole).period_cycles, kForever);
}

}  // namespace
}  // namespace dfsim
