#include "planner/loop/price_book.h"

#include <fmt/format.h>

#include <limits>
#include <set>

#include "planner/cost/pipeline.h"

namespace dfsim {

namespace {

void add_saturating(std::uint64_t& sum, std::uint64_t value) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  sum = sum > kMost - value ? kMost : sum + value;
}

double excess(const Infeasible& miss) {
  return miss.limit == 0 ? std::numeric_limits<double>::max()
                         : static_cast<double>(miss.demand) / static_cast<double>(miss.limit);
}

}  // namespace

Pricing PriceBook::price(const InterStageStrategy& strategy, RoundRecord& round) {
  Pricing outcome = Pricing::done;
  for (std::uint32_t i = 0; i < strategy.stages.size(); ++i) {
    const StageProposal& stage = strategy.stages[i];
    if (cost_.measured(stage)) continue;
    const Pricing priced = cost_.infeasible(stage) ? Pricing::does_not_fit : price_stage(stage, i, round);
    if (priced == Pricing::interrupted) return priced;
    if (priced == Pricing::does_not_fit) outcome = priced;
  }
  return outcome == Pricing::done ? price_transfers(strategy) : outcome;
}

Pricing PriceBook::price_stage(const StageProposal& stage, std::uint32_t index, RoundRecord& round) {
  if (in_.interrupted()) return Pricing::interrupted;
  const auto found = in_.intra.optimize(in_.graph, in_.hardware, stage, in_.oracle, in_.options.intra);
  if (in_.interrupted()) return Pricing::interrupted;  // what came back may be cut short
  if (!found) {
    cost_.set_infeasible(stage);
    remember_miss(found.reason());
    in_.note(fmt::format("round {}, stage {} on {}: {}", round.round, index, stage.group.to_string(),
                         found.reason().to_string()));
    return Pricing::does_not_fit;
  }
  log(*found, index, round);
  cost_.set_measured(stage, found->price);
  entries_[cost_.key(stage)] = {found->best.strategy, found->price};
  return Pricing::done;
}

void PriceBook::log(const IntraStageResult& found, std::uint32_t index, RoundRecord& round) {
  for (const CandidateRecord& record : found.records) {
    ++round.candidates[to_string(record.status)];
    if (record.reused) ++round.reused;
    if (record.level == CandidateLevel::stage) ++result_.formed_size;
    result_.candidates.push_back({round.round, index, record});
  }
  result_.two_level = result_.two_level || found.two_level;
  result_.bound_violations += found.bound_violations;
  add_saturating(result_.flat_size, found.flat_size);
}

void PriceBook::remember_miss(const Infeasible& miss) {
  if (!closest_ || excess(miss) < excess(*closest_)) closest_ = miss;
}

Pricing PriceBook::price_transfers(const InterStageStrategy& strategy) {
  const Plan whole = plan(strategy);
  std::set<std::string> asked;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  std::vector<std::pair<Stage, Stage>> requests;
  for (const auto& [producer, consumer] : connected_stages(in_.graph, strategy)) {
    const StageProposal& from = strategy.stages[producer];
    const StageProposal& to = strategy.stages[consumer];
    if (cost_.measured(from, to) || !asked.insert(cost_.key(from, to)).second) continue;
    pairs.emplace_back(producer, consumer);
    requests.emplace_back(whole.stages[producer], whole.stages[consumer]);
  }
  if (requests.empty()) return Pricing::done;
  const std::vector<PriceAnswer> answers = in_.oracle.price_transfers(requests);
  if (in_.interrupted()) return Pricing::interrupted;
  Pricing outcome = Pricing::done;
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const StageProposal& from = strategy.stages[pairs[i].first];
    const StageProposal& to = strategy.stages[pairs[i].second];
    if (answers[i].status == PriceStatus::executed) {
      cost_.set_measured(from, to, answers[i].price);
      continue;
    }
    // A stage that cannot be given its inputs is of no use; without this it would be proposed for ever.
    cost_.set_impossible(from, to);
    cost_.withdraw(to);
    outcome = Pricing::does_not_fit;
    in_.note(fmt::format("transfer from stage {} to stage {} cannot be made: {}", pairs[i].first,
                         pairs[i].second, answers[i].reason));
  }
  return outcome;
}

Plan PriceBook::plan(const InterStageStrategy& strategy) const {
  Plan plan{.samples = in_.options.intra.samples, .stages = {}};
  for (std::size_t i = 0; i < strategy.stages.size(); ++i) {
    const StageProposal& stage = strategy.stages[i];
    plan.stages.push_back(
        {fmt::format("stage{}", i), stage.operators, stage.group, entries_.at(cost_.key(stage)).strategy});
  }
  return plan;
}

std::vector<StagePrice> PriceBook::prices(const InterStageStrategy& strategy) const {
  std::vector<StagePrice> prices;
  for (const StageProposal& stage : strategy.stages) prices.push_back(entries_.at(cost_.key(stage)).price);
  return prices;
}

bool PriceBook::measured(const InterStageStrategy& strategy) const {
  for (const StageProposal& stage : strategy.stages)
    if (!cost_.measured(stage)) return false;
  for (const auto& [producer, consumer] : connected_stages(in_.graph, strategy))
    if (!cost_.measured(strategy.stages[producer], strategy.stages[consumer])) return false;
  return true;
}

}  // namespace dfsim
