// planner/lower/mapping.h: an operator candidate spelled out: which PE does which block of the iteration
// space, in which tiles.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/ops/operator.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"

namespace dfsim {

/// What one PE does of one operator.
struct MappedPart {
  PeId pe;
  Box block;                               ///< of the iteration space (axes of OperatorKind::axes)
  std::vector<Box> tiles;                  ///< of `block`, in the order of execution
  std::vector<bool> completes;             ///< per tile: the last of its reduction
  std::vector<std::uint32_t> output_tile;  ///< per tile: number of its place in the non-reduction axes
  std::vector<std::uint32_t> partners;  ///< parts that hold the other shares of a split reduction, ascending,
                                        ///< itself included; else only itself
  std::uint32_t share = 0;              ///< its index among the partners
};

struct OperatorMapping {
  std::vector<Axis> axes;
  std::vector<MappedPart> parts;
  bool reduction_split = false;  ///< in space: results are partial sums
  bool reduction_tiled = false;  ///< in time: results are accumulated
  std::uint32_t most_tiles = 0;
};

/// The PEs of a group in the order `order`.
std::vector<PeId> ordered_pes(const HardwareSpec& hardware, const PeGroup& group, PeOrder order);

/// Maps samples [first_sample, first_sample + samples) of operator `op`. Parts per axis are cut to the axis'
/// extent; blocks of an axis differ by at most one element.
OperatorMapping map_operator(const Graph& graph, const HardwareSpec& hardware, OpId op, const PeGroup& group,
                             const OperatorCandidate& candidate, std::uint32_t first_sample,
                             std::uint32_t samples);

/// The share of an output box that partner `share` of `parts` keeps after a split reduction.
Box share_of_reduction(const Box& box, std::uint32_t share, std::uint32_t parts);

}  // namespace dfsim
