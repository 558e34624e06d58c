// The planning loop against doubles: rounds, end tests, proof, whole-plan runs.
#include "planner/loop/loop.h"

#include <gtest/gtest.h>

#include <set>

#include "planner/loop/planning_loop.h"
#include "tests/planner/inter_stage/table_cost.h"
#include "tests/planner/loop/fakes.h"

namespace dfsim {
namespace {

using testing::bare_mesh;
using testing::chain;
using testing::FakeChip;
using testing::FakeIntra;
using testing::FakeOracle;

struct Scenario {
  Graph graph = chain({12, 24, 24, 36});
  HardwareSpec hardware = bare_mesh(4, 2);
  FakeChip chip;
  LoopOptions options;
  LoopEvents events;
  bool reused = false;
  std::string optimizer = "dp";
  std::vector<StageProposal> asked;
  std::vector<Plan> run_whole;

  Result<PlanningResult, Infeasible> run() {
    const FakeIntra intra(chip, reused);
    FakeOracle oracle(graph, chip, reused);
    const auto inter = InterStageRegistry::instance().make(optimizer);
    const auto result =
        plan_with_bound(graph, hardware, *inter, intra, oracle, options, events,
                        [this](const StageProposal& stage) { return chip.bound(graph, stage); });
    asked = intra.asked;
    run_whole = oracle.run_whole;
    return result;
  }
};

TEST(PlanningLoop, ConvergesAndProvesTheOptimum) {
  Scenario scenario;
  scenario.options.max_rounds = 200;
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->stopped, StopReason::converged);
  EXPECT_TRUE(result->optimal);
  EXPECT_EQ(result->gap, 0);
  double best = 1e18;
  for (const RoundRecord& round : result->rounds)
    if (round.cost_out > 0) best = std::min(best, round.cost_out);
  double bound = 0;
  for (const RoundRecord& round : result->rounds) bound = std::max(bound, round.bound);
  EXPECT_EQ(best, bound);
}

TEST(PlanningLoop, StartsNeutralAndThenUsesMeasurementsAndBounds) {
  Scenario scenario;
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  ASSERT_GE(result->rounds.size(), 3u);
  for (const RoundRecord& round : result->rounds)
    for (const RoundStage& stage : round.stages)
      EXPECT_EQ(stage.basis == PriceBasis::preset, round.round == 1) << round.round;
  for (std::size_t i = 0; i < result->rounds.size(); ++i) EXPECT_EQ(result->rounds[i].round, i + 1);
}

TEST(PlanningLoop, RunsPlansWithOneAndWithSeveralStagesWhole) {
  for (const Objective objective : {Objective::interval, Objective::latency}) {
    Scenario scenario;
    scenario.options.goal.objective = objective;
    const auto result = scenario.run();
    ASSERT_TRUE(result.ok());
    std::set<bool> several;
    for (const WholePlanRun& run : result->whole_runs) several.insert(run.plan.stages.size() > 1);
    EXPECT_EQ(several.size(), 2u);
    EXPECT_GE(result->whole_runs.size(), 3u);
    EXPECT_LE(result->whole_runs.size(), 5u);
    EXPECT_EQ(scenario.run_whole.size(), result->whole_runs.size());
    const auto cycles = [&](const WholePlanRun& run) {
      return objective == Objective::interval ? run.answer.period_cycles()
                                              : static_cast<double>(run.answer.latency_cycles());
    };
    for (const WholePlanRun& run : result->whole_runs) EXPECT_GE(cycles(run), cycles(result->winner));
    EXPECT_EQ(result->plan, result->winner.plan);
    EXPECT_EQ(result->prices.size(), result->plan.stages.size());
  }
}

TEST(PlanningLoop, PrintsTheGapWhenStoppedEarly) {
  Scenario scenario;
  scenario.options.max_rounds = 3;
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->stopped, StopReason::max_rounds);
  EXPECT_FALSE(result->optimal);
  EXPECT_GT(result->gap, 0);
  EXPECT_LT(result->gap, 0.3);  // the chip's loss is 0.2, and a few cycles
}

