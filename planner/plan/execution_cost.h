// planner/plan/execution_cost.h: what stages cost as far as it is known, and what the planner is asked for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "planner/plan/plan.h"

namespace dfsim {

enum class GoalKind : std::uint8_t { time, hardware, cost };
enum class Objective : std::uint8_t { interval, latency };

struct Goal {
  GoalKind kind = GoalKind::time;
  Objective objective = Objective::interval;
  std::uint32_t samples = 8;
};

enum class PriceBasis : std::uint8_t { preset, measured, bound };
std::string to_string(PriceBasis basis);

struct KnownPrice {
  double latency_cycles = 0;
  double period_cycles = 0;
  PriceBasis basis = PriceBasis::preset;
};

/// Price of a stage on a PE group, and of moving its tensors, under the current knowledge. Implemented by
/// planner/cost.
class ExecutionCost {
 public:
  virtual ~ExecutionCost() = default;
  virtual KnownPrice stage(const StageProposal& stage) const = 0;
  virtual KnownPrice transfer(const StageProposal& producer, const StageProposal& consumer) const = 0;
};

}  // namespace dfsim
