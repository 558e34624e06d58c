// planner/inter_stage/random_plans.h: what groups may follow a part of a plan, and plans drawn at random.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/inter_stage/plan_pricer.h"
#include "sim/base/rng.h"

namespace dfsim {

/// One way to go on: the next run of segments and its group.
struct NextGroup {
  GeneGroup gene;
  std::uint32_t pes_left = 0;  ///< after it, by count
};

/// Which groups may follow, step by step from the left. A way on is offered only if its stage has a price,
/// the groups so far fit (packed truly), and the segments behind it still fit by count of PEs.
class PlanGrowth {
 public:
  PlanGrowth(const PlanSpace& space, PlanPricer& pricer);

  /// Some plan exists as far as PEs are counted.
  bool possible() const { return least_pes_.front() <= space_.pes(); }
  std::vector<NextGroup> choices(const PlanGenes& begun) const;
  /// Goes on from `begun` at random; nothing if that ended where nothing follows (geometry).
  std::optional<PlanGenes> grow(PlanGenes begun, Rng& rng) const;
  /// Fewest PEs for the segments from `from` on, by count.
  std::uint32_t least_pes(std::uint32_t from) const { return least_pes_[from]; }

 private:
  const PlanSpace& space_;
  PlanPricer& pricer_;
  std::vector<std::uint32_t> least_pes_;  ///< by first segment
};

}  // namespace dfsim
