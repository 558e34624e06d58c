#include "planner/inter_stage/plan_pricer.h"

#include <algorithm>

#include "planner/inter_stage/counting.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

std::uint32_t apart(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

std::uint64_t distance(const std::vector<PlacedGroup>& groups) {
  std::uint64_t sum = 0;
  for (std::size_t i = 1; i < groups.size(); ++i) {
    const Submesh &a = groups[i - 1].box, &b = groups[i].box;
    if (a.noc == b.noc) sum += apart(a.x, b.x) + apart(a.y, b.y) + apart(a.z, b.z);
  }
  return sum;
}

bool equal_shape(const Submesh& a, const Submesh& b) {
  return a.noc == b.noc && a.width == b.width && a.height == b.height && a.depth == b.depth;
}

/// Equal boxes change places while that shortens the way along the stages.
void bring_together(std::vector<PlacedGroup>& groups) {
  for (bool better = true; better;) {
    better = false;
    for (std::size_t i = 0; i < groups.size(); ++i)
      for (std::size_t k = i + 1; k < groups.size(); ++k) {
        if (!equal_shape(groups[i].box, groups[k].box)) continue;
        const std::uint64_t before = distance(groups);
        std::swap(groups[i].box, groups[k].box);
        if (distance(groups) < before)
          better = true;
        else
          std::swap(groups[i].box, groups[k].box);
      }
  }
}

}  // namespace

PlanPricer::PlanPricer(const PlanSpace& space, std::uint64_t budget) : space_(space), budget_(budget) {
  for (const NocSpace& noc : space.nocs()) packings_.emplace_back(noc.extent);
}

PlanPricer::PlanPricer(const PlanSpace& space, const SearchSettings& settings)
    : PlanPricer(space, settings.priced_plans) {
  bound_ = value_bound(space);
  PlanGenes genes;
  for (const PlacedGroup& group : settings.start)
    for (std::uint32_t kind = 0; kind < space.kinds().size(); ++kind)
      if (space.nocs()[space.kinds()[kind].noc].noc == group.box.noc &&
          space.kinds()[kind].extent == Extent{group.box.width, group.box.height, group.box.depth})
        genes.push_back({group.to, kind});
  if (!genes.empty() && genes.size() == settings.start.size() && genes.back().to == space.segments())
    price(genes);
}

bool PlanPricer::fits(const PlanGenes& genes) {
  std::vector<std::vector<Extent>> boxes(packings_.size());
  for (const GeneGroup& gene : genes) {
    const GroupKind& kind = space_.kinds()[gene.kind];
    boxes[kind.noc].push_back(kind.extent);
  }
  for (std::size_t noc = 0; noc < boxes.size(); ++noc)
    if (!boxes[noc].empty() && !packings_[noc].fits(std::move(boxes[noc]))) return false;
  return true;
}

std::optional<PlanPricer::Priced> PlanPricer::compute(const PlanGenes& genes) const {
  Priced result;
  double wires = 0;
  for (std::uint32_t from = 0, i = 0; i < genes.size(); from = genes[i++].to) {
    const GroupPlan& plan = space_.price(from, genes[i].to, genes[i].kind);
    if (!plan.possible()) return std::nullopt;
    result.score.slowest = std::max(result.score.slowest, plan.period);
    if (i == 0) continue;
    const std::uint32_t before = space_.kinds()[genes[i - 1].kind].noc,
                        noc = space_.kinds()[genes[i].kind].noc;
    if (before == noc) continue;
    const auto wire = space_.crossing(before, noc, from);
    if (!wire) return std::nullopt;
    result.score.slowest = std::max(result.score.slowest, wire->period);
    wires += wire->latency;
  }
  result.score.rank.latency = wires;
  for (std::uint32_t from = 0, i = 0; i < genes.size(); from = genes[i++].to) {
    const std::uint32_t pes = space_.kinds()[genes[i].kind].pes;
    const auto rank = [&](const GroupPlan& plan) {
      return PlanRank{plan.unmeasured, plan.latency, kSpreadUnit / pes, pes};
    };
    const GroupPlan& any = space_.price(from, genes[i].to, genes[i].kind);
    const GroupPlan& measured = space_.measured_price(from, genes[i].to, genes[i].kind);
    const bool known = measured.possible() && measured.period <= result.score.slowest &&
                       !better(rank(any), rank(measured), space_.aim().kind);
    result.measured.push_back(known);
    result.score.rank = result.score.rank + rank(known ? measured : any);
  }
  return result;
}

std::optional<PlanScore> PlanPricer::price(const PlanGenes& genes) {
  const auto [it, first] = known_.emplace(genes, std::nullopt);
  if (!first) return it->second ? std::optional(it->second->score) : std::nullopt;
  if (!fits(genes)) return std::nullopt;
  it->second = compute(genes);
  if (!it->second) return std::nullopt;
  ++priced_;
  const PlanScore& score = it->second->score;
  if (!best_ || better(score, best_score_, space_.aim())) {
    const double value = score.value(space_.aim());
    if (!best_ || value < best_score_.value(space_.aim())) log_.push_back({priced_, value});
    best_ = genes;
    best_score_ = score;
  }
  return score;
}

std::optional<FoundPlan> PlanPricer::found() const {
  if (!best_) return std::nullopt;
  FoundPlan found;
  std::vector<std::vector<Extent>> boxes(packings_.size()), places;
  for (const GeneGroup& gene : *best_) {
    const GroupKind& kind = space_.kinds()[gene.kind];
    boxes[kind.noc].push_back(kind.extent);
  }
  for (std::size_t noc = 0; noc < boxes.size(); ++noc) {
    const auto packed = pack(space_.nocs()[noc].extent, boxes[noc]);
    if (!packed) throw SimulationError("inter_stage: a plan that was priced does not fit");
    places.push_back(*packed);
  }
  std::vector<std::size_t> used(packings_.size(), 0);
  const std::vector<bool>& measured = known_.at(*best_)->measured;
  for (std::uint32_t from = 0, i = 0; i < best_->size(); from = (*best_)[i++].to) {
    const GroupKind& kind = space_.kinds()[(*best_)[i].kind];
    const Extent& at = places[kind.noc][used[kind.noc]++];
    found.groups.push_back({from, (*best_)[i].to,
                            Submesh{space_.nocs()[kind.noc].noc, at[0], at[1], at[2], kind.extent[0],
                                    kind.extent[1], kind.extent[2]},
                            measured[i]});
  }
  bring_together(found.groups);
  found.score = best_score_;
  found.bound = bound_;
  found.priced = priced_;
  found.log = log_;
  return found;
}

}  // namespace dfsim
