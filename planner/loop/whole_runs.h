// planner/loop/whole_runs.h: whole-plan runs of the best plans, and the few rounds that their contention
// causes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/loop/search_rounds.h"

namespace dfsim {

class WholeRuns {
 public:
  /// Most rounds after the first whole-plan runs; each may cause one more run.
  static constexpr std::uint32_t kFeedbackRounds = 2;
  static constexpr std::size_t kPlans = 3;

  WholeRuns(const LoopInputs& inputs, KnownCost& cost, PriceBook& book, SearchRounds& rounds,
            PlanningResult& result)
      : in_(inputs), cost_(cost), book_(book), rounds_(rounds), result_(result) {}

  /// Runs the best plans whole, feeds what was seen back, and fills the winner. False if no plan could be
  /// run.
  bool run();
  /// Why the last plan that could not be run failed.
  const std::string& failure() const { return failure_; }

 private:
  struct Run {
    InterStageStrategy strategy;
    PlanKind kind;
    double cycles;  ///< measured, of the objective's component; infinite if the run failed
  };
  void run_best();
  std::vector<ExploredPlan> next_batch() const;
  void measure(const std::vector<ExploredPlan>& plans);
  void feed_back(const InterStageStrategy& strategy, const PlanAnswer& answer);
  void feedback_rounds();
  bool was_run(const InterStageStrategy& strategy) const;
  std::size_t good_runs() const;
  std::optional<std::size_t> best() const;
  void fill_winner();
  double value(const Estimate& estimate) const { return estimate.of(in_.options.goal.objective); }

  const LoopInputs& in_;
  KnownCost& cost_;
  PriceBook& book_;
  SearchRounds& rounds_;
  PlanningResult& result_;
  std::vector<Run> runs_;  ///< as result_.whole_runs
  std::string failure_;
};

}  // namespace dfsim
