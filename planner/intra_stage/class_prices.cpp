#include "planner/intra_stage/class_prices.h"

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <tuple>

namespace dfsim {

namespace {

/// Operator candidates with a bound within this factor of their class' best are measured in the first batch,
/// which keeps all workers busy.
constexpr double kPromising = 1.05;
/// Re-slicing measures two to four times its bound (all PEs send at once). So much is assumed until it is
/// measured; the bound itself would make every re-slicing look worth a run. No assumed value is ever a price.
constexpr std::uint64_t kReslicingGuess = 2;

/// A choice that costs one part in so many more than the usual one alone is not tried.
constexpr std::uint64_t kNear = 3;
/// Classes with at least one part in so many of the stage's multiply-accumulates decide.
constexpr std::uint64_t kLeastShare = 20;
/// Completing a choice need not be exact.
constexpr std::size_t kFewStates = 500;

std::uint64_t times(std::uint64_t cost, std::uint64_t count) {
  return cost >= kImpossible / std::max<std::uint64_t>(1, count) ? kImpossible : cost * count;
}

}  // namespace

ClassPrices::ClassPrices(const Graph& graph, const HardwareSpec& hardware, const StageProposal& proposal,
                         const StageSetting& setting, std::uint32_t samples, const LowerBounds& bounds,
                         CandidateLog& log)
    : graph_(graph),
      hardware_(hardware),
      proposal_(proposal),
      setting_(setting),
      classes_(setting.classes),
      samples_(samples),
      bounds_(bounds),
      log_(log) {
  for (const OperatorClass& one : classes_.classes) {
    numbers_.emplace_back();
    for (const OperatorCandidate& candidate : one.candidates) {
      Stage stage = alone(one.representative(), candidate,
                          setting.weights_resident && has_weights(one.representative()));
      const StagePrice bound = bounds.stage(stage);
      numbers_.back().push_back(log.form_stage(CandidateLevel::op, std::move(stage), bound));
    }
  }
  find_edges();
}

/// Without weights an operator is the same in every setting.
bool ClassPrices::has_weights(OpId op) const {
  const std::vector<TensorId>& inputs = graph_.op(op).inputs;
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](TensorId id) { return graph_.tensor(id).role == TensorRole::weight; });
}

Stage ClassPrices::alone(OpId op, const OperatorCandidate& candidate, bool resident) const {
  Stage stage;
  stage.name = graph_.op(op).name;
  stage.operators = {op};
  stage.group = proposal_.group;
  stage.strategy.operators = {candidate};
  stage.strategy.sub_batches = setting_.sub_batches;
  stage.strategy.weights_resident = resident;
  return stage;
}

void ClassPrices::find_edges() {
  std::map<std::tuple<std::size_t, std::size_t, std::string>, std::size_t> known;
  for (const OpId consumer : proposal_.operators) {
    std::set<OpId> producers;
    for (const TensorId input : graph_.op(consumer).inputs)
      if (const auto& producer = graph_.tensor(input).producer;
          producer && classes_.class_of.contains(*producer))
        producers.insert(*producer);
    for (const OpId producer : producers) {
      const std::size_t from = classes_.class_of.at(producer), to = classes_.class_of.at(consumer);
      const auto [it, fresh] =
          known.emplace(std::make_tuple(from, to, graph_.signature({producer, consumer})), edges_.size());
      if (fresh) {
        EdgeKind edge;
        edge.producer = producer, edge.consumer = consumer;
        edge.from = from, edge.to = to;
        edges_.push_back(std::move(edge));
        lay_out(edges_.back());
      }
      ++edges_[it->second].count;
    }
  }
}

void ClassPrices::lay_out(EdgeKind& edge) const {
  const auto &from = classes_.classes[edge.from].candidates, &to = classes_.classes[edge.to].candidates;
  edge.moved.assign(from.size(), std::vector<MovedBytes>(to.size()));
  const std::uint32_t samples = samples_, count = std::min(setting_.sub_batches, samples_);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t first = samples * i / count, size = samples * (i + 1) / count - first;
    std::vector<Layout> owners, readers;
    const PeGroup& group = proposal_.group;
    for (const OperatorCandidate& candidate : from)
      owners.push_back(layout_of(graph_, hardware_, edge.producer, group, candidate, first, size));
    for (const OperatorCandidate& candidate : to)
      readers.push_back(layout_of(graph_, hardware_, edge.consumer, group, candidate, first, size));
    for (std::size_t a = 0; a < from.size(); ++a)
      for (std::size_t b = 0; b < to.size(); ++b) {
        const MovedBytes one = moved_bytes(graph_, owners[a], readers[b]);
        // The PE with the most may differ between sub-batches: only one sub-batch is claimed.
        edge.moved[a][b].most = std::max(edge.moved[a][b].most, one.most);
        edge.moved[a][b].total += one.total;
      }
  }
}

/// Measured, or the bound; kImpossible if it cannot be run.
std::uint64_t ClassPrices::value(std::size_t number) const {
  switch (log_.record(number).status) {
    case CandidateStatus::executed:
      return log_.cycles(number);
    case CandidateStatus::discarded:
      return log_.bound(number);
    default:
      return kImpossible;
  }
}

std::uint64_t ClassPrices::transfer_cost(const EdgeKind& edge, std::size_t from, std::size_t to) const {
  const MovedBytes& moved = edge.moved[from][to];
  if (moved.total == 0) return 0;
  const auto known = edge.numbers.find({from, to});
  return known != edge.numbers.end() ? value(known->second)
                                     : kReslicingGuess * log_.component(bounds_.transfer(moved));
}

