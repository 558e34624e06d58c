// planner/intra_stage/stage_setting.h: what all operators of a stage have in common while candidates are
// compared: the sub-batches and whether weights stay in the scratchpads.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/intra_stage/operator_candidates.h"

namespace dfsim {

struct StageSetting {
  std::uint32_t sub_batches = 1;
  bool weights_resident = false;
  StageClasses classes;  ///< with the candidates formed for this setting

  const std::vector<OperatorCandidate>& candidates_of(OpId op) const {
    return classes.classes[classes.class_of.at(op)].candidates;
  }
};

/// Resident weights first, if they can stay; streamed weights last. `samples`: of one period.
std::vector<StageSetting> stage_settings(const Graph& graph, const HardwareSpec& hardware,
                                         const StageProposal& proposal, std::uint32_t samples,
                                         std::uint32_t sub_batches);

/// How many times over the weights of a stage may be held in its group. Splits that keep to it on their own
/// fit together, too. Below 1: they cannot stay. 0 if there are no weights.
double weight_copies(const Graph& graph, const HardwareSpec& hardware, const StageProposal& proposal);

/// Inputs and outputs of some operator for `samples` samples take so much of the group's scratchpads that
/// with gathered inputs and tiles the stage may well not fit.
bool room_is_scarce(const Graph& graph, const HardwareSpec& hardware, const StageProposal& proposal,
                    std::uint32_t samples);

/// Some operator's output for `samples` samples is larger than all scratchpads of the group.
std::optional<Infeasible> output_too_large(const Graph& graph, const HardwareSpec& hardware,
                                           const StageProposal& proposal, std::uint32_t samples);

}  // namespace dfsim
