// planner/inter_stage/plan_pricer.h: the encoding of a plan that the searches share, and what prices it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "planner/inter_stage/optimizer.h"
#include "planner/inter_stage/packing.h"

namespace dfsim {

/// One run of segments on a kind of group. Runs of a plan follow one another.
struct GeneGroup {
  std::uint32_t to = 0;    ///< one past its last segment; it begins where the group before ends
  std::uint32_t kind = 0;  ///< index in PlanSpace::kinds
  auto operator<=>(const GeneGroup&) const = default;
};
using PlanGenes = std::vector<GeneGroup>;

/// Prices complete plans: every different plan once. Keeps the best and the log of how it was reached.
class PlanPricer {
 public:
  /// `budget`: different plans that may be priced.
  PlanPricer(const PlanSpace& space, std::uint64_t budget);
  /// With the budget of the settings, their plan to start from priced if it is possible, and the bound.
  PlanPricer(const PlanSpace& space, const SearchSettings& settings);

  /// The groups lie side by side on their NoCs without overlap, wherever that is (packed truly).
  bool fits(const PlanGenes& genes);
  /// The plan's score; nothing if a stage has no price, NoCs are not joined, or the groups do not fit.
  std::optional<PlanScore> price(const PlanGenes& genes);

  std::uint64_t priced() const { return priced_; }
  bool spent() const { return priced_ >= budget_; }
  /// No plan of the space has a smaller value, by counting PEs alone.
  double bound() const { return bound_; }
  /// The best plan reaches the bound and holds measured prices only: no other can be better.
  bool proved() const {
    return best_ && best_score_.rank.unmeasured == 0 && best_score_.value(space_.aim()) <= bound_;
  }
  const std::optional<PlanGenes>& best() const { return best_; }
  const PlanScore& best_score() const { return best_score_; }
  /// The best plan with its groups placed so that neighbours lie close; nothing if none was found. With its
  /// log and bound.
  std::optional<FoundPlan> found() const;

 private:
  struct Priced {
    PlanScore score;
    std::vector<bool> measured;  ///< per group: the best measured division is good enough
  };
  std::optional<Priced> compute(const PlanGenes& genes) const;

  const PlanSpace& space_;
  std::uint64_t budget_, priced_ = 0;
  double bound_ = 0;
  std::vector<PackingStore> packings_;  ///< by NoC
  std::map<PlanGenes, std::optional<Priced>> known_;
  std::optional<PlanGenes> best_;
  PlanScore best_score_;
  std::vector<SearchStep> log_;
};

}  // namespace dfsim