ChoiceProblem ClassPrices::problem() const {
  ChoiceProblem problem;
  for (std::size_t one = 0; one < numbers_.size(); ++one) {
    problem.cost.emplace_back();
    for (const std::size_t number : numbers_[one])
      problem.cost.back().push_back(times(value(number), classes_.classes[one].members.size()));
  }
  for (const EdgeKind& edge : edges_) {
    const auto cost = [&](std::size_t a, std::size_t b) {
      return times(transfer_cost(edge, a, b), edge.count);
    };
    if (edge.from == edge.to) {  // equal operators in a row choose alike
      for (std::size_t option = 0; option < numbers_[edge.from].size(); ++option) {
        std::uint64_t& own = problem.cost[edge.from][option];
        const std::uint64_t more = cost(option, option);
        own = own > kImpossible - more ? kImpossible : own + more;
      }
      continue;
    }
    PairCost pair;
    pair.first = std::min(edge.from, edge.to);
    pair.second = std::max(edge.from, edge.to);
    const bool forward = edge.from < edge.to;
    for (std::size_t a = 0; a < numbers_[pair.first].size(); ++a) {
      pair.cost.emplace_back();
      for (std::size_t b = 0; b < numbers_[pair.second].size(); ++b)
        pair.cost.back().push_back(forward ? cost(a, b) : cost(b, a));
    }
    problem.pairs.push_back(std::move(pair));
  }
  return problem;
}

void ClassPrices::measure_operators() {
  std::vector<std::size_t> batch;
  for (const auto& options : numbers_) batch.insert(batch.end(), options.begin(), options.end());
  log_.run_stages(batch, 0);
}

void ClassPrices::measure_promising() {
  std::vector<std::size_t> batch;
  for (const auto& options : numbers_) {
    std::uint64_t least = kImpossible;
    for (const std::size_t number : options) least = std::min(least, log_.bound(number));
    for (const std::size_t number : options)
      if (static_cast<double>(log_.bound(number)) <= kPromising * static_cast<double>(least))
        batch.push_back(number);
  }
  log_.run_stages(batch, 0);
}

bool ClassPrices::measure_operators_of(const std::vector<Combination>& combinations) {
  std::vector<std::size_t> batch;
  for (const Combination& combination : combinations)
    for (std::size_t one = 0; one < combination.options.size(); ++one) {
      const std::size_t number = numbers_[one][combination.options[one]];
      if (!log_.started(number)) batch.push_back(number);
    }
  log_.run_stages(batch, 0);
  return !batch.empty();
}

bool ClassPrices::measure_transfers_of(const std::vector<Combination>& combinations) {
  std::vector<std::size_t> batch;
  for (const Combination& combination : combinations)
    for (EdgeKind& edge : edges_) {
      const std::size_t from = combination.options[edge.from], to = combination.options[edge.to];
      if (edge.moved[from][to].total == 0 || edge.numbers.contains({from, to})) continue;
      const std::size_t number =
          log_.form_transfer(alone(edge.producer, classes_.classes[edge.from].candidates[from], false),
                             alone(edge.consumer, classes_.classes[edge.to].candidates[to], false),
                             bounds_.transfer(edge.moved[from][to]));
      edge.numbers[{from, to}] = number;
      batch.push_back(number);
    }
  log_.run_transfers(batch);
  return !batch.empty();
}

std::vector<Combination> ClassPrices::cheapest(std::size_t count, std::uint64_t most) {
  if (most == kImpossible) measure_promising();
  for (;;) {
    std::vector<Combination> best = best_combinations(problem(), count).best;
    std::erase_if(best, [&](const Combination& combination) { return combination.cost > most; });
    if (measure_operators_of(best)) continue;
    if (measure_transfers_of(best)) continue;
    return best;
  }
}

/// Multiply-accumulates of a class per sample.
std::uint64_t ClassPrices::work(std::size_t one) const {
  return macs_per_sample(graph_, classes_.classes[one].representative()) *
         classes_.classes[one].members.size();
}

std::vector<Combination> ClassPrices::varied(const Combination& base, std::size_t count) {
  const ChoiceProblem all = problem();
  std::uint64_t all_work = 1;
  for (std::size_t one = 0; one < numbers_.size(); ++one) all_work += work(one);
  std::vector<Combination> found;
  for (std::size_t one = 0; one < numbers_.size(); ++one) {
    if (kLeastShare * work(one) < all_work) continue;
    const std::uint64_t usual = all.cost[one][base.options[one]];
    for (std::size_t option = 0; option < numbers_[one].size(); ++option) {
      const std::uint64_t cost = all.cost[one][option];
      if (option == base.options[one] || cost == kImpossible || cost - std::min(cost, usual) > usual / kNear)
        continue;
      ChoiceProblem forced = all;
      for (std::size_t other = 0; other < forced.cost[one].size(); ++other)
        if (other != option) forced.cost[one][other] = kImpossible;
      const std::vector<Combination> best = best_combinations(forced, 1, kFewStates).best;
      if (!best.empty() && std::find(found.begin(), found.end(), best.front()) == found.end())
        found.push_back(best.front());
    }
  }
  std::sort(found.begin(), found.end(), [](const Combination& a, const Combination& b) {
    return a.cost != b.cost ? a.cost < b.cost : a.options < b.options;
  });
  if (found.size() > count) found.resize(count);
  measure_operators_of(found);
  measure_transfers_of(found);
  return found;
}

}  // namespace dfsim
