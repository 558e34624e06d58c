#include "planner/inter_stage/optimizer.h"

namespace dfsim {

Result<Proposal, Infeasible> InterStageOptimizer::propose(const Graph& graph, const HardwareSpec& hardware,
                                                          const ExecutionCost& cost, const Goal& goal,
                                                          Rng& rng, const SearchSettings& settings) const {
  const PlanSpace space(graph, hardware, cost, goal);
  auto found = search(space, settings, rng);
  if (!found) return found.reason();
  return Proposal{space.strategy(found->groups), std::move(found.value())};
}

Infeasible nothing_fits(const PlanSpace& space) {
  return Infeasible{.what = "the graph on any PE group",
                    .demand = space.segments(),
                    .limit = 0,
                    .unit = "segments that fit",
                    .lever = "use more PEs or larger scratchpads"};
}

}  // namespace dfsim