TEST(PlanningLoop, PricesEqualStagesOnce) {
  Scenario scenario;
  scenario.graph = chain(std::vector<std::uint32_t>(8, 16));
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  std::set<std::pair<std::string, std::pair<std::uint32_t, std::uint32_t>>> keys;
  for (const StageProposal& stage : scenario.asked) {
    const Submesh& box = stage.group.submeshes[0];
    EXPECT_TRUE(keys.insert({scenario.graph.signature(stage.operators), {box.width, box.height}}).second);
  }
}

TEST(PlanningLoop, DoesNotDependOnWhatWasReused) {
  Scenario cold, warm;
  warm.reused = true;
  const auto a = cold.run(), b = warm.run();
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_EQ(a->plan, b->plan);
  ASSERT_EQ(a->rounds.size(), b->rounds.size());
  for (std::size_t i = 0; i < a->rounds.size(); ++i) {
    EXPECT_EQ(a->rounds[i].cost_in, b->rounds[i].cost_in);
    EXPECT_EQ(a->rounds[i].cost_out, b->rounds[i].cost_out);
    EXPECT_EQ(a->rounds[i].bound, b->rounds[i].bound);
    EXPECT_EQ(a->rounds[i].candidates, b->rounds[i].candidates);
  }
  EXPECT_EQ(a->candidates.size(), b->candidates.size());
  EXPECT_EQ(a->rounds[0].reused, 0u);
  EXPECT_GT(b->rounds[0].reused, 0u);
}

TEST(PlanningLoop, TurnsToLargerGroupsWhenStagesDoNotFit) {
  Scenario scenario;
  scenario.chip.least_pes = 4;
  scenario.options.max_rounds = 40;
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  for (const Stage& stage : result->plan.stages) EXPECT_GE(stage.group.size(), 4u);
}

TEST(PlanningLoop, ReportsTheClosestMissWhenNothingFits) {
  Scenario scenario;
  scenario.chip.least_pes = 9;
  const auto result = scenario.run();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.reason().demand, 9u);
  EXPECT_EQ(result.reason().limit, 8u);
  EXPECT_EQ(result.reason().lever, "use a larger group");
}

TEST(PlanningLoop, StopsBelowTheTarget) {
  Scenario scenario;
  scenario.options.stop_below_cycles = 1u << 30;
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->stopped, StopReason::below_target);
  EXPECT_EQ(result->rounds.size(), 1u);
}

TEST(PlanningLoop, KeepsTheBestPlanWhenInterrupted) {
  Scenario scenario;
  int rounds = 0;
  scenario.events.round_ended = [&](const RoundRecord&) { ++rounds; };
  scenario.events.interrupted = [&] { return rounds >= 2; };
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->stopped, StopReason::interrupted);
  EXPECT_FALSE(result->plan.stages.empty());
  EXPECT_TRUE(scenario.run_whole.empty());
  EXPECT_EQ(result->winner.answer.status, PriceStatus::stopped);
}

TEST(PlanningLoop, InterruptedBeforeAnythingWasMeasuredHasNoPlan) {
  Scenario scenario;
  scenario.events.interrupted = [] { return true; };
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->stopped, StopReason::interrupted);
  EXPECT_TRUE(result->plan.stages.empty());
}

TEST(PlanningLoop, LetsContentionSeenInWholeRunsDecide) {
  Scenario scenario;
  scenario.chip.whole_loss = 1.5;
  scenario.options.max_rounds = 200;
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->plan.stages.size(), 1u);  // pipelines suffer more than the stages alone let expect
}

TEST(PlanningLoop, DoesWithoutTransfersThatCannotBeMade) {
  Scenario scenario;
  scenario.chip.transfers_possible = false;
  scenario.options.max_rounds = 100;
  const auto result = scenario.run();
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->plan.stages.size(), 1u);
}

TEST(PlanningLoop, FindsTheSameOptimumWithExhaustiveSearch) {
  Scenario dp, exhaustive;
  dp.options.max_rounds = exhaustive.options.max_rounds = 300;
  exhaustive.optimizer = "exhaustive";
  const auto a = dp.run(), b = exhaustive.run();
  ASSERT_TRUE(a.ok() && b.ok());
  EXPECT_TRUE(a->optimal && b->optimal);
  EXPECT_EQ(a->winner.answer.period_cycles(), b->winner.answer.period_cycles());
}

}  // namespace
}  // namespace dfsim
