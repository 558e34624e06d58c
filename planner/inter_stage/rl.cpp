// planner/inter_stage/rl.cpp: reinforcement learning: a policy builds plans from left to right.
//
// State: the groups chosen so far. Action: the next run of segments and its kind of group; what cannot be
// followed by a complete plan is masked. Reward: minus the value of the plan, at its end. REINFORCE
// (Williams, 1992) on batches of plans, with the mean of the batch as baseline and the deviation as unit; an
// entropy bonus and a share of random choices keep the search open. The best plan seen is the answer.
#include <algorithm>
#include <cmath>

#include "planner/inter_stage/optimizer.h"
#include "planner/inter_stage/policy.h"
#include "planner/inter_stage/random_plans.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr std::size_t kBatch = 16;
constexpr double kRate = 0.02;
constexpr double kEntropy = 0.02;
constexpr double kRandomPlans = 0.15;   ///< share of plans in which choices are also made at random
constexpr double kRandomChoices = 0.5;  ///< of the choices in such a plan
constexpr std::uint32_t kStall = 20;    ///< batches without a new plan
constexpr std::uint32_t kLeast = 10;    ///< batches to learn from, even if the best plan is known before
constexpr std::uint64_t kRepeats = 10;  ///< plans built per plan that may be priced, repeats included

/// What a policy sees of a possible next group. Nothing has a unit: times are compared with the time that all
/// work would take evenly on all PEs.
class View {
 public:
  explicit View(const PlanSpace& space) : space_(space), work_(space.segments() + 1, 0) {
    for (std::uint32_t i = 0; i < space.segments(); ++i) work_[i + 1] = work_[i] + work_of(i);
    if (work_.back() <= 0)
      for (std::uint32_t i = 0; i <= space.segments(); ++i) work_[i] = i;
    even_ = work_.back() / space.pes();
  }

  Policy::Features of(const PlanGenes& begun, const std::vector<NextGroup>& choices) const {
    PlanScore score;
    for (std::uint32_t from = 0, i = 0; i < begun.size(); from = begun[i++].to) {
      const GroupPlan& plan = space_.price(from, begun[i].to, begun[i].kind);
      score.slowest = std::max(score.slowest, plan.period);
      score.rank.latency += plan.latency;
    }
    Policy::Features features(Policy::kFeatures, static_cast<Eigen::Index>(choices.size()));
    for (std::size_t c = 0; c < choices.size(); ++c)
      fill(features.col(static_cast<Eigen::Index>(c)), begun, choices[c], score);
    return features;
  }

 private:
  /// PE-cycles of a segment on the kind of group that wastes least; 0 if it never stands alone.
  double work_of(std::uint32_t segment) const {
    double least = kNever;
    for (std::uint32_t kind = 0; kind < space_.kinds().size(); ++kind)
      if (const GroupPlan& plan = space_.price(segment, segment + 1, kind); plan.possible())
        least = std::min(least, plan.period * space_.kinds()[kind].pes);
    return least < kNever ? least : 0;
  }
  /// Octaves above the even time, about -1 to 2.
  double octaves(double time) const { return std::log2(std::max(time, 1e-9) / even_) / 4; }

  void fill(Eigen::Ref<Eigen::VectorXd> column, const PlanGenes& begun, const NextGroup& choice,
            const PlanScore& score) const {
    const std::uint32_t from = begun.empty() ? 0 : begun.back().to, to = choice.gene.to;
    const GroupPlan& plan = space_.price(from, to, choice.gene.kind);
    const double pes = space_.kinds()[choice.gene.kind].pes, all = space_.pes(), n = space_.segments();
    const double run = work_[to] - work_[from], total = work_.back();
    const double work_left = (total - work_[to]) / total, pes_left = choice.pes_left / all;
    column << 1, octaves(plan.period), octaves(std::max(plan.period, score.slowest)),
        octaves(plan.latency + score.rank.latency), pes / all, pes_left, run / total, work_left,
        work_left - pes_left, run > 0 ? std::log2(std::max(plan.period * pes / run, 1e-9)) / 2 : 0,
        to == space_.segments() ? 1 : 0, (to - from) / n, plan.unmeasured > 0 ? 1 : 0,
        static_cast<double>(begun.size()) / 8;
  }

  const PlanSpace& space_;
  std::vector<double> work_;  ///< before each segment
  double even_ = 1;
};

