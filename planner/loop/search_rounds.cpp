#include "planner/loop/search_rounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace dfsim {

namespace {

constexpr std::size_t kLeastRounds = 3;
/// Rounds in which something did not fit do not count for --max-rounds, up to so many times as many.
constexpr std::size_t kPatience = 4;
/// One round in so many goes where the bounds point.
constexpr std::size_t kBoundRounds = 3;
/// How much of the usual distance to their bounds unmeasured stages are expected to have.
constexpr double kUsual = 1, kWithLuck = 0.5;
/// Proposals tried to find a plan with one stage, or with several, if the rounds brought none.
constexpr std::uint32_t kKindTries = 4;

}  // namespace

SearchRounds::SearchRounds(const LoopInputs& inputs, KnownCost& cost, PriceBook& book, PlanningResult& result)
    : in_(inputs), cost_(cost), book_(book), result_(result) {
  // The clock is read only under a time budget, which waives the promise of equal bytes.
  if (in_.options.time_budget_seconds) begin_ = std::chrono::steady_clock::now();
}

/// What a policy learned in one round is where the next begins; so is the last plan, for searches by trial.
Result<Proposal, Infeasible> SearchRounds::propose(const ExecutionCost& view) {
  Rng rng(in_.options.seed, result_.rounds.size() + 1);
  SearchSettings settings = in_.options.search;
  if (!result_.policy.empty()) settings.policy = result_.policy;
  settings.start = start_;
  auto proposal = in_.inter.propose(in_.graph, in_.hardware, view, in_.options.goal, rng, settings);
  if (!proposal) return proposal;
  result_.policy = proposal->plan.policy;
  if (&view == &cost_) start_ = proposal->plan.groups;
  return proposal;
}

/// No plan of the space is estimated lower, transfers left out. Of an optimizer that need not have found the
/// best one, what counting PEs alone allows.
double SearchRounds::bound_of(const Proposal& proposal, const ExecutionCost& view) const {
  if (!proposal.plan.exact) return proposal.plan.bound;
  return value(estimate(in_.graph, proposal.strategy, view, TransferPrices::left_out));
}

bool SearchRounds::run() {
  for (bool first = true;; first = false) {
    const auto proposal = propose(cost_);
    if (!proposal) {
      if (explored_.empty()) return false;
      break;
    }
    const std::optional<Proposal> elsewhere = likely(proposal->strategy);
    const Pricing outcome = round(elsewhere ? *elsewhere : *proposal, cost_, !first && !elsewhere);
    if (const auto reason = end_test(outcome)) {
      result_.stopped = *reason;
      break;
    }
  }
  const bool in_full = result_.stopped == StopReason::converged || result_.stopped == StopReason::max_rounds;
  if (result_.stopped == StopReason::max_rounds && !explored_.empty()) combine_measured();
  if (in_full && !explored_.empty()) complete_kinds();
  if (result_.stopped == StopReason::interrupted) return true;
  prove();
  return !explored_.empty();
}

/// Bounds promise most where little was measured. So most rounds go where a plan is likely to be good
/// instead, or with some luck, as long as there is something to measure.
std::optional<Proposal> SearchRounds::likely(const InterStageStrategy& proposal) {
  if (fitting_ < 2 || fitting_ % kBoundRounds == 1 || book_.measured(proposal)) return std::nullopt;
  for (const double weight : {kUsual, kWithLuck}) {
    const auto other = propose(LikelyCost(cost_, weight));
    if (other && !book_.measured(other->strategy)) return *other;
  }
  return std::nullopt;
}

