// planner/cost/layout.h: which part of which tensor an operator candidate reads and leaves at which PE, and
// what therefore has to move between two of them.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"

namespace dfsim {

/// What one PE reads and owns of one operator.
struct LayoutPart {
  PeId pe;
  std::vector<Box> inputs;   ///< by input of the operator
  std::vector<Box> outputs;  ///< by output: what it owns once sums over a split reduction are complete
};

/// Of one operator candidate and some samples. Parts ascend by PE.
struct Layout {
  OpId op;
  std::vector<LayoutPart> parts;
  const LayoutPart* at(PeId pe) const;
};

Layout layout_of(const Graph& graph, const HardwareSpec& hardware, OpId op, const PeGroup& group,
                 const OperatorCandidate& candidate, std::uint32_t first_sample, std::uint32_t samples);

/// Bytes that must reach PEs because the consumer reads there what the producer does not own there.
struct MovedBytes {
  std::uint64_t most = 0;   ///< at one PE
  std::uint64_t total = 0;  ///< at all PEs
};

/// Of every tensor that `consumer` reads from `producer`.
MovedBytes moved_bytes(const Graph& graph, const Layout& producer, const Layout& consumer);

}  // namespace dfsim
