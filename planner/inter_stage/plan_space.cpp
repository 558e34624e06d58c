#include "planner/inter_stage/plan_space.h"

#include <algorithm>

namespace dfsim {

namespace {

/// So few segments that cuts need not be chosen with care.
constexpr std::uint32_t kFewSegments = 6;

/// Cycles on all links from one NoC to the other together; nothing if none joins them.
std::optional<Crossing> cross(const HardwareSpec& hardware, NocId from, NocId to, double bytes) {
  double bytes_per_cycle = 0, delay = kNever;
  for (const EthernetLinkSpec& link : hardware.ethernet_links) {
    const NocId a = hardware.ethernet_ports[link.port_a].noc, b = hardware.ethernet_ports[link.port_b].noc;
    if (!((a == from && b == to) || (a == to && b == from))) continue;
    const double period_ps = static_cast<double>(hardware.clock_period_ps);
    bytes_per_cycle += link.rate_gbps * period_ps / 8000;
    delay = std::min(delay, static_cast<double>(link.delay_ns) * 1000 / period_ps);
  }
  if (bytes_per_cycle <= 0) return std::nullopt;
  return Crossing{bytes / bytes_per_cycle, delay + bytes / bytes_per_cycle};
}

SharingRule sharing_of(const Segments& segments) {
  SharingRule rule;
  rule.kind = segments.count() <= kFewSegments ? TimeSharing::everywhere : TimeSharing::useful;
  rule.useful_cuts.assign(segments.count(), false);
  for (std::uint32_t cut = 1; cut < segments.count(); ++cut)
    rule.useful_cuts[cut] = segments.cut(cut).changes_size;
  return rule;
}

StagePriceFunction within(const StagePriceFunction& price, double time_limit) {
  return [&price, time_limit](std::uint32_t from, std::uint32_t to, const Extent& shape) {
    KnownPrice known = price(from, to, shape);
    if (known.period_cycles > time_limit) known.period_cycles = known.latency_cycles = kNever;
    return known;
  };
}

}  // namespace

PlanSpace::PlanSpace(const Graph& graph, const HardwareSpec& hardware, const ExecutionCost& cost,
                     const Goal& goal)
    : chain_(Segments(graph)), hardware_(&hardware), samples_(goal.samples) {
  segments_ = chain_->count();
  aim_.kind = goal.objective == Objective::interval ? Aim::interval : Aim::latency;
  const SharingRule sharing = sharing_of(*chain_);
  for (std::uint32_t i = 0; i < hardware.nocs.size(); ++i) {
    const LinkGraph& links = hardware.nocs[i].graph;
    const Extent extent{links.extent[0], links.extent[1], links.extent[2]};
    const auto price = [&, noc = NocId(i)](std::uint32_t from, std::uint32_t to, const Extent& shape) {
      const Submesh box{.noc = noc, .width = shape[0], .height = shape[1], .depth = shape[2]};
      return cost.stage({.operators = chain_->operators(from, to), .group = {{box}}});
    };
    nocs_.emplace_back(NocId(i), extent,
                       ShapeTable(extent, ShapeTable::small(links.router_count(), segments_)), segments_,
                       price, goal.objective, sharing);
  }
  list_kinds();
}

PlanSpace::PlanSpace(std::uint32_t segments, const Extent& area, const StagePriceFunction& price,
                     const PlanAim& aim)
    : segments_(segments), aim_(aim) {
  const Objective objective = aim.kind == Aim::latency ? Objective::latency : Objective::interval;
  nocs_.emplace_back(NocId(0), area, ShapeTable::all(area), segments, within(price, aim.time_limit),
                     objective, SharingRule{});
  list_kinds();
}

void PlanSpace::list_kinds() {
  for (std::uint32_t noc = 0; noc < nocs_.size(); ++noc)
    for (std::uint32_t shape = 0; shape < nocs_[noc].shapes.count(); ++shape)
      kinds_.push_back({noc, shape, nocs_[noc].shapes.shape(shape), nocs_[noc].shapes.pes(shape)});
}

std::uint32_t PlanSpace::pes() const {
  std::uint32_t sum = 0;
  for (const NocSpace& noc : nocs_) sum += noc.extent[0] * noc.extent[1] * noc.extent[2];
  return sum;
}

std::optional<Crossing> PlanSpace::crossing(std::uint32_t from_noc, std::uint32_t to_noc,
                                            std::uint32_t at) const {
  if (!chain_) return std::nullopt;
  const double bytes = static_cast<double>(chain_->cut(at).neighbour_bytes) * samples_;
  return cross(*hardware_, nocs_[from_noc].noc, nocs_[to_noc].noc, bytes);
}

InterStageStrategy PlanSpace::strategy(const std::vector<PlacedGroup>& groups) const {
  InterStageStrategy strategy;
  for (const PlacedGroup& group : groups) {
    const auto noc = std::find_if(nocs_.begin(), nocs_.end(),
                                  [&](const NocSpace& space) { return space.noc == group.box.noc; });
    const Extent extent{group.box.width, group.box.height, group.box.depth};
    std::uint32_t shape = 0;
    while (noc->shapes.shape(shape) != extent) ++shape;
    const auto firsts = noc->prices.stages(group.from, group.to, shape, group.measured);
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      const std::uint32_t end = i + 1 < firsts.size() ? firsts[i + 1] : group.to;
      strategy.stages.push_back({chain_->operators(firsts[i], end), PeGroup{{group.box}}});
    }
  }
  return strategy;
}

}  // namespace dfsim
