// planner/loop/search_rounds.h: the rounds before the whole-plan runs: propose, measure, update the cost, end
// test.
#pragma once

#include <chrono>
#include <optional>
#include <vector>

#include "planner/cost/pipeline.h"
#include "planner/loop/price_book.h"

namespace dfsim {

/// A strategy all of whose stages and transfers are measured.
struct ExploredPlan {
  InterStageStrategy strategy;
  Estimate estimate;  ///< under lone prices
  PlanKind kind() const {
    return strategy.stages.size() == 1 ? PlanKind::one_stage : PlanKind::several_stages;
  }
};

class SearchRounds {
 public:
  SearchRounds(const LoopInputs& inputs, KnownCost& cost, PriceBook& book, PlanningResult& result);

  /// Rounds until one of the end tests holds. Sets PlanningResult::stopped, optimal and gap. False if nothing
  /// fits.
  bool run();
  /// One more round with the best strategy under `view`, which may hide or replace prices; nothing if none
  /// fits or on interruption. The round is recorded.
  std::optional<InterStageStrategy> extra_round(const ExecutionCost& view);

  const std::vector<ExploredPlan>& explored() const { return explored_; }
  bool stopped_early() const {
    return result_.stopped == StopReason::interrupted || result_.stopped == StopReason::time_budget;
  }

 private:
  Result<Proposal, Infeasible> propose(const ExecutionCost& view);
  Pricing round(const Proposal& proposal, const ExecutionCost& view, bool gives_bound);
  double bound_of(const Proposal& proposal, const ExecutionCost& view) const;
  std::optional<Proposal> likely(const InterStageStrategy& proposal);
  std::optional<StopReason> end_test(Pricing outcome) const;
  void complete_kinds();
  void combine_measured();
  void prove();
  bool explored(PlanKind kind) const;
  double value(const Estimate& estimate) const { return estimate.of(in_.options.goal.objective); }

  const LoopInputs& in_;
  KnownCost& cost_;
  PriceBook& book_;
  PlanningResult& result_;
  std::vector<ExploredPlan> explored_;
  std::optional<InterStageStrategy> last_;
  std::vector<PlacedGroup> start_;  ///< the last proposal
  std::size_t fitting_ = 0;         ///< rounds in which every stage had a candidate that fits
  bool unchanged_ = false;          ///< the last proposal was all measured and equal to the one before
  double bound_ = 0;
  std::chrono::steady_clock::time_point begin_;
};

}  // namespace dfsim
