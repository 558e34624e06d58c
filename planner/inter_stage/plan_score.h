// planner/inter_stage/plan_score.h: what a search is asked for, and how two plans compare.
#pragma once

#include <cstdint>
#include <limits>

namespace dfsim {

inline constexpr double kNever = std::numeric_limits<double>::infinity();
inline constexpr std::uint64_t kSpreadUnit = 720720;  // a multiple of 1 to 16

enum class Aim : std::uint8_t {
  interval,  ///< the slowest PE group as fast as possible
  latency,   ///< least sum over the stages
  makespan,  ///< least time for some micro-batches: sum + (micro-batches - 1) x slowest
  pes,       ///< fewest PEs, every stage within the time limit
};

struct PlanAim {
  Aim kind = Aim::interval;
  std::uint32_t micro_batches = 1;  ///< of makespan
  double time_limit = kNever;       ///< no stage may take longer
};

/// What adds up over the groups of a plan.
struct PlanRank {
  std::uint32_t unmeasured = 0;  ///< stages without a measured price: known plans first
  double latency = kNever;       ///< sum over the stages
  std::uint64_t spread = 0;      ///< sum over the groups of kSpreadUnit / PEs: few, large, equal groups
  std::uint32_t pes = 0;         ///< sum over the groups
  bool possible() const { return latency < kNever; }
};

PlanRank operator+(const PlanRank& a, const PlanRank& b);
/// Of plans in which no group takes longer than a common cap. Interval: unmeasured, latency, spread. Latency
/// and makespan: latency, unmeasured, spread. PEs: pes, unmeasured, latency, spread.
bool better(const PlanRank& a, const PlanRank& b, Aim aim);

struct PlanScore {
  double slowest = 0;  ///< the most that one group (or one Ethernet crossing) is taken by a period
  PlanRank rank{0, 0, 0, 0};
  double value(const PlanAim& aim) const;
};

/// By value, then by rank. No part of a score shrinks when groups are added to a plan.
bool better(const PlanScore& a, const PlanScore& b, const PlanAim& aim);

}  // namespace dfsim
