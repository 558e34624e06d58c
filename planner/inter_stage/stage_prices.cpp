#include "planner/inter_stage/stage_prices.h"

#include <algorithm>
#include <tuple>

namespace dfsim {

namespace {

/// So few segments that cuts need not be chosen with care.
constexpr std::uint32_t kFewSegments = 6;

}  // namespace

StagePrices::StagePrices(const Segments& segments, const ShapeTable& shapes, NocId noc,
                         const ExecutionCost& cost, Objective objective, TimeSharing sharing)
    : segments_(segments), shapes_(shapes), objective_(objective) {
  const std::size_t size = std::size_t{segments.count()} * (segments.count() + 1) * shapes.count();
  any_.resize(size);
  measured_.resize(size);
  ask(cost, noc);
  if (segments.count() <= kFewSegments) sharing = TimeSharing::everywhere;
  share(any_, std::vector<GroupPlan>(any_), sharing);
  share(measured_, std::vector<GroupPlan>(measured_), sharing);
}

void StagePrices::ask(const ExecutionCost& cost, NocId noc) {
  for (std::uint32_t from = 0; from < segments_.count(); ++from)
    for (std::uint32_t to = from + 1; to <= segments_.count(); ++to) {
      StageProposal proposal{.operators = segments_.operators(from, to), .group = {}};
      for (std::uint32_t shape = 0; shape < shapes_.count(); ++shape) {
        const Extent& extent = shapes_.shape(shape);
        proposal.group.submeshes = {
            Submesh{.noc = noc, .width = extent[0], .height = extent[1], .depth = extent[2]}};
        const KnownPrice price = cost.stage(proposal);
        const bool measured = price.basis == PriceBasis::measured;
        const GroupPlan plan{.period = price.period_cycles,
                             .latency = price.latency_cycles,
                             .unmeasured = measured ? 0u : 1u,
                             .last_stage = from};
        if (!plan.possible()) continue;
        any_[index(from, to, shape)] = plan;
        if (measured) measured_[index(from, to, shape)] = plan;
      }
    }
}

bool StagePrices::better(const GroupPlan& a, const GroupPlan& b) const {
  if (objective_ == Objective::interval)
    return std::tie(a.period, a.unmeasured, a.latency) < std::tie(b.period, b.unmeasured, b.latency);
  return std::tie(a.latency, a.unmeasured, a.period) < std::tie(b.latency, b.unmeasured, b.period);
}

/// Shortest path over the cuts of each run. One stage wins ties, since it comes first.
void StagePrices::share(std::vector<GroupPlan>& plans, const std::vector<GroupPlan>& alone,
                        TimeSharing sharing) const {
  for (std::uint32_t length = 2; length <= segments_.count(); ++length)
    for (std::uint32_t from = 0; from + length <= segments_.count(); ++from)
      for (std::uint32_t shape = 0; shape < shapes_.count(); ++shape) {
        const std::uint32_t to = from + length;
        GroupPlan& plan = plans[index(from, to, shape)];
        const bool all = sharing == TimeSharing::everywhere || !any_[index(from, to, shape)].possible();
        for (std::uint32_t cut = from + 1; cut < to; ++cut) {
          if (!all && !segments_.cut(cut).changes_size) continue;
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
