// Prices asked of worker processes, with a runner that makes measurements up: what is read off a measurement,
// limits, fill periods of whole plans, and that the number of workers does not matter.
#include "planner/cost/simulated.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/cost/cached.h"
#include "planner/cost/program_hash.h"
#include "planner/lower/lower.h"
#include "sim/api/program_runner.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {

namespace {

using namespace test;

/// A period takes as many cycles as there are micro-ops; the first takes 10 more, and every period after it
/// `ramp` more than the next, until period 4.
class MadeUpRunner final : public ProgramRunner {
 public:
  MadeUpRunner(const HardwareSpec& hardware, std::uint64_t ramp, std::uint64_t busiest)
      : hardware_(hardware), ramp_(ramp), busiest_(busiest) {}

  RunOutcome run(const Program& program, const RunLimit& limit, Observer*) override {
    std::uint64_t length = 0;
    for (const PeProgram& pe : program.pes) length += pe.ops.size();
    RunOutcome outcome;
    std::uint64_t now = 10;
    for (std::uint32_t p = 0; p < program.periods; ++p) {
      const std::uint64_t start = now;
      now += length + (p < 4 ? ramp_ * (4 - p) : 0);
      outcome.measurement.period_done_cycles.push_back(now);
      if (p == 0) {
        outcome.measurement.stage_period_start_cycles.resize(program.stages.size());
        outcome.measurement.stage_period_done_cycles.resize(program.stages.size());
      }
      for (std::size_t s = 0; s < program.stages.size(); ++s) {
        outcome.measurement.stage_period_start_cycles[s].push_back(start + 1 + s);
        outcome.measurement.stage_period_done_cycles[s].push_back(now);
      }
    }
    const auto& done = outcome.measurement.period_done_cycles;
    const std::uint64_t last = done.back() - done[done.size() - 2];
    if ((limit.first_period_cycles && done.front() > limit.first_period_cycles) ||
        (limit.last_period_cycles && last > limit.last_period_cycles))
      outcome.status = RunStatus::limit_reached;
    outcome.measurement.busiest_unit_cycles = busiest_;
    return outcome;
  }
  const HardwareSpec& hardware() const override { return hardware_; }

