// The inter-stage cost model: hand-counted schedules, and the period that long schedules settle at.
#include "planner/cost/pipeline.h"

#include <gtest/gtest.h>

#include "sim/base/rng.h"

namespace dfsim {
namespace {

TEST(Pipeline, StagesOnDifferentGroupsOverlap) {
  // 10 then 15 cycles: the first period ends at 25, then every 15.
  const std::vector<ScheduledStage> stages{{10, 10, 0}, {15, 15, 1}};
  const std::vector<ScheduledTransfer> transfers{{0, 1, 0, 0}};
  EXPECT_EQ(schedule(stages, transfers, 4), (std::vector<double>{25, 40, 55, 70}));
  EXPECT_EQ(estimate(stages, transfers), (Estimate{15, 25}));
}

TEST(Pipeline, StagesOnOneGroupTakeTurns) {
  const std::vector<ScheduledStage> stages{{10, 10, 0}, {15, 15, 0}};
  const std::vector<ScheduledTransfer> transfers{{0, 1, 0, 0}};
  EXPECT_EQ(estimate(stages, transfers), (Estimate{25, 25}));
}

TEST(Pipeline, TransfersAddToTheLatencyAndMayLimitThePeriod) {
  const std::vector<ScheduledStage> stages{{10, 8, 0}, {15, 12, 1}};
  EXPECT_EQ(estimate(stages, {{0, 1, 5, 4}}), (Estimate{12, 30}));
  EXPECT_EQ(estimate(stages, {{0, 1, 25, 20}}), (Estimate{20, 50}));
}

TEST(Pipeline, LatencyFollowsTheLongestPath) {
  // stage 0 feeds 1 and 2, both feed 3; 1 and 2 work at the same time.
  const std::vector<ScheduledStage> stages{{1, 1, 0}, {7, 7, 1}, {4, 4, 2}, {2, 2, 3}};
  const std::vector<ScheduledTransfer> transfers{{0, 1, 0, 0}, {0, 2, 0, 0}, {1, 3, 0, 0}, {2, 3, 0, 0}};
  EXPECT_EQ(estimate(stages, transfers), (Estimate{7, 10}));
}

TEST(Pipeline, LongSchedulesSettleAtThePeriod) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    Rng rng(seed);
    const auto count = static_cast<std::uint32_t>(1 + rng.below(5));
    std::vector<ScheduledStage> stages;
    std::vector<ScheduledTransfer> transfers;
    std::uint32_t group = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i > 0 && rng.below(2) == 0) ++group;
      const auto period = static_cast<double>(1 + rng.below(50));
      stages.push_back({period + static_cast<double>(rng.below(20)), period, group});
      if (i == 0) continue;
      const auto wire = static_cast<double>(rng.below(30));
      transfers.push_back({i - 1, i, wire + 3, wire});
    }
    const std::uint32_t periods = 150;
    const std::vector<double> done = schedule(stages, transfers, periods);
    const Estimate value = estimate(stages, transfers);
    EXPECT_GE(done.front(), value.latency_cycles);  // later periods may come between
    // Work conserving: never faster than the busiest resource, and as fast in the long run.
    EXPECT_GE(done.back(), value.period_cycles * (periods - 1));
    EXPECT_NEAR((done[149] - done[49]) / 100, value.period_cycles, 0.03 * value.period_cycles) << seed;
  }
}

}  // namespace
}  // namespace dfsim
