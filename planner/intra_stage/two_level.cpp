// planner/intra_stage/two_level.cpp: all combinations of operator candidates if they are few; else the best
// sums of measured operator and re-slicing prices, each tried as a whole stage.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <set>

#include "planner/cost/lower_bound.h"
#include "planner/intra_stage/candidate_log.h"
#include "planner/intra_stage/class_prices.h"
#include "planner/intra_stage/operator_candidates.h"
#include "planner/intra_stage/optimizer.h"
#include "planner/intra_stage/stage_setting.h"

namespace dfsim {

namespace {

/// Up to so many combinations are all candidates of the stage.
constexpr std::uint64_t kFlatCombinations = 64;
constexpr std::size_t kFlatBatch = 4;
/// Whole stages are long runs: few at a time, so that the first ones limit the others.
constexpr std::size_t kStageBatch = 2;
/// If none of the cheapest combinations fits, so many times as many are looked at.
constexpr std::size_t kWidest = 4;

/// A combination as it is tried.
struct Choice {
  std::size_t setting = 0;  ///< index among the settings
  Combination combination;
};

class Search {
 public:
  Search(const Graph& graph, const HardwareSpec& hardware, const StageProposal& proposal, CostOracle& oracle,
         const IntraStageOptions& options)
      : graph_(graph),
        hardware_(hardware),
        proposal_(proposal),
        oracle_(oracle),
        options_(options),
        bounds_(graph, hardware, options.samples),
        log_(oracle, options) {}

  Result<IntraStageResult, Infeasible> run() {
    if (proposal_.operators.empty() || proposal_.group.pes(hardware_).empty())
      return Infeasible{"a stage without operators or PEs", 1, 0, "PEs", "give it a PE group"};
    std::uint32_t last = 1;
    for (std::uint32_t sub_batches = 1; sub_batches <= options_.samples; sub_batches *= 2) {
      last = sub_batches;
      too_large_ = output_too_large(graph_, hardware_, proposal_, ceil_div(options_.samples, sub_batches));
      if (too_large_) continue;
      if (const auto best = search(sub_batches, true)) return finish(*best);
    }
    // The probe looks at few combinations: where room is scarcest, look at all before giving up.
    if (skipped_ && !too_large_)
      if (const auto best = search(last, false)) return finish(*best);
    return nothing_fits();
  }

 private:
  std::optional<std::size_t> search(std::uint32_t sub_batches, bool probing) {
    settings_ = stage_settings(graph_, hardware_, proposal_, options_.samples, sub_batches);
    tried_.clear();
    std::uint64_t size = 0;
    for (const StageSetting& setting : settings_) {
      const std::uint64_t more = flat_size(setting);
      size = more > std::numeric_limits<std::uint64_t>::max() - size
                 ? std::numeric_limits<std::uint64_t>::max()
                 : size + more;
    }
    if (flat_size_ == 0) flat_size_ = size;
    if (size <= kFlatCombinations) return flat();
    two_level_ = true;
    return two_level(probing);
  }

  std::uint64_t flat_size(const StageSetting& setting) const {
    std::uint64_t product = 1;
    for (const OpId op : proposal_.operators) {
      const std::uint64_t options = setting.candidates_of(op).size();
      if (product > std::numeric_limits<std::uint64_t>::max() / std::max<std::uint64_t>(1, options))
        return std::numeric_limits<std::uint64_t>::max();
      product *= options;
    }
    return product;
  }

  Stage stage_of(const StageSetting& setting, std::vector<OperatorCandidate> operators) const {
    Stage stage;
    stage.name = graph_.op(proposal_.operators.front()).name;
    if (proposal_.operators.size() > 1) stage.name += ".." + graph_.op(proposal_.operators.back()).name;
    stage.operators = proposal_.operators;
    stage.group = proposal_.group;
    stage.strategy = {std::move(operators), setting.sub_batches, setting.weights_resident};
    return stage;
  }

  std::size_t form(const StageSetting& setting, std::vector<OperatorCandidate> operators) {
    Stage stage = stage_of(setting, std::move(operators));
    const StagePrice bound = bounds_.stage(stage);
    return log_.form_stage(CandidateLevel::stage, std::move(stage), bound);
  }

  std::optional<std::size_t> flat() {
    std::vector<std::size_t> numbers;
    for (const StageSetting& setting : settings_) {
      std::vector<std::vector<OperatorCandidate>> combinations{{}};
      for (const OpId op : proposal_.operators) {
        std::vector<std::vector<OperatorCandidate>> longer;
        for (const auto& operators : combinations)
          for (const OperatorCandidate& candidate : setting.candidates_of(op)) {
            longer.push_back(operators);
            longer.back().push_back(candidate);
          }
        combinations = std::move(longer);
      }
      for (auto& operators : combinations) numbers.push_back(form(setting, std::move(operators)));
    }
    return log_.cheapest_stage(numbers, kFlatBatch);
  }

  std::vector<OperatorCandidate> operators_of(const StageSetting& setting,
                                              const Combination& combination) const {
    std::vector<OperatorCandidate> operators;
    for (const OpId op : proposal_.operators)
      operators.push_back(setting.candidates_of(op)[combination.options[setting.classes.class_of.at(op)]]);
    return operators;
  }

  /// True if one of the combinations that look best under bounds can be lowered; else they are logged as
  /// infeasible, and the time to measure their parts is saved. Lowering is all that is asked for: the run is
  /// limited to a cycle.
  bool some_combination_fits(const StageSetting& setting, const ClassPrices& prices) {
    std::vector<Stage> stages;
    std::vector<PriceAnswer> answers;
    const PriceLimit at_once{1, 1};
    for (const Combination& combination : prices.by_bounds(std::max(1u, options_.stage_candidates))) {
      stages.push_back(stage_of(setting, operators_of(setting, combination)));
      answers.push_back(oracle_.price_stages({stages.back()}, at_once).at(0));
      if (answers.back().status != PriceStatus::infeasible) return true;
    }
    for (std::size_t i = 0; i < stages.size(); ++i) {
      const StagePrice bound = bounds_.stage(stages[i]);
      log_.form_infeasible(std::move(stages[i]), bound, answers[i]);
    }
    return false;
  }

