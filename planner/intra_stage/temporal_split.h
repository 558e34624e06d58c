// planner/intra_stage/temporal_split.h: how a PE cuts its block into tiles that it works on one after
// another, so that transfers, matrix unit and vector unit overlap and everything fits.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/ops/operator.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// Tiles per axis of a block, and the outermost loop over them.
struct TemporalSplit {
  std::vector<std::uint32_t> tiles;
  OuterLoop outer = OuterLoop::features;
  bool operator==(const TemporalSplit&) const = default;
};

/// For operators of the matrix unit. Weights in tiles of 32 to 64 KiB: features first (whole folds: the count
/// with the least fold losses), then the reduction where one column of folds alone is too large. Samples and
/// rows are cut while the tiles are few and still long enough to hide the fill of the array. With
/// `stream_reduction` the block's input is too large to be held: the reduction is cut and outermost, the
/// partial sums stay.
TemporalSplit matrix_tiles(const Graph& graph, const HardwareSpec& hardware, OpId op,
                           const std::vector<Axis>& axes, const Box& block, bool stream_reduction);

/// For other operators without a producer to follow: a few tiles along samples and the first dimensions.
TemporalSplit vector_tiles(const Graph& graph, const HardwareSpec& hardware, OpId op,
                           const std::vector<Axis>& axes, const Box& block);

/// Follows the producer: as many tiles per dimension as the producer's output of the same rank has, as far as
/// the axes can be cut. `producer_block` and `producer_tile` are output boxes. None if the ranks differ or
/// nothing is cut.
std::vector<std::uint32_t> tiles_like(const std::vector<Axis>& axes, const Box& block,
                                      const Box& producer_block, const Box& producer_tile);

/// The input that a block reads is larger than a PE should hold at once.
bool input_too_large(const Graph& graph, const HardwareSpec& hardware, OpId op, const Box& block);

}  // namespace dfsim
