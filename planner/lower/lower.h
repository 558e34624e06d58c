// planner/lower/lower.h: from a plan, or a part of one, to the program that the hardware executes.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"
#include "sim/base/result.h"

namespace dfsim {

struct LowerOptions {
  std::uint32_t samples = 8;  ///< of one period
  std::uint32_t periods = 3;
  std::uint64_t seed = 1;  ///< draws the row numbers that embedding operators gather
};

/// The whole plan on the whole hardware: inputs come from DRAM, outputs go there, tensors are re-sliced
/// wherever producer and consumer disagree, within a stage and between stages.
Result<Program, Infeasible> lower_plan(const Graph& graph, const HardwareSpec& hardware, const Plan& plan,
                                       const LowerOptions& options);

/// One stage alone. Tensors from other stages are already in its scratchpads, in the layout its operators
/// read; tensors for other stages stay where they are made. A stage of a single operator prices an operator
/// candidate.
Result<Program, Infeasible> lower_stage(const Graph& graph, const HardwareSpec& hardware, const Stage& stage,
                                        const LowerOptions& options);

/// The transfers from `producer` to `consumer` alone (two stages, or two operators of one stage given as
/// stages): the producer's tensors are there at the start of every period; the program moves what the
/// consumer reads and nothing else. Empty program (no micro-ops) if nothing has to move.
Result<Program, Infeasible> lower_transfer(const Graph& graph, const HardwareSpec& hardware,
                                           const Stage& producer, const Stage& consumer,
                                           const LowerOptions& options);

}  // namespace dfsim
