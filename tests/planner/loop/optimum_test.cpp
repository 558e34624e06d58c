// Random small networks on 2 x 4 PEs, every price simulated: dynamic programming finds what trying every plan
// finds, and pruning changes nothing. scripts/plan_random runs more cases.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <memory>

#include "planner/cost/price_messages.h"
#include "planner/cost/simulated.h"
#include "planner/loop/loop.h"
#include "sim/api/program_runner.h"
#include "sim/base/rng.h"
#include "sim/hw/hardware_config.h"
#include "sim/system/system.h"
#include "tests/planner/ops/build.h"

namespace dfsim {
namespace {

using namespace test;

/// The kernel elaborates once per process, so all graphs share one machine.
class SharedMachine final : public ProgramRunner {
 public:
  explicit SharedMachine(ProgramRunner& machine) : machine_(machine) {}
  RunOutcome run(const Program& program, const RunLimit& limit, Observer* observer) override {
    return machine_.run(program, limit, observer);
  }
  const HardwareSpec& hardware() const override { return machine_.hardware(); }

 private:
  ProgramRunner& machine_;
};

/// Answers from the simulator in this process; equal questions are run once.
class DirectOracle final : public CostOracle {
 public:
  DirectOracle(const Graph& graph, ProgramRunner& machine, const PricingOptions& options)
      : handler_(make_pricing_handler(
            graph, machine.hardware(), [&] { return std::make_unique<SharedMachine>(machine); }, options)()),
        options_(options) {}

  std::vector<PriceAnswer> price_stages(const std::vector<Stage>& stages, const PriceLimit& limit) override {
    std::vector<PriceAnswer> answers;
    for (const Stage& stage : stages)
      answers.push_back(
          price_answer_from(ask({PriceRequest::Kind::stage, {stage}, options_.samples, limit})));
    return answers;
  }
  std::vector<PriceAnswer> price_transfers(const std::vector<std::pair<Stage, Stage>>& pairs) override {
    std::vector<PriceAnswer> answers;
    for (const auto& [from, to] : pairs)
      answers.push_back(
          price_answer_from(ask({PriceRequest::Kind::transfer, {from, to}, options_.samples, {}})));
    return answers;
  }
  std::vector<PlanAnswer> measure_plans(const std::vector<Plan>& plans) override {
    std::vector<PlanAnswer> answers;
    for (const Plan& plan : plans)
      answers.push_back(plan_answer_from(ask({PriceRequest::Kind::plan, plan.stages, options_.samples, {}})));
    return answers;
  }

 private:
  std::string ask(const PriceRequest& request) {
    const std::string text = to_text(request);
    const auto [it, first] = answers_.emplace(text, "");
    if (first) it->second = handler_(text);
    return it->second;
  }
  WorkerPool::Handler handler_;
  PricingOptions options_;
  std::map<std::string, std::string> answers_;
};

/// Two to six operators behind one another, some with a second input from further back.
Graph random_graph(std::uint64_t seed) {
  Rng rng(seed, 77);
  const auto any = [&](std::initializer_list<std::uint32_t> list) {
    return list.begin()[rng.below(list.size())];
  };
  Graph graph;
  graph.name = fmt::format("random{}", seed);
  const std::uint32_t rows = any({4, 8, 13}), count = static_cast<std::uint32_t>(2 + rng.below(5));
  std::vector<TensorId> made{add_input(graph, "x", {rows, any({16, 24, 32})})};
  for (std::uint32_t i = 0; i < count; ++i) {
    const TensorRole role = i + 1 == count ? TensorRole::output : TensorRole::activation;
    const std::string name = fmt::format("op{}", i);
    std::vector<TensorId> inputs{made.back()};
    std::vector<TensorId> equal;
    for (const TensorId tensor : made)
      if (tensor != made.back() && graph.tensor(tensor).shape == graph.tensor(made.back()).shape)
        equal.push_back(tensor);
    OpId op;
    if (!equal.empty() && rng.below(2) == 0) {
      inputs.push_back(equal[rng.below(equal.size())]);
      op = add_operator(graph, "elementwise", inputs, {{"function", std::string("add")}}, name, role);
    } else if (rng.below(3) == 0) {
      op = add_operator(graph, "elementwise", inputs, {{"function", std::string("relu")}}, name, role);
    } else if (rng.below(4) == 0) {
      op = add_operator(graph, "layer_norm", inputs, {}, name, role);
    } else {
      op = add_operator(graph, "matmul", inputs, {{"out_features", std::int64_t{any({16, 24, 32, 40})}}},
                        name, role);
    }
    made.push_back(graph.op(op).outputs.front());
  }
  return graph;
}

double best_estimate(const PlanningResult& result) {
  double best = std::numeric_limits<double>::infinity();
  for (const RoundRecord& round : result.rounds)
    if (round.cost_out > 0) best = std::min(best, round.cost_out);
  return best;
}

int cases(int otherwise) {
  const char* stated = std::getenv("DFSIM_RANDOM_CASES");
  return stated ? std::atoi(stated) : otherwise;
}

TEST(SimulatedOptimum, DpEqualsExhaustiveAndPruningChangesNothing) {
  const HardwareSpec hardware = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh2x2.yaml", {"noc.dims=4x2"});
  const auto machine = make_program_runner(hardware);
  const auto intra = IntraStageRegistry::instance().make("two_level");
  int several = 0, proved = 0, differed = 0;
  const int count = cases(4);
  for (int seed = 1; seed <= count; ++seed) {
    const Graph graph = random_graph(static_cast<std::uint64_t>(seed));
    LoopOptions options;
    options.goal.samples = options.intra.samples = 2;
    options.goal.objective = options.intra.objective =
        seed % 4 == 0 ? Objective::latency : Objective::interval;
    options.max_rounds = 400;
    DirectOracle oracle(graph, *machine, {.samples = 2, .periods = 3, .seed = 1});
    const auto run = [&](const char* optimizer, PruneMode prune) {
      options.intra.prune = prune;
      const auto inter = InterStageRegistry::instance().make(optimizer);
      auto result = plan(graph, hardware, *inter, *intra, oracle, options, {});
      EXPECT_TRUE(result.ok()) << graph.name;
      return std::move(result.value());
    };
    const PlanningResult dp = run("dp", PruneMode::automatic);
    const PlanningResult all = run("exhaustive", PruneMode::automatic);
    const PlanningResult unpruned = run("dp", PruneMode::none);
    const PlanningResult stopped = run("dp", PruneMode::stop);
    EXPECT_EQ(best_estimate(dp), best_estimate(all)) << graph.name;
    EXPECT_EQ(dp.optimal, all.optimal) << graph.name;
    EXPECT_EQ(dp.plan, unpruned.plan) << graph.name;
    EXPECT_EQ(dp.plan, stopped.plan) << graph.name;
    EXPECT_EQ(dp.bound_violations, 0u);
    several += dp.plan.stages.size() > 1 ? 1 : 0;
    proved += dp.optimal ? 1 : 0;
    differed += dp.plan == all.plan ? 0 : 1;
  }
  std::printf("%d graphs: %d with several stages, %d proved optimal, %d where equal plans were told apart\n",
              count, several, proved, differed);
  if (count >= 20) {
    EXPECT_GT(several, 0);
  }
}

}  // namespace
}  // namespace dfsim