  std::optional<std::size_t> two_level(bool probing) {
    std::vector<ClassPrices> prices;
    prices.reserve(settings_.size());
    for (const StageSetting& setting : settings_)
      prices.emplace_back(graph_, hardware_, proposal_, setting, options_.samples, bounds_, log_);
    // The last setting, with streamed weights, needs the least room.
    const std::uint32_t samples = ceil_div(options_.samples, settings_.back().sub_batches);
    if (probing && room_is_scarce(graph_, hardware_, proposal_, samples) &&
        !some_combination_fits(settings_.back(), prices.back())) {
      skipped_ = true;
      return std::nullopt;
    }
    const std::size_t wanted = std::max<std::size_t>(1, options_.stage_candidates);
    std::optional<std::size_t> best;
    best = try_stages(least_sums(prices, wanted));
    for (std::size_t width = wanted; !best && width <= kWidest * wanted; width *= 2) {
      std::vector<Choice> choices;
      for (const Combination& combination : prices.back().cheapest(width))
        choices.push_back({settings_.size() - 1, combination});
      best = try_stages(choices);
    }
    // After the choice, which therefore does not depend on the mode.
    if (options_.prune != PruneMode::automatic)
      for (ClassPrices& one : prices) one.measure_operators();
    return best;
  }

  /// The least sums over all settings. The setting that looks best under bounds is searched first; its sums
  /// limit what is measured for the others.
  std::vector<Choice> least_sums(std::vector<ClassPrices>& prices, std::size_t wanted) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t setting = 0; setting < prices.size(); ++setting) {
      const std::vector<Combination> best = prices[setting].by_bounds(1);
      order.emplace_back(best.empty() ? kImpossible : best.front().cost, setting);
    }
    std::sort(order.begin(), order.end());
    std::vector<Choice> choices;
    for (const auto& [bound, setting] : order) {
      const std::uint64_t most = choices.size() < wanted ? kImpossible : choices[wanted - 1].combination.cost;
      for (Combination& combination : prices[setting].cheapest(wanted, most))
        choices.push_back({setting, std::move(combination)});
      std::sort(choices.begin(), choices.end(), [](const Choice& a, const Choice& b) {
        if (a.combination.cost != b.combination.cost) return a.combination.cost < b.combination.cost;
        if (a.setting != b.setting) return a.setting < b.setting;
        return a.combination.options < b.combination.options;
      });
    }
    if (choices.empty()) return choices;
    // Half of the places go to combinations that differ in more than details.
    choices.resize(std::min(choices.size(), (wanted + 1) / 2));
    const Choice best = choices.front();
    for (Combination& combination : prices[best.setting].varied(best.combination, wanted - choices.size()))
      choices.push_back({best.setting, std::move(combination)});
    return choices;
  }

  std::optional<std::size_t> try_stages(const std::vector<Choice>& choices) {
    std::vector<std::size_t> numbers;
    for (const Choice& choice : choices) {
      const StageSetting& setting = settings_[choice.setting];
      if (tried_.insert({choice.setting, choice.combination.options}).second)
        numbers.push_back(form(setting, operators_of(setting, choice.combination)));
    }
    return log_.cheapest_stage(numbers, kStageBatch);
  }

  IntraStageResult finish(std::size_t best) {
    IntraStageResult result;
    result.best = log_.record(best).candidate;
    result.price = log_.record(best).price;
    result.two_level = two_level_;
    result.flat_size = flat_size_;
    result.bound_violations = log_.audit();
    result.records = log_.take();
    return result;
  }

  Infeasible nothing_fits() const {
    if (too_large_) return *too_large_;
    const auto pes = static_cast<std::uint64_t>(proposal_.group.pes(hardware_).size());
    const std::string reason = log_.last_reason();
    return {
        fmt::format("operators {} to {} on {}: no candidate fits{}{}",
                    graph_.op(proposal_.operators.front()).name, graph_.op(proposal_.operators.back()).name,
                    proposal_.group.to_string(), reason.empty() ? "" : "; the last one: ", reason),
        pes + 1, pes, "PEs", "use a larger group or fewer operators"};
  }

  const Graph& graph_;
  const HardwareSpec& hardware_;
  const StageProposal& proposal_;
  CostOracle& oracle_;
  const IntraStageOptions& options_;
  LowerBounds bounds_;
  CandidateLog log_;
  std::vector<StageSetting> settings_;
  std::set<std::pair<std::size_t, std::vector<std::size_t>>> tried_;
  std::uint64_t flat_size_ = 0;
  bool two_level_ = false;
  bool skipped_ = false;  // a number of sub-batches, because no probe fitted
  std::optional<Infeasible> too_large_;
};

}  // namespace

class TwoLevelOptimizer final : public IntraStageOptimizer {
 public:
  Result<IntraStageResult, Infeasible> optimize(const Graph& graph, const HardwareSpec& hardware,
                                                const StageProposal& proposal, CostOracle& oracle,
                                                const IntraStageOptions& options) const override {
    return Search(graph, hardware, proposal, oracle, options).run();
  }
};

const Registration<IntraStageOptimizer, TwoLevelOptimizer> kTwoLevel{
    "two_level",
    "all combinations of operator candidates up to 64; beyond, the best sums of measured prices"};

}  // namespace dfsim
