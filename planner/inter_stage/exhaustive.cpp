// planner/inter_stage/exhaustive.cpp: every division into runs of segments, every kind of group for each,
// packed truly.
//
// For small spaces of one NoC. Boxes may lie anywhere (packing.h), so it also reaches plans that straight
// cuts cannot.
#include <algorithm>

#include "planner/inter_stage/counting.h"
#include "planner/inter_stage/optimizer.h"
#include "planner/inter_stage/plan_pricer.h"

namespace dfsim {

namespace {

constexpr double kMostPlans = 1e8;  ///< by count of PEs, before packing and pruning

/// Walks the runs from the left. A part of a plan that is worse than the best plan is left: no part of a
/// score shrinks when groups are added.
class Enumeration {
 public:
  explicit Enumeration(const PlanSpace& space)
      : space_(space), pricer_(space, std::numeric_limits<std::uint64_t>::max()) {
    const std::uint32_t most = space.pes();
    for (std::uint32_t kind = 0; kind < space.kinds().size(); ++kind)
      if (space.kinds()[kind].pes <= most) kinds_.push_back(kind);
    // Large groups first: good plans are found early.
    std::stable_sort(kinds_.begin(), kinds_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return space.kinds()[a].pes > space.kinds()[b].pes;
    });
  }

  std::optional<FoundPlan> best() {
    extend(0, space_.pes(), PlanScore{});
    return pricer_.found();
  }

 private:
  /// `score` is at most that of the groups so far: all count as measured, the quicker way of each counts.
  void extend(std::uint32_t from, std::uint32_t pes_left, const PlanScore& score) {
    if (from == space_.segments()) {
      pricer_.price(genes_);
      return;
    }
    for (std::uint32_t to = space_.segments(); to > from; --to)
      for (const std::uint32_t kind : kinds_) {
        const std::uint32_t pes = space_.kinds()[kind].pes;
        if (pes > pes_left) continue;
        const GroupPlan& plan = space_.price(from, to, kind);
        if (!plan.possible()) continue;
        PlanScore next = score;
        next.slowest = std::max(next.slowest, plan.period);
        const double latency = std::min(plan.latency, space_.measured_price(from, to, kind).latency);
        next.rank = next.rank + PlanRank{0, latency, kSpreadUnit / pes, pes};
        if (pricer_.best() && !better(next, pricer_.best_score(), space_.aim())) continue;
        genes_.push_back({to, kind});
        if (pricer_.fits(genes_)) extend(to, pes_left - pes, next);
        genes_.pop_back();
      }
  }

  const PlanSpace& space_;
  PlanPricer pricer_;
  std::vector<std::uint32_t> kinds_;
  PlanGenes genes_;
};

class Exhaustive : public InterStageOptimizer {
 public:
  Result<FoundPlan, Infeasible> search(const PlanSpace& space, const SearchSettings&, Rng&) const override {
    const bool many_nocs = space.nocs().size() > 1;
    const double plans = many_nocs ? 0 : count_plans(space);
    if (many_nocs || plans > kMostPlans)
      return Infeasible{
          .what = "exhaustive search",
          .demand = many_nocs ? space.nocs().size() : static_cast<std::uint64_t>(std::min(plans, 1e18)),
          .limit = many_nocs ? 1 : static_cast<std::uint64_t>(kMostPlans),
          .unit = many_nocs ? "NoCs" : "plans",
          .lever = "use --optimizer dp"};
    auto found = Enumeration(space).best();
    if (!found) return nothing_fits(space);
    found->bound = found->score.value(space.aim());
    found->exact = true;
    return *found;
  }
};

}  // namespace

const Registration<InterStageOptimizer, Exhaustive> kExhaustive{
    "exhaustive", "tries every plan of a small space (one NoC), boxes packed anywhere"};

}  // namespace dfsim
