#include "planner/inter_stage/random_plans.h"

#include <algorithm>
#include <limits>
#include <map>

namespace dfsim {

namespace {

constexpr std::uint32_t kImpossible = std::numeric_limits<std::uint32_t>::max();

}  // namespace

PlanGrowth::PlanGrowth(const PlanSpace& space, PlanPricer& pricer) : space_(space), pricer_(pricer) {
  const std::uint32_t n = space.segments();
  least_pes_.assign(n + 1, kImpossible);
  least_pes_[n] = 0;
  for (std::uint32_t from = n; from-- > 0;)
    for (std::uint32_t to = from + 1; to <= n; ++to) {
      if (least_pes_[to] == kImpossible) continue;
      for (std::uint32_t kind = 0; kind < space.kinds().size(); ++kind)
        if (space.price(from, to, kind).possible())
          least_pes_[from] = std::min(least_pes_[from], space.kinds()[kind].pes + least_pes_[to]);
    }
}

std::vector<NextGroup> PlanGrowth::choices(const PlanGenes& begun) const {
  const std::uint32_t from = begun.empty() ? 0 : begun.back().to;
  std::uint32_t left = space_.pes();
  for (const GeneGroup& gene : begun) left -= space_.kinds()[gene.kind].pes;
  PlanGenes next = begun;
  next.emplace_back();
  std::vector<std::optional<bool>> fits(space_.kinds().size());
  std::vector<NextGroup> choices;
  for (std::uint32_t to = from + 1; to <= space_.segments(); ++to) {
    if (least_pes_[to] == kImpossible) continue;
    for (std::uint32_t kind = 0; kind < space_.kinds().size(); ++kind) {
      const std::uint32_t pes = space_.kinds()[kind].pes;
      if (pes > left || least_pes_[to] > left - pes || !space_.price(from, to, kind).possible()) continue;
      const std::uint32_t noc = space_.kinds()[kind].noc;
      if (!begun.empty() && space_.kinds()[begun.back().kind].noc != noc &&
          !space_.crossing(space_.kinds()[begun.back().kind].noc, noc, from))
        continue;
      next.back() = {to, kind};
      if (!fits[kind]) fits[kind] = pricer_.fits(next);
      if (*fits[kind]) choices.push_back({{to, kind}, left - pes});
    }
  }
  return choices;
}

std::optional<PlanGenes> PlanGrowth::grow(PlanGenes begun, Rng& rng) const {
  while (begun.empty() || begun.back().to < space_.segments()) {
    const std::vector<NextGroup> all = choices(begun);
    if (all.empty()) return std::nullopt;
    // First the end of the run, then the group: else long runs, which have as many groups each, win by count.
    std::map<std::uint32_t, std::vector<const NextGroup*>> by_end;
    for (const NextGroup& choice : all) by_end[choice.gene.to].push_back(&choice);
    auto end = by_end.begin();
    std::advance(end, static_cast<std::ptrdiff_t>(rng.below(by_end.size())));
    begun.push_back(end->second[rng.below(end->second.size())]->gene);
  }
  return begun;
}

}  // namespace dfsim
