// planner/loop/planning_loop.h: the planning loop with the bounds given from outside.
#pragma once

#include "planner/cost/known_cost.h"
#include "planner/loop/loop.h"

namespace dfsim {

/// As plan() of loop.h, which passes the lower bounds of planner/cost. `bound` must never exceed what the
/// oracle would measure for any candidate of the stage.
Result<PlanningResult, Infeasible> plan_with_bound(const Graph& graph, const HardwareSpec& hardware,
                                                   const InterStageOptimizer& inter,
                                                   const IntraStageOptimizer& intra, CostOracle& oracle,
                                                   const LoopOptions& options, const LoopEvents& events,
                                                   const KnownCost::StageBound& bound);

}  // namespace dfsim
