#include "planner/loop/whole_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>

namespace dfsim {

namespace {

constexpr double kNotRun = std::numeric_limits<double>::infinity();
/// Runs tried in all if some cannot be run (a plan may not fit as a whole).
constexpr std::size_t kMostRuns = 9;

}  // namespace

bool WholeRuns::run() {
  if (result_.stopped != StopReason::interrupted) {
    run_best();
    const bool in_full =
        result_.stopped == StopReason::converged || result_.stopped == StopReason::max_rounds;
    if (in_full && best()) feedback_rounds();
  }
  fill_winner();
  return best() || result_.stopped == StopReason::interrupted;
}

void WholeRuns::run_best() {
  while (runs_.size() < kMostRuns) {
    const std::vector<ExploredPlan> batch = next_batch();
    if (batch.empty()) return;
    measure(batch);
    if (in_.interrupted()) {
      result_.stopped = StopReason::interrupted;
      return;
    }
  }
}

/// The best plan of a kind that has no good run yet, then the best others, until three would have run.
std::vector<ExploredPlan> WholeRuns::next_batch() const {
  std::vector<ExploredPlan> left;
  for (const ExploredPlan& plan : rounds_.explored())
    if (!was_run(plan.strategy)) left.push_back(plan);
  std::stable_sort(left.begin(), left.end(), [this](const ExploredPlan& a, const ExploredPlan& b) {
    return value(a.estimate) < value(b.estimate);
  });
  std::vector<ExploredPlan> batch;
  const auto take = [&](auto plan) {
    batch.push_back(*plan);
    left.erase(plan);
  };
  for (const PlanKind kind : {PlanKind::one_stage, PlanKind::several_stages}) {
    if (std::any_of(runs_.begin(), runs_.end(),
                    [kind](const Run& run) { return run.kind == kind && run.cycles < kNotRun; }))
      continue;
    const auto plan = std::find_if(left.begin(), left.end(),
                                   [kind](const ExploredPlan& plan) { return plan.kind() == kind; });
    if (plan != left.end()) take(plan);
  }
  while (!left.empty() && good_runs() + batch.size() < kPlans) take(left.begin());
  return batch;
}

void WholeRuns::measure(const std::vector<ExploredPlan>& plans) {
  std::vector<Plan> requests;
  for (const ExploredPlan& plan : plans) requests.push_back(book_.plan(plan.strategy));
  const std::vector<PlanAnswer> answers = in_.oracle.measure_plans(requests);
  for (std::size_t i = 0; i < plans.size(); ++i) {
    const PlanAnswer& answer = answers[i];
    double cycles = kNotRun;
    if (answer.status == PriceStatus::executed) {
      cycles = in_.options.goal.objective == Objective::interval
                   ? answer.period_cycles()
                   : static_cast<double>(answer.latency_cycles());
    } else {
      failure_ = answer.reason;
      in_.note(fmt::format("a plan with {} stages cannot be run whole: {}", plans[i].strategy.stages.size(),
                           answer.reason));
    }
    runs_.push_back({plans[i].strategy, plans[i].kind(), cycles});
    result_.whole_runs.push_back({requests[i], value(plans[i].estimate), answer});
  }
  for (std::size_t i = 0; i < plans.size(); ++i)
    if (answers[i].status == PriceStatus::executed) feed_back(plans[i].strategy, answers[i]);
}

/// Equal stages of one plan share a price, so the slowest of them counts.
void WholeRuns::feed_back(const InterStageStrategy& strategy, const PlanAnswer& answer) {
  std::map<std::string, std::pair<std::size_t, std::uint64_t>> slowest;
  for (std::size_t i = 0; i < strategy.stages.size() && i < answer.stage_period_cycles.size(); ++i) {
    auto& [stage, cycles] = slowest[cost_.key(strategy.stages[i])];
    if (answer.stage_period_cycles[i] <= cycles) continue;
    stage = i;
    cycles = answer.stage_period_cycles[i];
  }
  for (const auto& [key, seen] : slowest)
    if (seen.second > 0) cost_.set_seen(strategy.stages[seen.first], seen.second);
}

/// Rounds under the prices as seen in the whole-plan runs. At the round budget only measured stages may be
/// combined. A new plan is run whole if its estimate is below the best measurement; else the search is over.
void WholeRuns::feedback_rounds() {
  const MeasuredOnly measured_only(cost_);
  const ExecutionCost& view =
      result_.stopped == StopReason::max_rounds ? static_cast<const ExecutionCost&>(measured_only) : cost_;
  for (std::uint32_t i = 0; i < kFeedbackRounds; ++i) {
    const auto strategy = rounds_.extra_round(view);
    if (!strategy || result_.stopped == StopReason::interrupted) return;
    if (was_run(*strategy)) return;
    if (!book_.measured(*strategy)) continue;  // a stage of it does not fit
    const Estimate composed = estimate(in_.graph, *strategy, cost_);
    if (value(composed) >= runs_[*best()].cycles) continue;
    measure({ExploredPlan{*strategy, composed}});
    if (in_.interrupted()) {
      result_.stopped = StopReason::interrupted;
      return;
    }
  }
}

bool WholeRuns::was_run(const InterStageStrategy& strategy) const {
  return std::any_of(runs_.begin(), runs_.end(), [&](const Run& run) { return run.strategy == strategy; });
}

std::size_t WholeRuns::good_runs() const {
  return static_cast<std::size_t>(
      std::count_if(runs_.begin(), runs_.end(), [](const Run& run) { return run.cycles < kNotRun; }));
}

std::optional<std::size_t> WholeRuns::best() const {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < runs_.size(); ++i)
    if (runs_[i].cycles < kNotRun && (!found || runs_[i].cycles < runs_[*found].cycles)) found = i;
  return found;
}

/// The best measurement; interrupted before there was one, the plan with the best estimate and an answer that
/// says so.
void WholeRuns::fill_winner() {
  if (const auto winner = best()) {
    result_.winner = result_.whole_runs[*winner];
    result_.plan = result_.winner.plan;
    result_.prices = book_.prices(runs_[*winner].strategy);
    return;
  }
  const auto& explored = rounds_.explored();
  if (result_.stopped != StopReason::interrupted || explored.empty()) return;
  const auto plan = std::min_element(
      explored.begin(), explored.end(),
      [this](const ExploredPlan& a, const ExploredPlan& b) { return value(a.estimate) < value(b.estimate); });
  result_.plan = book_.plan(plan->strategy);
  result_.prices = book_.prices(plan->strategy);
  PlanAnswer answer;
  answer.status = PriceStatus::stopped;
  answer.reason = "interrupted before the plan was run whole";
  result_.winner = {result_.plan, value(plan->estimate), answer};
}

}  // namespace dfsim