 private:
  const HardwareSpec& hardware_;
  std::uint64_t ramp_, busiest_;
};

class Simulated : public testing::Test {
 protected:
  WorkerPool pool(std::uint32_t workers, std::uint64_t ramp = 0, std::uint64_t busiest = 0) const {
    return {workers,
            make_pricing_handler(
                graph_, hardware_,
                [this, ramp, busiest] { return std::make_unique<MadeUpRunner>(hardware_, ramp, busiest); },
                options_)};
  }
  Stage matmul(std::uint32_t layer, std::vector<std::uint32_t> parts, std::uint32_t row = 0) const {
    Stage stage;
    stage.name = graph_.op(OpId(layer)).name;
    stage.operators = {OpId(layer)};
    stage.group = rectangle(0, row, 4, 2);
    stage.strategy.operators = {
        {std::move(parts), {1, 1, 1, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features}};
    return stage;
  }
  Stage relu(std::uint32_t layer, std::vector<std::uint32_t> parts) const {
    Stage stage = matmul(layer, {});
    stage.strategy.operators = {
        {std::move(parts), {1, 1, 1}, {0, 1, 2}, PeOrder::row_major, OuterLoop::features}};
    return stage;
  }
  std::uint64_t micro_ops(const Stage& stage) const {
    LowerOptions options;
    options.samples = options_.samples;
    const auto program = lower_stage(graph_, hardware_, stage, options);
    std::uint64_t count = 0;
    for (const PeProgram& pe : program->pes) count += pe.ops.size();
    return count;
  }

  HardwareSpec hardware_ = chip("mesh4x4.yaml");
  Graph graph_ = mlp(3, 64, 128);
  PricingOptions options_;
};

TEST_F(Simulated, ReadsLatencyAndLastPeriodOffTheMeasurement) {
  WorkerPool workers = pool(1);
  SimulatedOracle oracle(workers, options_);
  const Stage stage = matmul(2, {8, 1, 1, 1});
  const PriceAnswer answer = oracle.price_stages({stage}, {})[0];
  EXPECT_EQ(answer.status, PriceStatus::executed);
  EXPECT_EQ(answer.price, (StagePrice{micro_ops(stage) + 10, micro_ops(stage)}));
  EXPECT_EQ(answer.program_hash.size(), 32u);
}

TEST_F(Simulated, CountsTheBusiestUnitIfItIsBusierThanThePeriodIsLong) {
  WorkerPool workers = pool(1, 0, 100'000);
  SimulatedOracle oracle(workers, options_);
  const Stage stage = matmul(2, {8, 1, 1, 1});
  EXPECT_EQ(oracle.price_stages({stage}, {})[0].price.period_cycles, 33'334u);
  EXPECT_EQ(oracle.price_stages({stage}, {0, 33'333})[0].status, PriceStatus::stopped);
  EXPECT_EQ(oracle.price_stages({stage}, {0, 33'334})[0].status, PriceStatus::executed);
}

TEST_F(Simulated, StopsWhatExceedsTheLimitOfItsComponent) {
  WorkerPool workers = pool(1);
  SimulatedOracle oracle(workers, options_);
  const Stage stage = matmul(2, {8, 1, 1, 1});
  const std::uint64_t period = micro_ops(stage);
  EXPECT_EQ(oracle.price_stages({stage}, {0, period})[0].status, PriceStatus::executed);
  EXPECT_EQ(oracle.price_stages({stage}, {0, period - 1})[0].status, PriceStatus::stopped);
  EXPECT_EQ(oracle.price_stages({stage}, {period + 10, 0})[0].status, PriceStatus::executed);
  EXPECT_EQ(oracle.price_stages({stage}, {period + 9, 0})[0].status, PriceStatus::stopped);
}

TEST_F(Simulated, SaysWhatDoesNotFit) {
  hardware_.pe.scratchpad.bytes = Bytes(4096);
  WorkerPool workers = pool(1);
  SimulatedOracle oracle(workers, options_);
  const PriceAnswer answer = oracle.price_stages({matmul(2, {8, 1, 1, 1})}, {})[0];
  EXPECT_EQ(answer.status, PriceStatus::infeasible);
  EXPECT_NE(answer.reason.find("fc1"), std::string::npos) << answer.reason;
}

TEST_F(Simulated, TransfersOfNothingTakeNoTime) {
  WorkerPool workers = pool(1);
  SimulatedOracle oracle(workers, options_);
  const Stage producer = matmul(2, {8, 1, 1, 1});
  const auto answers =
      oracle.price_transfers({{producer, relu(3, {8, 1, 1})}, {producer, relu(3, {1, 8, 1})}});
  EXPECT_EQ(answers[0].price, (StagePrice{0, 0}));
  EXPECT_GT(answers[1].price.period_cycles, 0u);
}

TEST_F(Simulated, RaisesTheFillUntilThePeriodsAreEqual) {
  Plan plan;
  plan.stages = {matmul(0, {4, 2, 1, 1}), matmul(2, {4, 2, 1, 1}, 2)};
  {
    WorkerPool workers = pool(1);
    const PlanAnswer answer = SimulatedOracle(workers, options_).measure_plans({plan})[0];
    EXPECT_EQ(answer.status, PriceStatus::executed);
    EXPECT_EQ(answer.fill_periods, 1u) << "two groups";
    EXPECT_EQ(answer.period_done_cycles.size(), 4u);
    ASSERT_EQ(answer.stage_period_cycles.size(), 2u);
    EXPECT_EQ(answer.stage_period_cycles[1] + 2, answer.period_cycles()) << "from its own start to its end";
  }
  WorkerPool workers = pool(1, 1000);
  const PlanAnswer answer = SimulatedOracle(workers, options_).measure_plans({plan})[0];
  EXPECT_EQ(answer.fill_periods, 3u) << "1, then 3";
  EXPECT_EQ(answer.latency_cycles(), answer.period_done_cycles.front());
}

TEST_F(Simulated, AnswersTheSameWithOneOrTwoWorkers) {
  std::vector<Stage> stages;
  for (const std::uint32_t layer : {0u, 2u, 4u})
    for (const std::vector<std::uint32_t>& parts :
         {std::vector<std::uint32_t>{8, 1, 1, 1}, {4, 2, 1, 1}, {2, 2, 2, 1}, {1, 1, 4, 2}})
      stages.push_back(matmul(layer, parts));
  std::vector<std::vector<std::string>> texts;
  for (const std::uint32_t count : {1u, 2u}) {
    WorkerPool workers = pool(count);
    SimulatedOracle simulated(workers, options_);
    CachedOracle oracle(simulated, graph_, hardware_, {}, {});
    texts.emplace_back();
    for (const PriceAnswer& answer : oracle.price_stages(stages, {0, 60}))
      texts.back().push_back(to_text(answer) + (answer.reused ? " reused" : ""));
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST_F(Simulated, GivesEqualProgramsEqualHashes) {
  const auto hash = [&](const Stage& stage) {
    const auto program = lower_stage(graph_, hardware_, stage, {});
    return program_hash(*program, hardware_);
  };
  EXPECT_EQ(hash(matmul(2, {4, 2, 1, 1})), hash(matmul(4, {4, 2, 1, 1}))) << "equal layers";
  EXPECT_EQ(hash(matmul(2, {4, 2, 1, 1}, 0)), hash(matmul(2, {4, 2, 1, 1}, 2))) << "at another place";
  EXPECT_NE(hash(matmul(2, {4, 2, 1, 1})), hash(matmul(2, {2, 4, 1, 1})));
  EXPECT_NE(hash(matmul(2, {4, 2, 1, 1})), hash(matmul(0, {4, 2, 1, 1}))) << "its input comes from DRAM";
}

TEST(PriceMessages, ReadBackExactly) {
  PriceRequest request;
  request.kind = PriceRequest::Kind::transfer;
  request.samples = 5;
  request.limit = {7, 9};
  Stage stage;
  stage.name = "x y";
  stage.operators = {OpId(3)};
  stage.group = rectangle(1, 2, 3, 4);
  stage.strategy.operators = {{{1, 2}, {3, 4}, {1, 0}, PeOrder::snake, OuterLoop::rows}};
  request.stages = {stage, stage};
  EXPECT_EQ(price_request_from(to_text(request)), request);
  const PriceAnswer answer{PriceStatus::failed, {5, 6}, false, "hash", "deadlock: pe_0_0\n at 5"};
  const PriceAnswer read = price_answer_from(to_text(answer));
  EXPECT_EQ(read.status, answer.status);
  EXPECT_EQ(read.price, answer.price);
  EXPECT_EQ(read.reason, answer.reason);
  EXPECT_THROW(price_answer_from("nonsense"), std::runtime_error);
}

}  // namespace

}  // namespace dfsim
