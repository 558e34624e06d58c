// planner/inter_stage/optimizer.h: cuts the graph into stages and the hardware into PE groups, judged by the
// execution cost alone.
#pragma once

#include "planner/graph/graph.h"
#include "planner/plan/execution_cost.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/base/registry.h"
#include "sim/base/result.h"
#include "sim/base/rng.h"

namespace dfsim {

/// Called once per round. Pure given `rng`; never runs the simulator.
class InterStageOptimizer {
 public:
  virtual ~InterStageOptimizer() = default;
  /// Best strategy under the current cost, or the reason why none fits.
  virtual Result<InterStageStrategy, Infeasible> propose(const Graph& graph, const HardwareSpec& hardware,
                                                         const ExecutionCost& cost, const Goal& goal,
                                                         Rng& rng) const = 0;
};

using InterStageRegistry = Registry<InterStageOptimizer>;

}  // namespace dfsim
