// planner/intra_stage/optimizer.h: finds the best candidate of one stage on one PE group.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/cost/cost_oracle.h"
#include "planner/graph/graph.h"
#include "planner/plan/execution_cost.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/base/registry.h"
#include "sim/base/result.h"

namespace dfsim {

enum class PruneMode : std::uint8_t { automatic, stop, none };
enum class CandidateLevel : std::uint8_t { stage, op, reslice };
enum class CandidateStatus : std::uint8_t { executed, stopped, discarded, infeasible };
std::string to_string(CandidateStatus status);
std::string to_string(CandidateLevel level);

/// A line of candidates.csv. `candidate` can be run again as it stands: `dfsim run --candidate ID`.
struct CandidateRecord {
  std::string id;  ///< stable: hash of what is run
  CandidateLevel level = CandidateLevel::stage;
  Stage candidate;
  Stage consumer;  ///< of a reslice: the second stage of the pair
  CandidateStatus status = CandidateStatus::executed;
  StagePrice price;         ///< if executed
  std::uint64_t bound = 0;  ///< if discarded: its lower bound, of the component that the objective asks for
  bool reused = false;      ///< never written to candidates.csv
  std::string program_hash;
  std::string reason;
};

struct IntraStageOptions {
  std::uint32_t samples = 8;
  Objective objective = Objective::interval;
  PruneMode prune = PruneMode::automatic;
  std::uint32_t stage_candidates = 4;
  std::uint32_t audit = 0;  ///< discarded candidates that are started all the same, to check the bounds
  std::uint64_t seed = 1;
};

struct IntraStageResult {
  Stage best;
  StagePrice price;
  std::vector<CandidateRecord> records;  ///< every candidate formed, in order
  bool two_level = false;
  std::uint64_t flat_size = 0;         ///< combinations of all operator candidates (saturating)
  std::uint32_t bound_violations = 0;  ///< audited candidates whose bound was above their measurement
};

class IntraStageOptimizer {
 public:
  virtual ~IntraStageOptimizer() = default;
  virtual Result<IntraStageResult, Infeasible> optimize(const Graph& graph, const HardwareSpec& hardware,
                                                        const StageProposal& proposal, CostOracle& oracle,
                                                        const IntraStageOptions& options) const = 0;
};

using IntraStageRegistry = Registry<IntraStageOptimizer>;

}  // namespace dfsim
