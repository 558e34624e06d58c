#include "planner/inter_stage/counting.h"

#include <algorithm>

namespace dfsim {

CountingPlans::CountingPlans(const PlanSpace& space, std::uint32_t least_groups)
    : space_(space), pes_(space.pes()), least_(least_groups), most_(least_groups) {
  offers_.resize(std::size_t{space.segments()} * (space.segments() + 1));
  for (std::uint32_t from = 0; from < space.segments(); ++from)
    for (std::uint32_t to = from + 1; to <= space.segments(); ++to) collect(from, to);
}

/// Every kind, as the best of all and as the best of measured prices, without those that another beats in PEs
/// and in every part of the price.
void CountingPlans::collect(std::uint32_t from, std::uint32_t to) {
  std::vector<Offer> all;
  for (std::uint32_t kind = 0; kind < space_.kinds().size(); ++kind)
    for (const bool measured : {true, false}) {
      const GroupPlan& plan = measured ? space_.measured_price(from, to, kind) : space_.price(from, to, kind);
      const std::uint32_t pes = space_.kinds()[kind].pes;
      if (plan.possible() && pes <= pes_) all.push_back({kind, pes, measured, plan});
    }
  std::stable_sort(all.begin(), all.end(), [](const Offer& a, const Offer& b) { return a.pes < b.pes; });
  std::vector<Offer>& kept = offers(from, to);
  for (const Offer& offer : all) {
    // A group of fewer PEs counts as more spread, so only offers of the same size can make one useless.
    const bool beaten = std::any_of(kept.begin(), kept.end(), [&](const Offer& other) {
      return other.pes == offer.pes && other.plan.period <= offer.plan.period &&
             other.plan.latency <= offer.plan.latency && other.plan.unmeasured <= offer.plan.unmeasured;
    });
    if (!beaten) kept.push_back(offer);
  }
}

double CountingPlans::least_slowest() {
  std::vector<double> slowest(index(most_, space_.segments(), pes_) + 1, kNever);
  for (std::uint32_t pes = 0; pes <= pes_; ++pes) slowest[index(0, 0, pes)] = 0;
  for (std::uint32_t to = 1; to <= space_.segments(); ++to)
    for (std::uint32_t from = 0; from < to; ++from)
      for (const Offer& offer : offers(from, to))
        for (std::uint32_t groups = 0; groups <= most_; ++groups)
          for (std::uint32_t pes = offer.pes; pes <= pes_; ++pes) {
            double& best = slowest[index(next(groups), to, pes)];
            best = std::min(best, std::max(slowest[index(groups, from, pes - offer.pes)], offer.plan.period));
          }
  return slowest[index(most_, space_.segments(), pes_)];
}

PlanRank CountingPlans::rank_under(double cap) {
  steps_.assign(index(most_, space_.segments(), pes_) + 1, Step{});
  for (std::uint32_t pes = 0; pes <= pes_; ++pes) steps_[index(0, 0, pes)].rank = PlanRank{0, 0, 0, 0};
  for (std::uint32_t to = 1; to <= space_.segments(); ++to)
    for (std::uint32_t from = 0; from < to; ++from)
      for (std::uint32_t groups = 0; groups <= most_; ++groups) improve(groups, from, to, cap);
  return steps_[index(most_, space_.segments(), pes_)].rank;
}

void CountingPlans::improve(std::uint32_t groups, std::uint32_t from, std::uint32_t to, double cap) {
  const std::vector<Offer>& choices = offers(from, to);
  for (std::size_t i = 0; i < choices.size(); ++i) {
    const Offer& offer = choices[i];
    if (offer.plan.period > cap) continue;
    const PlanRank own{offer.plan.unmeasured, offer.plan.latency, kSpreadUnit / offer.pes, offer.pes};
    for (std::uint32_t pes = offer.pes; pes <= pes_; ++pes) {
      const PlanRank& before = steps_[index(groups, from, pes - offer.pes)].rank;
      if (!before.possible()) continue;
      Step& step = steps_[index(next(groups), to, pes)];
      const PlanRank rank = before + own;
      if (better(rank, step.rank, space_.aim().kind)) step = {rank, from, i};
    }
  }
}

std::vector<PlacedGroup> CountingPlans::groups() const {
  std::vector<PlacedGroup> groups;
  std::uint32_t pes = pes_;
  for (std::uint32_t to = space_.segments(); to > 0;) {
    // Only plans of any number of groups are unwound, so all steps but the first count as most_.
    const Step& step = steps_[index(most_, to, pes)];
    const Offer& offer = offers(step.from, to)[step.offer];
    const Extent& extent = space_.kinds()[offer.kind].extent;
    groups.push_back({step.from, to,
                      Submesh{space_.nocs().front().noc, 0, 0, 0, extent[0], extent[1], extent[2]},
                      offer.measured});
    pes -= offer.pes;
    to = step.from;
  }
  std::reverse(groups.begin(), groups.end());
  Extent at{0, 0, 0};
  for (PlacedGroup& group : groups) {
    group.box.x = at[0];
    group.box.y = at[1];
    group.box.z = at[2];
    const Extent& area = space_.nocs().front().extent;
    const std::size_t axis = area[0] > 1 ? 0 : area[1] > 1 ? 1 : 2;
    at[axis] += group.box.size();
  }
  return groups;
}

double value_bound(const PlanSpace& space, std::uint32_t least_groups) {
  CountingPlans plans(space, least_groups);
  return best_value(plans, space).value_or(kNever);
}

double count_plans(const PlanSpace& space, bool all_pes_used) {
  const std::uint32_t n = space.segments(), total = space.pes();
  std::vector<std::vector<double>> plans(n + 1, std::vector<double>(total + 1, 0));
  plans[0][0] = 1;
  for (std::uint32_t to = 1; to <= n; ++to)
    for (std::uint32_t from = 0; from < to; ++from)
      for (std::uint32_t kind = 0; kind < space.kinds().size(); ++kind) {
        if (!space.price(from, to, kind).possible()) continue;
        const std::uint32_t pes = space.kinds()[kind].pes;
        for (std::uint32_t used = pes; used <= total; ++used) plans[to][used] += plans[from][used - pes];
      }
  if (all_pes_used) return plans[n][total];
  double sum = 0;
  for (const double count : plans[n]) sum += count;
  return sum;
}

std::vector<double> distinct_periods(const PlanSpace& space) {
  std::vector<double> periods;
  for (std::uint32_t from = 0; from < space.segments(); ++from)
    for (std::uint32_t to = from + 1; to <= space.segments(); ++to)
      for (std::uint32_t kind = 0; kind < space.kinds().size(); ++kind)
        if (const double period = space.price(from, to, kind).period; period < kNever)
          periods.push_back(period);
  std::sort(periods.begin(), periods.end());
  periods.erase(std::unique(periods.begin(), periods.end()), periods.end());
  return periods;
}

}  // namespace dfsim
