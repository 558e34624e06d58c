// planner/inter_stage/stage_prices.h: prices of all runs of segments on all shapes of one NoC, with
// time-sharing.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "planner/inter_stage/plan_score.h"
#include "planner/inter_stage/shapes.h"
#include "planner/plan/execution_cost.h"

namespace dfsim {

/// One PE group that works on a run of segments, as one stage or as several that take turns.
struct GroupPlan {
  double period = kNever, latency = kNever;  ///< cycles; sums over the stages
  std::uint32_t unmeasured = 0;              ///< stages whose price is not measured
  std::uint32_t last_stage = 0;              ///< first segment of the last stage
  bool possible() const { return period < kNever && latency < kNever; }
};

/// Where several stages may take turns on one group.
enum class TimeSharing : std::uint8_t {
  never,
  useful,      ///< at cuts named useful, or anywhere if the run does not fit as one stage
  everywhere,  ///< at every cut
};
struct SharingRule {
  TimeSharing kind = TimeSharing::never;
  std::vector<bool> useful_cuts;  ///< by segment after the cut
};

/// Price of the segments [from, to) as one stage on a box; infinite if it does not fit.
using StagePriceFunction =
    std::function<KnownPrice(std::uint32_t from, std::uint32_t to, const Extent& shape)>;

/// Asks for each (run of segments, shape) once and finds the best division of each run into stages that share
/// the group.
class StagePrices {
 public:
  StagePrices(std::uint32_t segments, const ShapeTable& shapes, const StagePriceFunction& price,
              Objective objective, const SharingRule& sharing);

  /// The best group for segments [from, to) on `shape`.
  const GroupPlan& best(std::uint32_t from, std::uint32_t to, std::uint32_t shape) const {
    return any_[index(from, to, shape)];
  }
  /// The best of those with measured prices only.
  const GroupPlan& best_measured(std::uint32_t from, std::uint32_t to, std::uint32_t shape) const {
    return measured_[index(from, to, shape)];
  }
  /// First segments of the stages of best() or best_measured(), ascending.
  std::vector<std::uint32_t> stages(std::uint32_t from, std::uint32_t to, std::uint32_t shape,
                                    bool measured) const;

 private:
  std::size_t index(std::uint32_t from, std::uint32_t to, std::uint32_t shape) const {
    return (std::size_t{from} * (segments_ + 1) + to) * shapes_.count() + shape;
  }
  bool better(const GroupPlan& a, const GroupPlan& b) const;
  void ask(const StagePriceFunction& price);
  void share(std::vector<GroupPlan>& plans, const std::vector<GroupPlan>& alone,
             const SharingRule& sharing) const;

  std::uint32_t segments_;
  const ShapeTable& shapes_;
  Objective objective_;
  std::vector<GroupPlan> any_, measured_;  ///< by index(); at first the stages alone
};

}  // namespace dfsim
