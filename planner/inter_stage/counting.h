// planner/inter_stage/counting.h: plans that need only count their PEs: exact on a line, a bound elsewhere.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/inter_stage/plan_space.h"

namespace dfsim {

/// Plans whose groups together have at most as many PEs as there are, wherever they might lie: dynamic
/// programming over (groups, segments, PEs). On a line of PEs every such plan can be placed, so the result is
/// exact. Elsewhere it is a lower bound: geometry and Ethernet can only make plans worse.
class CountingPlans {
 public:
  /// Plans with at least `least_groups` groups.
  explicit CountingPlans(const PlanSpace& space, std::uint32_t least_groups = 1);

  double least_slowest();
  /// Best rank of the plans in which no group takes longer than `cap`.
  PlanRank rank_under(double cap);
  /// That plan, placed along the line from the left (one NoC).
  std::vector<PlacedGroup> groups() const;

 private:
  /// Best of several kinds with the same number of PEs.
  struct Offer {
    std::uint32_t kind = 0, pes = 0;
    bool measured = false;
    GroupPlan plan;
  };
  struct Step {
    PlanRank rank;
    std::uint32_t from = 0;
    std::size_t offer = 0;  ///< index in offers_[from][to]
  };
  std::size_t index(std::uint32_t groups, std::uint32_t to, std::uint32_t pes) const {
    return (std::size_t{groups} * (space_.segments() + 1) + to) * (pes_ + 1) + pes;
  }
  std::vector<Offer>& offers(std::uint32_t from, std::uint32_t to) {
    return offers_[std::size_t{from} * (space_.segments() + 1) + to];
  }
  const std::vector<Offer>& offers(std::uint32_t from, std::uint32_t to) const {
    return offers_[std::size_t{from} * (space_.segments() + 1) + to];
  }
  void collect(std::uint32_t from, std::uint32_t to);
  void improve(std::uint32_t groups, std::uint32_t from, std::uint32_t to, double cap);
  std::uint32_t next(std::uint32_t groups) const { return groups < most_ ? groups + 1 : most_; }

  const PlanSpace& space_;
  std::uint32_t pes_, least_, most_;  ///< groups are counted up to most_
  std::vector<std::vector<Offer>> offers_;
  std::vector<Step> steps_;
};

/// Best value over the caps that matter for the aim. `Plans` offers least_slowest() and rank_under(cap); the
/// winning cap is the last one that rank_under was called with. Nothing if no plan is possible.
template <class Plans>
std::optional<double> best_value(Plans& plans, const PlanSpace& space);

/// No plan of `space` with at least `least_groups` groups has a smaller value; infinite if there is none.
double value_bound(const PlanSpace& space, std::uint32_t least_groups = 1);

/// Plans whose groups fit by count, all of them or those that use every PE. For tests and to see whether a
/// space can be enumerated.
double count_plans(const PlanSpace& space, bool all_pes_used = false);

/// Distinct periods of all prices, ascending.
std::vector<double> distinct_periods(const PlanSpace& space);

template <class Plans>
std::optional<double> best_value(Plans& plans, const PlanSpace& space) {
  const PlanAim& aim = space.aim();
  if (aim.kind != Aim::makespan) {
    const double cap = aim.kind == Aim::interval ? plans.least_slowest() : kNever;
    const PlanRank rank = plans.rank_under(cap);
    if (!rank.possible()) return std::nullopt;
    return PlanScore{cap, rank}.value(aim);
  }
  // The slowest group of the best plan takes one of the distinct periods: try each as the cap.
  const double later = aim.micro_batches - 1;
  const double least_sum = plans.rank_under(kNever).latency;
  if (least_sum == kNever) return std::nullopt;
  double best = kNever, best_cap = kNever;
  const double slowest = plans.least_slowest();
  for (const double cap : distinct_periods(space)) {
    if (cap < slowest) continue;
    if (least_sum + later * cap >= best) break;
    const double value = plans.rank_under(cap).latency + later * cap;
    if (value < best) {
      best = value;
      best_cap = cap;
    }
  }
  plans.rank_under(best_cap);
  return best;
}

}  // namespace dfsim
