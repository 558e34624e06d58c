// planner/intra_stage/operator_candidates.h: forms the operator candidates of a stage. Which ones are formed
// depends on shapes, bounds and fixed rules alone, so it is the same in every round.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// Operators of a stage with equal signatures: they choose alike.
struct OperatorClass {
  std::vector<OpId> members;  ///< ascending; the first stands for all
  std::vector<OperatorCandidate> candidates;
  OpId representative() const { return members.front(); }
};

struct StageClasses {
  std::vector<OperatorClass> classes;    ///< by first member
  std::map<OpId, std::size_t> class_of;  ///< index in `classes`
};

struct CandidateRequest {
  const StageProposal* proposal = nullptr;
  std::uint32_t samples = 1;  ///< of the largest sub-batch
  bool weights_resident = false;
  double most_weight_copies = 0;  ///< see SplitRequest
};

/// Matrix operators: the best splits by pattern, each with its tiles and arrangements. Others: aligned with
/// the candidates of their producers in the stage, so that nothing or little has to move; without a producer,
/// the best splits by pattern. At least one candidate each, unless no split keeps to `most_weight_copies`.
StageClasses form_candidates(const Graph& graph, const HardwareSpec& hardware,
                             const CandidateRequest& request);

}  // namespace dfsim
