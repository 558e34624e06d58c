// planner/inter_stage/region.h: the best plans of one NoC, by straight cuts of rectangle and layers together.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/inter_stage/segment_sets.h"
#include "planner/inter_stage/stage_prices.h"
#include "planner/plan/plan.h"

namespace dfsim {

/// Segments [from, to) on a box in its place, as one stage or as several that take turns.
struct PlacedGroup {
  std::uint32_t from = 0, to = 0;
  Submesh box;
  bool measured = false;  ///< the best division among measured prices only
};

/// best(segments, box) is one group on the whole box, or a straight cut of the box with a division of the
/// segments, or a part of the box with the rest idle. First the least possible longest group (min-max); then,
/// with that as the cap, the best rank.
class RegionPlans {
 public:
  RegionPlans(const ShapeTable& shapes, const StagePrices& prices, std::uint32_t segments, Aim aim);

  /// Least possible cycles of the slowest group for segments [from, to) on the whole NoC.
  double slowest(std::uint32_t from, std::uint32_t to) const {
    return slowest_[index(sets_.run(from, to), 0)];
  }
  /// Finds the best plans in which no group takes longer than `cap`; to be called before the two below.
  void rank_under(double cap);
  const PlanRank& rank(std::uint32_t from, std::uint32_t to) const {
    return choices_[index(sets_.run(from, to), 0)].rank;
  }
  /// The best plan for segments [from, to) on the whole NoC, by first segment.
  std::vector<PlacedGroup> groups(NocId noc, std::uint32_t from, std::uint32_t to) const;

 private:
  enum class Kind : std::uint8_t { group, idle, halves };
  struct Choice {
    PlanRank rank;
    Kind kind = Kind::group;
    bool measured = false;       ///< group: the best of measured prices
    bool second_first = false;   ///< idle: the second part is used; halves: it takes the first set
    std::uint32_t cut = 0;       ///< index in ShapeTable::cuts
    std::uint32_t division = 0;  ///< index in SegmentSets::Set::divisions
  };
  struct Placed {
    std::uint32_t set, shape;
    Extent origin;
  };
  std::size_t index(std::uint32_t set, std::uint32_t shape) const {
    return std::size_t{set} * shapes_.count() + shape;
  }
  double slowest_of(std::uint32_t set, std::uint32_t shape) const;
  Choice choose(std::uint32_t set, std::uint32_t shape, double cap) const;
  void offer_groups(Choice& best, std::uint32_t set, std::uint32_t shape, double cap) const;
  void append(NocId noc, const Placed& part, std::vector<PlacedGroup>& groups) const;

  const ShapeTable& shapes_;
  const StagePrices& prices_;
  SegmentSets sets_;
  Aim aim_;
  std::vector<double> slowest_;
  std::vector<Choice> choices_;
};

}  // namespace dfsim
