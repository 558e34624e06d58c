#include "planner/inter_stage/region.h"

#include <algorithm>
#include <tuple>

namespace dfsim {

namespace {

/// Hops between the corners; compares places of equal boxes.
std::uint32_t distance(const Submesh& box, const Extent& origin) {
  const auto apart = [](std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; };
  return apart(box.x, origin[0]) + apart(box.y, origin[1]) + apart(box.z, origin[2]);
}

}  // namespace

RegionPlans::RegionPlans(const ShapeTable& shapes, const StagePrices& prices, std::uint32_t segments, Aim aim)
    : shapes_(shapes), prices_(prices), sets_(segments), aim_(aim) {
  slowest_.assign(std::size_t{sets_.count()} * shapes.count(), kNever);
  for (const std::uint32_t shape : shapes.small_to_large())
    for (std::uint32_t set = 0; set < sets_.count(); ++set)
      slowest_[index(set, shape)] = slowest_of(set, shape);
}

double RegionPlans::slowest_of(std::uint32_t set, std::uint32_t shape) const {
  const SegmentSets::Set& segments = sets_[set];
  double best = segments.run ? prices_.best(segments.from, segments.to, shape).period : kNever;
  for (const BoxCut& cut : shapes_.cuts(shape)) {
    for (const std::uint32_t part : {cut.first, cut.second})
      if (part != BoxCut::kIdle) best = std::min(best, slowest_[index(set, part)]);
    if (cut.first == BoxCut::kIdle || cut.second == BoxCut::kIdle) continue;
    for (const auto& [one, two] : segments.divisions) {
      const double straight = std::max(slowest_[index(one, cut.first)], slowest_[index(two, cut.second)]);
      const double swapped = std::max(slowest_[index(one, cut.second)], slowest_[index(two, cut.first)]);
      best = std::min({best, straight, swapped});
    }
  }
  return best;
}

void RegionPlans::rank_under(double cap) {
  choices_.assign(slowest_.size(), Choice{});
  for (const std::uint32_t shape : shapes_.small_to_large())
    for (std::uint32_t set = 0; set < sets_.count(); ++set)
      choices_[index(set, shape)] = choose(set, shape, cap);
}

void RegionPlans::offer_groups(Choice& best, std::uint32_t set, std::uint32_t shape, double cap) const {
  const SegmentSets::Set& segments = sets_[set];
  if (!segments.run) return;
  for (const bool measured : {true, false}) {
    const GroupPlan& group = measured ? prices_.best_measured(segments.from, segments.to, shape)
                                      : prices_.best(segments.from, segments.to, shape);
    if (!group.possible() || group.period > cap) continue;
    const std::uint32_t pes = shapes_.pes(shape);
    const PlanRank rank{group.unmeasured, group.latency, kSpreadUnit / pes, pes};
    if (!better(rank, best.rank, aim_)) continue;
    best = Choice{};
    best.rank = rank;
    best.measured = measured;
  }
}

RegionPlans::Choice RegionPlans::choose(std::uint32_t set, std::uint32_t shape, double cap) const {
  Choice best;
  if (slowest_[index(set, shape)] > cap) return best;
  offer_groups(best, set, shape, cap);
  const auto offer = [&](const Choice& choice) {
    if (better(choice.rank, best.rank, aim_)) best = choice;
  };
  const auto& cuts = shapes_.cuts(shape);
  const auto& divisions = sets_[set].divisions;
  for (std::uint32_t c = 0; c < cuts.size(); ++c)
    for (const bool swap : {false, true}) {
      const std::uint32_t one = swap ? cuts[c].second : cuts[c].first;
      const std::uint32_t two = swap ? cuts[c].first : cuts[c].second;
      if (one == BoxCut::kIdle) continue;
      Choice choice;
      choice.rank = choices_[index(set, one)].rank;
      choice.kind = Kind::idle;
      choice.second_first = swap;
      choice.cut = c;
      offer(choice);
      if (two == BoxCut::kIdle) continue;
      choice.kind = Kind::halves;
      for (choice.division = 0; choice.division < divisions.size(); ++choice.division) {
        const auto& [early, late] = divisions[choice.division];
        choice.rank = choices_[index(early, one)].rank + choices_[index(late, two)].rank;
        offer(choice);
      }
    }
  return best;
}

std::vector<PlacedGroup> RegionPlans::groups(NocId noc, std::uint32_t from, std::uint32_t to) const {
  std::vector<PlacedGroup> groups;
  append(noc, {sets_.run(from, to), 0, Extent{0, 0, 0}}, groups);
  std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a.from < b.from; });
  return groups;
}

void RegionPlans::append(NocId noc, const Placed& part, std::vector<PlacedGroup>& groups) const {
  const Choice& choice = choices_[index(part.set, part.shape)];
  const SegmentSets::Set& set = sets_[part.set];
  if (choice.kind == Kind::group) {
    const Extent& extent = shapes_.shape(part.shape);
    const Submesh box{noc, part.origin[0], part.origin[1], part.origin[2], extent[0], extent[1], extent[2]};
    groups.push_back({set.from, set.to, box, choice.measured});
    return;
  }
  const BoxCut& cut = shapes_.cuts(part.shape)[choice.cut];
  Placed first{part.set, cut.first, part.origin};
  Placed second{part.set, cut.second, part.origin};
  second.origin[cut.axis] += cut.position;
  // Halves of one shape may change places: the earlier layers go next to the stage before them.
  const bool second_first =
      choice.kind == Kind::halves && cut.first == cut.second && !groups.empty()
          ? distance(groups.back().box, second.origin) < distance(groups.back().box, first.origin)
          : choice.second_first;
  Placed& one = second_first ? second : first;
  Placed& two = second_first ? first : second;
  if (choice.kind == Kind::halves) std::tie(one.set, two.set) = set.divisions[choice.division];
  append(noc, one, groups);
  if (choice.kind == Kind::halves) append(noc, two, groups);
}

}  // namespace dfsim
