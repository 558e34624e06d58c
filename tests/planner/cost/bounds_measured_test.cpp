// Bounds against the simulator: no measurement of a candidate falls below its bound.
#include <gtest/gtest.h>

#include "planner/cost/lower_bound.h"
#include "planner/cost/price_messages.h"
#include "planner/cost/simulated.h"
#include "planner/intra_stage/optimizer.h"
#include "sim/api/program_runner.h"
#include "sim/system/system.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {

namespace {

using namespace test;

/// Runs the worker's handler in this process.
class DirectOracle final : public CostOracle {
 public:
  DirectOracle(const Graph& graph, const HardwareSpec& hardware)
      : handler_(make_pricing_handler(graph, hardware, [&] { return make_program_runner(hardware); }, {})()) {
  }

  std::vector<PriceAnswer> price_stages(const std::vector<Stage>& stages, const PriceLimit& limit) override {
    std::vector<PriceAnswer> answers;
    for (const Stage& stage : stages) answers.push_back(ask({PriceRequest::Kind::stage, {stage}, 8, limit}));
    return answers;
  }
  std::vector<PriceAnswer> price_transfers(const std::vector<std::pair<Stage, Stage>>& pairs) override {
    std::vector<PriceAnswer> answers;
    for (const auto& [from, to] : pairs)
      answers.push_back(ask({PriceRequest::Kind::transfer, {from, to}, 8, {}}));
    return answers;
  }
  std::vector<PlanAnswer> measure_plans(const std::vector<Plan>& plans) override {
    return std::vector<PlanAnswer>(plans.size());
  }

 private:
  PriceAnswer ask(const PriceRequest& request) { return price_answer_from(handler_(to_text(request))); }
  WorkerPool::Handler handler_;
};

void expect_bounds_hold(const Graph& graph, const HardwareSpec& hardware, const PeGroup& group, int least) {
  DirectOracle oracle(graph, hardware);
  const LowerBounds bounds(graph, hardware, 8);
  const StageProposal proposal = whole(graph, group);
  IntraStageOptions options;
  options.prune = PruneMode::none;
  const auto result =
      IntraStageRegistry::instance().make("two_level")->optimize(graph, hardware, proposal, oracle, options);
  ASSERT_TRUE(result.ok()) << result.reason().to_string();
  int checked = 0;
  for (const CandidateRecord& record : result->records) {
    if (record.status != CandidateStatus::executed) continue;
    const StagePrice bound = record.level == CandidateLevel::reslice
                                 ? bounds.transfer(record.candidate, record.consumer)
                                 : bounds.stage(record.candidate);
    EXPECT_LE(bound.period_cycles, record.price.period_cycles) << record.candidate.name << " " << record.id;
    EXPECT_LE(bound.latency_cycles, record.price.latency_cycles) << record.candidate.name << " " << record.id;
    ++checked;
  }
  EXPECT_GE(checked, least);
  const StagePrice bound = bounds.proposal(proposal);
  EXPECT_LE(bound.period_cycles, result->price.period_cycles);
  EXPECT_LE(bound.latency_cycles, result->price.latency_cycles);
}

// One case each: the kernel elaborates once per process.
TEST(MeasuredBounds, HoldForAPerceptron) {
  expect_bounds_hold(mlp(2, 48, 96), chip("mesh2x2.yaml"), rectangle(0, 0, 2, 2), 20);
}
TEST(MeasuredBounds, HoldOnOddShapesAndGroups) {
  expect_bounds_hold(mlp(2, 13, 101), chip("mesh4x4.yaml"), rectangle(1, 0, 3, 2), 20);
}
TEST(MeasuredBounds, HoldForAnEncoderLayer) {
  expect_bounds_hold(encoder(1, 32, 64, 4), chip("mesh4x4.yaml"), rectangle(0, 0, 4, 2), 40);
}

}  // namespace

}  // namespace dfsim