Pricing SearchRounds::round(const Proposal& proposal, const ExecutionCost& view, bool gives_bound) {
  const InterStageStrategy& strategy = proposal.strategy;
  const Objective objective = in_.options.goal.objective;
  unchanged_ = last_ && *last_ == strategy && book_.measured(strategy);
  last_ = strategy;
  RoundRecord record;
  record.round = static_cast<std::uint32_t>(result_.rounds.size()) + 1;
  record.cost_in = value(estimate(in_.graph, strategy, view));
  for (const StageProposal& stage : strategy.stages) {
    const KnownPrice price = view.stage(stage);
    const double cycles = objective == Objective::interval ? price.period_cycles : price.latency_cycles;
    record.stages.push_back({stage.operators, stage.group, cycles, price.basis});
  }
  if (gives_bound) bound_ = std::max(bound_, bound_of(proposal, view));
  record.bound = bound_;
  cost_.forget_preset();
  const Pricing outcome = book_.price(strategy, record);
  if (outcome == Pricing::done) {
    ++fitting_;
    const Estimate measured = estimate(in_.graph, strategy, cost_);
    record.cost_out = value(measured);
    const bool known = std::any_of(explored_.begin(), explored_.end(),
                                   [&](const ExploredPlan& plan) { return plan.strategy == strategy; });
    if (!known) explored_.push_back({strategy, measured});
  }
  result_.rounds.push_back(record);
  if (in_.events.round_ended) in_.events.round_ended(record);
  return outcome;
}

std::optional<StopReason> SearchRounds::end_test(Pricing outcome) const {
  const std::size_t rounds = result_.rounds.size();
  if (outcome == Pricing::interrupted || in_.interrupted()) return StopReason::interrupted;
  const auto& target = in_.options.stop_below_cycles;
  if (outcome == Pricing::done && target && result_.rounds.back().cost_out < static_cast<double>(*target))
    return StopReason::below_target;
  if (unchanged_ && rounds >= kLeastRounds) return StopReason::converged;
  if (fitting_ >= in_.options.max_rounds || rounds >= kPatience * in_.options.max_rounds)
    return StopReason::max_rounds;
  if (in_.options.time_budget_seconds) {
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin_;
    if (spent.count() >= *in_.options.time_budget_seconds && !explored_.empty())
      return StopReason::time_budget;
  }
  return std::nullopt;
}

/// What the last measurements changed may have raised the bound: the optimizer is asked once more, and
/// nothing is measured.
void SearchRounds::prove() {
  if (result_.stopped != StopReason::converged)
    if (const auto proposal = propose(cost_)) bound_ = std::max(bound_, bound_of(*proposal, cost_));
  double best = std::numeric_limits<double>::infinity();
  for (const ExploredPlan& plan : explored_) best = std::min(best, value(plan.estimate));
  result_.optimal = best <= bound_;
  result_.gap = result_.optimal || bound_ <= 0 || !std::isfinite(best) ? 0 : (best - bound_) / bound_;
}

std::optional<InterStageStrategy> SearchRounds::extra_round(const ExecutionCost& view) {
  const auto proposal = propose(view);
  if (!proposal) return std::nullopt;
  const Pricing outcome = round(*proposal, view, false);
  if (outcome == Pricing::interrupted || in_.interrupted()) result_.stopped = StopReason::interrupted;
  return outcome == Pricing::interrupted ? std::nullopt : std::optional(proposal->strategy);
}

/// Rounds that ended at the budget may have left the best combination of measured stages unproposed, since
/// bounds are lower.
void SearchRounds::combine_measured() {
  const MeasuredOnly view(cost_);
  const auto proposal = propose(view);
  if (!proposal) return;
  const bool known = std::any_of(explored_.begin(), explored_.end(), [&](const ExploredPlan& plan) {
    return plan.strategy == proposal->strategy;
  });
  if (!known) extra_round(view);
}

bool SearchRounds::explored(PlanKind kind) const {
  return std::any_of(explored_.begin(), explored_.end(),
                     [kind](const ExploredPlan& plan) { return plan.kind() == kind; });
}

void SearchRounds::complete_kinds() {
  for (const PlanKind kind : {PlanKind::one_stage, PlanKind::several_stages}) {
    const OfKind view(cost_, kind, in_.graph.operators().size());
    for (std::uint32_t tries = 0; tries < kKindTries && !explored(kind); ++tries)
      if (!extra_round(view)) break;
    if (result_.stopped == StopReason::interrupted) return;
  }
}

}  // namespace dfsim
