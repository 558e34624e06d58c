// planner/inter_stage/ga.cpp: a genetic algorithm over cut positions and kinds of groups.
//
// Genes are the runs of segments in order, each with its kind of group. Where the groups lie is no gene: they
// are packed truly (packing.h), so plans that no straight cuts make are reached, too. Micro-batches and
// operator candidates are inside the price of a stage. Tournament selection, crossover at a common cut,
// mutation of one or two genes, the best survive (mu + lambda), newcomers keep the population mixed.
#include <algorithm>

#include "planner/inter_stage/optimizer.h"
#include "planner/inter_stage/random_plans.h"

namespace dfsim {

namespace {

constexpr std::size_t kPopulation = 40;
constexpr std::size_t kTournament = 3;
constexpr double kNewcomers = 0.1;    ///< of the children
constexpr double kCrossover = 0.5;    ///< of the other children; the rest are mutated copies
constexpr double kSecondMove = 0.4;   ///< a single move alone gets stuck where two must go together
constexpr std::uint32_t kStall = 20;  ///< generations without a new plan

class Population {
 public:
  Population(const PlanSpace& space, PlanPricer& pricer, Rng& rng)
      : space_(space), pricer_(pricer), growth_(space, pricer), rng_(rng) {}

  void evolve() {
    if (!growth_.possible()) return;
    if (pricer_.best()) members_.push_back({*pricer_.best(), pricer_.best_score()});
    offer_whole();
    for (std::size_t tries = 0; members_.size() < kPopulation && tries < 20 * kPopulation; ++tries)
      newcomer();
    std::uint32_t idle = 0;
    while (idle < kStall && !pricer_.spent() && !pricer_.proved() && !members_.empty()) {
      const std::uint64_t before = pricer_.priced();
      generation();
      idle = pricer_.priced() > before ? 0 : idle + 1;
    }
  }

 private:
  struct Member {
    PlanGenes genes;
    PlanScore score;
  };
  bool less(const Member& a, const Member& b) const {
    if (better(a.score, b.score, space_.aim())) return true;
    if (better(b.score, a.score, space_.aim())) return false;
    return a.genes < b.genes;
  }

  void offer(const PlanGenes& genes) {
    if (pricer_.spent()) return;
    if (const auto score = pricer_.price(genes)) children_.push_back({genes, *score});
  }
  /// One group for everything, of each kind: where every search may begin.
  void offer_whole() {
    for (std::uint32_t kind = 0; kind < space_.kinds().size(); ++kind) {
      if (!space_.price(0, space_.segments(), kind).possible()) continue;
      if (const auto score = pricer_.price({{space_.segments(), kind}}))
        members_.push_back({{{space_.segments(), kind}}, *score});
    }
    select();
    if (members_.size() > kPopulation / 4) members_.resize(kPopulation / 4);
  }
  void newcomer() {
    const auto genes = growth_.grow({}, rng_);
    if (!genes || pricer_.spent()) return;
    if (const auto score = pricer_.price(*genes)) members_.push_back({*genes, *score});
  }

  const PlanGenes& parent() {
    std::size_t best = rng_.below(members_.size());
    for (std::size_t i = 1; i < kTournament; ++i) best = std::min(best, rng_.below(members_.size()));
    return members_[best].genes;  // sorted
  }

  void generation() {
    select();
    children_.clear();
    for (std::size_t i = 0; i < kPopulation; ++i) {
      const double kind = rng_.uniform();
      if (kind < kNewcomers) {
        if (const auto genes = growth_.grow({}, rng_)) offer(*genes);
        continue;
      }
      PlanGenes child = rng_.uniform() < kCrossover ? crossed(parent(), parent()) : mutated(parent());
      if (rng_.uniform() < kSecondMove) child = mutated(child);
      offer(child);
    }
    members_.insert(members_.end(), children_.begin(), children_.end());
    select();
    if (members_.size() > kPopulation) members_.resize(kPopulation);
  }

  void select() {
    std::sort(members_.begin(), members_.end(), [this](const auto& a, const auto& b) { return less(a, b); });
    members_.erase(std::unique(members_.begin(), members_.end(),
                               [](const auto& a, const auto& b) { return a.genes == b.genes; }),
                   members_.end());
  }

  /// The first parent's groups up to a cut that both have; then the second's. Without a common cut the
  /// second's groups behind the first's cut follow, the first of them cut short.
  PlanGenes crossed(const PlanGenes& one, const PlanGenes& two) {
    const std::size_t keep = rng_.below(one.size() + 1);
    PlanGenes child(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(keep));
    const std::uint32_t from = child.empty() ? 0 : child.back().to;
    for (const GeneGroup& gene : two)
      if (gene.to > from) child.push_back(gene);
    return child;
  }

  PlanGenes mutated(PlanGenes genes) {
    const std::size_t i = rng_.below(genes.size());
    switch (rng_.below(6)) {
      case 0:  // move a cut
        if (i + 1 < genes.size()) {
          const std::uint32_t low = i == 0 ? 1 : genes[i - 1].to + 1, high = genes[i + 1].to;
          genes[i].to = low + static_cast<std::uint32_t>(rng_.below(high - low));
        }
        break;
      case 1:  // cut a run in two
      {
        const std::uint32_t low = i == 0 ? 1 : genes[i - 1].to + 1, high = genes[i].to;
        if (low < high)
          genes.insert(genes.begin() + static_cast<std::ptrdiff_t>(i),
                       {low + static_cast<std::uint32_t>(rng_.below(high - low)), any_kind()});
        break;
      }
      case 2:  // join two runs
        if (i + 1 < genes.size()) genes.erase(genes.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      case 3:  // exchange two groups
        std::swap(genes[i].kind, genes[rng_.below(genes.size())].kind);
        break;
      case 4:  // keep the beginning, draw the rest anew
        genes.resize(i);
        return growth_.grow(genes, rng_).value_or(parent());
      default:
        genes[i].kind = any_kind();
    }
    return genes;
  }
  std::uint32_t any_kind() { return static_cast<std::uint32_t>(rng_.below(space_.kinds().size())); }

  const PlanSpace& space_;
  PlanPricer& pricer_;
  PlanGrowth growth_;
  Rng& rng_;
  std::vector<Member> members_, children_;
};

class GeneticAlgorithm : public InterStageOptimizer {
 public:
  Result<FoundPlan, Infeasible> search(const PlanSpace& space, const SearchSettings& settings,
                                       Rng& rng) const override {
    PlanPricer pricer(space, settings);
    Population(space, pricer, rng).evolve();
    auto found = pricer.found();
    if (!found) return nothing_fits(space);
    return *found;
  }
};

}  // namespace

const Registration<InterStageOptimizer, GeneticAlgorithm> kGeneticAlgorithm{
    "ga", "evolves cut positions and kinds of groups, packed truly (seeded)"};

}  // namespace dfsim
