// planner/inter_stage/optimizer.h: cuts the graph into stages and the hardware into PE groups, judged by the
// execution cost alone.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/inter_stage/plan_space.h"
#include "planner/plan/execution_cost.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/base/registry.h"
#include "sim/base/result.h"
#include "sim/base/rng.h"

namespace dfsim {

struct SearchSettings {
  std::uint64_t priced_plans = 2000;  ///< different plans that a search by trial may price, per call
  std::string policy;                 ///< of rl: what it begins with (policy.h); empty: random weights
  /// A plan that searches by trial price first: they answer another one only if it is better.
  std::vector<PlacedGroup> start;
};

/// The best value after so many plans were priced.
struct SearchStep {
  std::uint64_t priced = 0;
  double value = 0;
};

struct FoundPlan {
  std::vector<PlacedGroup> groups;
  PlanScore score;
  double bound = 0;             ///< no plan of the space has a smaller value
  bool exact = false;           ///< the best of its space, whatever the bound
  std::uint64_t priced = 0;     ///< different plans priced; 0: none was priced whole
  std::vector<SearchStep> log;  ///< each improvement
  std::string policy;           ///< of rl: what was learned
};

/// A plan for a round.
struct Proposal {
  InterStageStrategy strategy;
  FoundPlan plan;
};

class InterStageOptimizer {
 public:
  virtual ~InterStageOptimizer() = default;
  /// Best plan of `space` for its aim, or the reason why none fits. Pure given `rng` and `settings`; never
  /// runs the simulator.
  virtual Result<FoundPlan, Infeasible> search(const PlanSpace& space, const SearchSettings& settings,
                                               Rng& rng) const = 0;

  /// Called once per round: the best strategy under the current cost.
  Result<Proposal, Infeasible> propose(const Graph& graph, const HardwareSpec& hardware,
                                       const ExecutionCost& cost, const Goal& goal, Rng& rng,
                                       const SearchSettings& settings = {}) const;
};

/// What all searches answer when no plan is possible.
Infeasible nothing_fits(const PlanSpace& space);

using InterStageRegistry = Registry<InterStageOptimizer>;

}  // namespace dfsim
