#include "planner/inter_stage/stage_prices.h"

#include <algorithm>
#include <tuple>

namespace dfsim {

StagePrices::StagePrices(std::uint32_t segments, const ShapeTable& shapes, const StagePriceFunction& price,
                         Objective objective, const SharingRule& sharing)
    : segments_(segments), shapes_(shapes), objective_(objective) {
  const std::size_t size = std::size_t{segments} * (segments + 1) * shapes.count();
  any_.resize(size);
  measured_.resize(size);
  ask(price);
  if (sharing.kind == TimeSharing::never) return;
  share(any_, std::vector<GroupPlan>(any_), sharing);
  share(measured_, std::vector<GroupPlan>(measured_), sharing);
}

void StagePrices::ask(const StagePriceFunction& price) {
  for (std::uint32_t from = 0; from < segments_; ++from)
    for (std::uint32_t to = from + 1; to <= segments_; ++to)
      for (std::uint32_t shape = 0; shape < shapes_.count(); ++shape) {
        const KnownPrice known = price(from, to, shapes_.shape(shape));
        const bool measured = known.basis == PriceBasis::measured;
        const GroupPlan plan{.period = known.period_cycles,
                             .latency = known.latency_cycles,
                             .unmeasured = measured ? 0u : 1u,
                             .last_stage = from};
        if (!plan.possible()) continue;
        any_[index(from, to, shape)] = plan;
        if (measured) measured_[index(from, to, shape)] = plan;
      }
}

bool StagePrices::better(const GroupPlan& a, const GroupPlan& b) const {
  if (objective_ == Objective::interval)
    return std::tie(a.period, a.unmeasured, a.latency) < std::tie(b.period, b.unmeasured, b.latency);
  return std::tie(a.latency, a.unmeasured, a.period) < std::tie(b.latency, b.unmeasured, b.period);
}

/// Shortest path over the cuts of each run. One stage wins ties, since it comes first.
void StagePrices::share(std::vector<GroupPlan>& plans, const std::vector<GroupPlan>& alone,
                        const SharingRule& sharing) const {
  for (std::uint32_t length = 2; length <= segments_; ++length)
    for (std::uint32_t from = 0; from + length <= segments_; ++from)
      for (std::uint32_t shape = 0; shape < shapes_.count(); ++shape) {
        const std::uint32_t to = from + length;
        GroupPlan& plan = plans[index(from, to, shape)];
        const bool all = sharing.kind == TimeSharing::everywhere || !any_[index(from, to, shape)].possible();
        for (std::uint32_t cut = from + 1; cut < to; ++cut) {
          if (!all && !sharing.useful_cuts[cut]) continue;
          const GroupPlan& left = plans[index(from, cut, shape)];
          const GroupPlan& right = alone[index(cut, to, shape)];
          if (!left.possible() || !right.possible()) continue;
          const GroupPlan both{.period = left.period + right.period,
                               .latency = left.latency + right.latency,
                               .unmeasured = left.unmeasured + right.unmeasured,
                               .last_stage = cut};
          if (better(both, plan)) plan = both;
        }
      }
}

std::vector<std::uint32_t> StagePrices::stages(std::uint32_t from, std::uint32_t to, std::uint32_t shape,
                                               bool measured) const {
  const std::vector<GroupPlan>& plans = measured ? measured_ : any_;
  std::vector<std::uint32_t> first;
  for (std::uint32_t end = to; end > from; end = first.back())
    first.push_back(plans[index(from, end, shape)].last_stage);
  std::reverse(first.begin(), first.end());
  return first;
}

}  // namespace dfsim
