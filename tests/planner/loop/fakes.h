// tests/planner/loop/fakes.h: an intra-stage optimizer and an oracle with prices from a formula.
#pragma once

#include <set>

#include "planner/intra_stage/optimizer.h"
#include "planner/plan/plan.h"

namespace dfsim::testing {

/// Cycles of a stage: work / PEs, times a loss that depends on the shape.
struct FakeChip {
  double work_per_byte = 1000;  ///< of the layers' weights
  double loss = 1.2;            ///< measurement / bound
  double whole_loss = 1.0;      ///< whole-plan run / lone price, per further stage
  std::uint64_t least_pes = 0;  ///< smaller groups do not fit
  bool transfers_possible = true;

  static std::uint64_t bytes(const Graph& graph, const std::vector<OpId>& ops) {
    std::uint64_t sum = 0;
    for (const OpId op : ops)
      for (const TensorId input : graph.op(op).inputs)
        if (graph.tensor(input).role == TensorRole::weight) sum += graph.tensor(input).bytes();
    return sum;
  }
  StagePrice bound(const Graph& graph, const StageProposal& stage) const {
    const double cycles =
        work_per_byte * static_cast<double>(bytes(graph, stage.operators)) / stage.group.size();
    return {static_cast<std::uint64_t>(cycles), static_cast<std::uint64_t>(cycles)};
  }
  StagePrice price(const Graph& graph, const StageProposal& stage) const {
    const StagePrice least = bound(graph, stage);
    const auto cycles = [&](std::uint64_t bound) {
      return static_cast<std::uint64_t>(static_cast<double>(bound) * loss) + stage.group.size();
    };
    return {cycles(least.latency_cycles) + 10, cycles(least.period_cycles)};
  }
};

class FakeIntra : public IntraStageOptimizer {
 public:
  explicit FakeIntra(const FakeChip& chip, bool reused = false) : chip_(chip), reused_(reused) {}
  mutable std::vector<StageProposal> asked;

  Result<IntraStageResult, Infeasible> optimize(const Graph& graph, const HardwareSpec&,
                                                const StageProposal& stage, CostOracle&,
                                                const IntraStageOptions&) const override {
    asked.push_back(stage);
    if (stage.group.size() < chip_.least_pes)
      return Infeasible{"stage", chip_.least_pes, stage.group.size(), "PEs", "use a larger group"};
    IntraStageResult result;
    result.best.operators = stage.operators;
    result.best.group = stage.group;
    result.best.strategy.operators.resize(stage.operators.size());
    result.price = chip_.price(graph, stage);
    result.flat_size = 3;
    CandidateRecord record;
    record.candidate = result.best;
    record.price = result.price;
    record.reused = reused_;
    result.records.push_back(record);
    record.status = CandidateStatus::discarded;
    result.records.push_back(record);
    return result;
  }

 private:
  FakeChip chip_;
  bool reused_;
};

class FakeOracle : public CostOracle {
 public:
  FakeOracle(const Graph& graph, const FakeChip& chip, bool reused = false)
      : graph_(graph), chip_(chip), reused_(reused) {}
  std::vector<Plan> run_whole;

  std::vector<PriceAnswer> price_stages(const std::vector<Stage>& stages, const PriceLimit&) override {
    return std::vector<PriceAnswer>(stages.size());
  }
  std::vector<PriceAnswer> price_transfers(const std::vector<std::pair<Stage, Stage>>& pairs) override {
    PriceAnswer answer;
    answer.price = {4, 2};
    answer.reused = reused_;
    if (!chip_.transfers_possible) answer.status = PriceStatus::failed;
    return std::vector<PriceAnswer>(pairs.size(), answer);
  }
  /// Period: the slowest group, times whole_loss for each stage but the first.
  std::vector<PlanAnswer> measure_plans(const std::vector<Plan>& plans) override {
    std::vector<PlanAnswer> answers;
    for (const Plan& plan : plans) {
      run_whole.push_back(plan);
      PlanAnswer answer;
      double slowest = 0, latency = 0, loss = 1;
      for (std::size_t i = 1; i < plan.stages.size(); ++i) loss *= chip_.whole_loss;
      std::map<PeGroup, double> groups;
      for (const Stage& stage : plan.stages) {
        const StagePrice price = chip_.price(graph_, {stage.operators, stage.group});
        const double cycles = static_cast<double>(price.period_cycles) * loss;
        answer.stage_period_cycles.push_back(static_cast<std::uint64_t>(cycles));
        slowest = std::max(slowest, groups[stage.group] += cycles);
        latency += static_cast<double>(price.latency_cycles) * loss;
      }
      answer.fill_periods = plan.distinct_groups() - 1;
      for (std::uint32_t p = 0; p < answer.fill_periods + 3; ++p)
        answer.period_done_cycles.push_back(static_cast<std::uint64_t>(latency + p * slowest));
      answer.reused = reused_;
      answers.push_back(answer);
    }
    return answers;
  }

 private:
  const Graph& graph_;
  FakeChip chip_;
  bool reused_;
};

}  // namespace dfsim::testing