class Training {
 public:
  Training(const PlanSpace& space, PlanPricer& pricer, Policy& policy, Rng& rng)
      : space_(space), pricer_(pricer), policy_(policy), rng_(rng), growth_(space, pricer), view_(space) {}

  void run(std::uint64_t budget) {
    if (!growth_.possible()) return;
    const std::uint64_t most = kRepeats * budget / kBatch + 1;
    std::uint32_t idle = 0;
    for (std::uint64_t batches = 0; idle < kStall && !pricer_.spent() && batches < most; ++batches) {
      if (batches >= kLeast && pricer_.proved()) return;
      const std::uint64_t before = pricer_.priced();
      batch();
      idle = pricer_.priced() > before ? 0 : idle + 1;
    }
  }

 private:
  struct Choice {
    Policy::Features features;
    Policy::Rating rating;
    std::size_t chosen = 0;
  };
  struct Episode {
    std::vector<Choice> choices;
    std::optional<double> value;  ///< nothing: it ended where no group fits
  };

  std::size_t drawn(const Eigen::VectorXd& chances) {
    double left = rng_.uniform();
    for (Eigen::Index i = 0; i + 1 < chances.size(); ++i)
      if ((left -= chances[i]) < 0) return static_cast<std::size_t>(i);
    return static_cast<std::size_t>(chances.size() - 1);
  }

  Episode episode() {
    Episode episode;
    PlanGenes genes;
    const bool open = rng_.uniform() < kRandomPlans;
    while (genes.empty() || genes.back().to < space_.segments()) {
      const std::vector<NextGroup> choices = growth_.choices(genes);
      if (choices.empty()) return episode;
      Choice choice{view_.of(genes, choices), {}, 0};
      choice.rating = policy_.rate(choice.features);
      choice.chosen =
          open && rng_.uniform() < kRandomChoices ? rng_.below(choices.size()) : drawn(choice.rating.chances);
      genes.push_back(choices[choice.chosen].gene);
      episode.choices.push_back(std::move(choice));
    }
    if (const auto score = pricer_.price(genes)) episode.value = score->value(space_.aim());
    return episode;
  }

  void batch() {
    std::vector<Episode> episodes;
    for (std::size_t i = 0; i < kBatch && !pricer_.spent(); ++i) episodes.push_back(episode());
    double worst = 0, sum = 0, squares = 0;
    for (const Episode& one : episodes) worst = std::max(worst, one.value.value_or(0));
    // A dead end counts as the worst plan of the batch.
    for (const Episode& one : episodes) sum += one.value.value_or(worst);
    const double mean = sum / static_cast<double>(episodes.size());
    for (const Episode& one : episodes) squares += std::pow(one.value.value_or(worst) - mean, 2);
    const double deviation = std::sqrt(squares / static_cast<double>(episodes.size()));
    for (const Episode& one : episodes) {
      const double reward = deviation > 0 ? (mean - one.value.value_or(worst)) / deviation : 0;
      for (const Choice& choice : one.choices)
        policy_.collect(choice.features, choice.rating, choice.chosen, std::clamp(reward, -3.0, 3.0) / kBatch,
                        kEntropy / kBatch);
    }
    policy_.step(kRate);
  }

  const PlanSpace& space_;
  PlanPricer& pricer_;
  Policy& policy_;
  Rng& rng_;
  PlanGrowth growth_;
  View view_;
};

Policy beginning(const SearchSettings& settings, Rng& rng) {
  if (settings.policy.empty()) return Policy(rng);
  const auto policy = Policy::from_text(settings.policy);
  if (!policy) throw SimulationError("rl: " + policy.reason());  // callers check what users give
  return *policy;
}

class ReinforcementLearning : public InterStageOptimizer {
 public:
  Result<FoundPlan, Infeasible> search(const PlanSpace& space, const SearchSettings& settings,
                                       Rng& rng) const override {
    PlanPricer pricer(space, settings);
    Policy policy = beginning(settings, rng);
    Training(space, pricer, policy, rng).run(settings.priced_plans);
    auto found = pricer.found();
    if (!found) return nothing_fits(space);
    found->policy = policy.text();
    return *found;
  }
};

}  // namespace

const Registration<InterStageOptimizer, ReinforcementLearning> kReinforcementLearning{
    "rl", "a learned policy builds plans from left to right (policy gradient, seeded)"};

}  // namespace dfsim
