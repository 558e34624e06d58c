// planner/inter_stage/dp.cpp: dynamic programming over runs of segments and straight cuts.
//
// Exact for stage prices among: segments of planner/inter_stage/segments.h, boxes of shapes.h, time-sharing
// as in stage_prices.h, the Ethernet between NoCs counted at its wire rate. Prices of transfers on a NoC are
// not looked at; the loop adds them to the estimate.
#include <algorithm>
#include <deque>
#include <optional>

#include "planner/inter_stage/counting.h"
#include "planner/inter_stage/optimizer.h"
#include "planner/inter_stage/region.h"

namespace dfsim {

namespace {

/// Deals runs of segments to NoCs in turn. Entry [noc][to]: segments [0, to) are placed, the last on `noc`.
class NocChain {
 public:
  explicit NocChain(const PlanSpace& space) : space_(space) {
    for (const NocSpace& noc : space.nocs())
      regions_.emplace_back(noc.shapes, noc.prices, space.segments(), space.aim().kind);
  }

  double least_slowest() const {
    const std::uint32_t n = space_.segments();
    std::vector<std::vector<double>> slowest(nocs(), std::vector<double>(n + 1, kNever));
    for (std::uint32_t noc = 0; noc < nocs(); ++noc)
      for (std::uint32_t to = 1; to <= n; ++to) {
        slowest[noc][to] = regions_[noc].slowest(0, to);
        for (std::uint32_t before = 0; before < noc; ++before)
          for (std::uint32_t from = 1; from < to; ++from)
            if (const auto wire = space_.crossing(before, noc, from))
              slowest[noc][to] =
                  std::min(slowest[noc][to],
                           std::max({slowest[before][from], regions_[noc].slowest(from, to), wire->period}));
      }
    double best = kNever;
    for (const auto& row : slowest) best = std::min(best, row[n]);
    return best;
  }

  /// Best rank of the plans in which nothing takes longer than `cap`.
  PlanRank rank_under(double cap) {
    for (RegionPlans& region : regions_) region.rank_under(cap);
    const std::uint32_t n = space_.segments();
    const Aim aim = space_.aim().kind;
    steps_.assign(nocs(), std::vector<Step>(n + 1));
    for (std::uint32_t noc = 0; noc < nocs(); ++noc)
      for (std::uint32_t to = 1; to <= n; ++to) {
        Step& step = steps_[noc][to];
        step.rank = regions_[noc].rank(0, to);
        for (std::uint32_t before = 0; before < noc; ++before)
          for (std::uint32_t from = 1; from < to; ++from) {
            const auto wire = space_.crossing(before, noc, from);
            if (!wire || wire->period > cap) continue;
            PlanRank rank = steps_[before][from].rank + regions_[noc].rank(from, to);
            rank.latency += wire->latency;
            if (better(rank, step.rank, aim)) step = {rank, from, before};
          }
      }
    last_.reset();
    for (std::uint32_t noc = 0; noc < nocs(); ++noc)
      if (steps_[noc][n].rank.possible() &&
          (!last_ || better(steps_[noc][n].rank, steps_[*last_][n].rank, aim)))
        last_ = noc;
    return last_ ? steps_[*last_][n].rank : PlanRank{};
  }

  /// The plan of the last rank_under().
  std::vector<PlacedGroup> groups() const {
    std::vector<PlacedGroup> groups;
    std::uint32_t to = space_.segments();
    for (std::optional<std::uint32_t> noc = last_; noc;) {
      const Step& step = steps_[*noc][to];
      const auto part = regions_[*noc].groups(space_.nocs()[*noc].noc, step.from, to);
      groups.insert(groups.begin(), part.begin(), part.end());
      to = step.from;
      noc = step.before;
    }
    return groups;
  }

 private:
  struct Step {
    PlanRank rank;
    std::uint32_t from = 0;
    std::optional<std::uint32_t> before;  ///< NoC of the segments before
  };
  std::uint32_t nocs() const { return static_cast<std::uint32_t>(regions_.size()); }

  const PlanSpace& space_;
  std::deque<RegionPlans> regions_;
  std::vector<std::vector<Step>> steps_;
  std::optional<std::uint32_t> last_;
};

template <class Plans>
std::optional<FoundPlan> best_of(Plans& plans, const PlanSpace& space) {
  const auto value = best_value(plans, space);
  if (!value) return std::nullopt;
  FoundPlan found;
  found.groups = plans.groups();
  found.bound = *value;
  found.exact = true;
  return found;
}

PlanScore score_of(const FoundPlan& found, const PlanSpace& space) {
  PlanScore score;
  for (const PlacedGroup& group : found.groups) {
    const Extent extent{group.box.width, group.box.height, group.box.depth};
    std::uint32_t kind = 0;
    while (space.nocs()[space.kinds()[kind].noc].noc != group.box.noc || space.kinds()[kind].extent != extent)
      ++kind;
    const GroupPlan& plan = group.measured ? space.measured_price(group.from, group.to, kind)
                                           : space.price(group.from, group.to, kind);
    const std::uint32_t pes = group.box.size();
    score.slowest = std::max(score.slowest, plan.period);
    score.rank = score.rank + PlanRank{plan.unmeasured, plan.latency, kSpreadUnit / pes, pes};
  }
  return score;
}

bool is_line(const PlanSpace& space) {
  if (space.nocs().size() != 1) return false;
  const Extent& extent = space.nocs().front().extent;
  return std::count_if(extent.begin(), extent.end(), [](std::uint32_t side) { return side > 1; }) <= 1;
}

/// Straight cuts of a table's area lose nothing for up to four groups (a pinwheel needs five), if sets of
/// segments that do not follow one another may lie together. So only plans of more groups can be better, and
/// those are bounded by counting PEs.
void prove(FoundPlan& found, const PlanSpace& space) {
  constexpr std::uint32_t kPinwheel = 5;
  const bool all_sets = space.segments() <= SegmentSets::kSmall;
  found.bound = std::min(found.bound, value_bound(space, all_sets ? kPinwheel : 1));
  found.exact = found.score.value(space.aim()) <= found.bound;
}

class DynamicProgramming : public InterStageOptimizer {
 public:
  Result<FoundPlan, Infeasible> search(const PlanSpace& space, const SearchSettings&, Rng&) const override {
    std::optional<FoundPlan> found;
    if (space.from_table() && is_line(space)) {
      CountingPlans plans(space);
      found = best_of(plans, space);
    } else {
      NocChain plans(space);
      found = best_of(plans, space);
    }
    if (!found) return nothing_fits(space);
    found->score = score_of(*found, space);
    if (space.from_table() && !is_line(space)) prove(*found, space);
    return *found;
  }
};

}  // namespace

const Registration<InterStageOptimizer, DynamicProgramming> kDynamicProgramming{
    "dp", "cuts layers and rectangles together by dynamic programming (straight cuts, exact)"};

}  // namespace dfsim
