#include "planner/loop/loop.h"

#include "planner/cost/lower_bound.h"
#include "planner/loop/planning_loop.h"
#include "planner/loop/whole_runs.h"

namespace dfsim {

std::string to_string(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::below_target:
      return "below_target";
    case StopReason::max_rounds:
      return "max_rounds";
    case StopReason::time_budget:
      return "time_budget";
    case StopReason::interrupted:
      return "interrupted";
  }
  return "unknown";
}

Result<PlanningResult, Infeasible> plan_with_bound(const Graph& graph, const HardwareSpec& hardware,
                                                   const InterStageOptimizer& inter,
                                                   const IntraStageOptimizer& intra, CostOracle& oracle,
                                                   const LoopOptions& options, const LoopEvents& events,
                                                   const KnownCost::StageBound& bound) {
  const LoopInputs inputs{graph, hardware, inter, intra, oracle, options, events};
  PlanningResult result;
  KnownCost cost(graph, hardware, bound);
  PriceBook book(inputs, cost, result);
  SearchRounds rounds(inputs, cost, book, result);
  if (!rounds.run()) {
    if (const auto miss = book.closest_miss()) return *miss;
    return Infeasible{.what = "the graph on this hardware",
                      .demand = graph.operators().size(),
                      .limit = 0,
                      .unit = "operators that can be placed",
                      .lever = "use more PEs or larger scratchpads"};
  }
  WholeRuns runs(inputs, cost, book, rounds, result);
  if (!runs.run())
    return Infeasible{.what = "every plan as a whole (" + runs.failure() + ")",
                      .demand = result.whole_runs.size(),
                      .limit = 0,
                      .unit = "plans that run whole",
                      .lever = "use larger scratchpads or more rounds (--max-rounds)"};
  return result;
}

Result<PlanningResult, Infeasible> plan(const Graph& graph, const HardwareSpec& hardware,
                                        const InterStageOptimizer& inter, const IntraStageOptimizer& intra,
                                        CostOracle& oracle, const LoopOptions& options,
                                        const LoopEvents& events) {
  const LowerBounds bounds(graph, hardware, options.intra.samples);
  return plan_with_bound(graph, hardware, inter, intra, oracle, options, events,
                         [&bounds](const StageProposal& stage) { return bounds.proposal(stage); });
}

}  // namespace dfsim
