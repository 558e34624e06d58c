// planner/loop/loop.h: the rounds: propose, measure, update the cost, end test. Nobody else does any of
// these.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "planner/cost/cost_oracle.h"
#include "planner/graph/graph.h"
#include "planner/inter_stage/optimizer.h"
#include "planner/intra_stage/optimizer.h"
#include "planner/plan/execution_cost.h"
#include "planner/plan/plan.h"

namespace dfsim {

struct LoopOptions {
  Goal goal;
  IntraStageOptions intra;
  SearchSettings search;
  std::uint32_t max_rounds = 12;
  std::optional<std::uint64_t> stop_below_cycles;  ///< of one period (interval) or of the first (latency)
  std::optional<double> time_budget_seconds;
  std::uint64_t seed = 1;
};

struct RoundStage {
  std::vector<OpId> operators;
  PeGroup group;
  double cycles = 0;  ///< of the objective's component, as the optimizer saw it
  PriceBasis basis = PriceBasis::preset;
};

struct RoundRecord {
  std::uint32_t round = 0;  ///< from 1
  double cost_in = 0;       ///< estimate of the proposal under the cost that the optimizer saw
  std::vector<RoundStage> stages;
  std::map<std::string, std::uint64_t> candidates;  ///< formed in this round, by status
  double cost_out = 0;                              ///< estimate of the proposal under measured prices
  double bound = 0;          ///< no plan of the candidates formed can be estimated lower
  std::uint64_t reused = 0;  ///< not part of any compared output
};

struct LoggedCandidate {
  std::uint32_t round = 0;
  std::uint32_t stage = 0;  ///< index in the round's proposal
  CandidateRecord record;
};

/// A plan that was run whole.
struct WholePlanRun {
  Plan plan;
  double estimate_cycles = 0;
  PlanAnswer answer;
};

enum class StopReason : std::uint8_t { converged, below_target, max_rounds, time_budget, interrupted };
std::string to_string(StopReason reason);

struct PlanningResult {
  Plan plan;                       ///< the winner
  std::vector<StagePrice> prices;  ///< of its stages, alone
  WholePlanRun winner;
  std::vector<WholePlanRun> whole_runs;
  std::vector<RoundRecord> rounds;
  std::vector<LoggedCandidate> candidates;
  bool two_level = false;
  std::uint64_t flat_size = 0;  ///< sum over the proposed stages (saturating)
  std::uint64_t formed_size = 0;
  bool optimal = false;  ///< proved under stage and transfer prices, among the candidates formed
  double gap = 0;        ///< (best measured - bound) / bound, 0 if optimal
  StopReason stopped = StopReason::converged;
  std::string policy;  ///< of rl: as learned in the last round
  std::uint32_t bound_violations = 0;
};

/// Told what happens, for progress lines; never changes the result.
struct LoopEvents {
  std::function<void(const RoundRecord&)> round_ended;
  std::function<void(const std::string&)> note;
  std::function<bool()> interrupted;
};

/// Runs the planning loop (docs/planning.md). The three best plans, the best with one stage and the best with
/// several among them, are run whole; the best whole-plan measurement wins.
Result<PlanningResult, Infeasible> plan(const Graph& graph, const HardwareSpec& hardware,
                                        const InterStageOptimizer& inter, const IntraStageOptimizer& intra,
                                        CostOracle& oracle, const LoopOptions& options,
                                        const LoopEvents& events);

}  // namespace dfsim
