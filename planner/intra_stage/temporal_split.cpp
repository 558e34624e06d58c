#include "planner/intra_stage/temporal_split.h"

#include <algorithm>

#include "planner/cost/lower_bound.h"

namespace dfsim {

namespace {

/// A tile of weights: long enough for long packets, short enough for two or three in flight.
constexpr std::uint64_t kWeightTileBytes = 64 * 1024;
/// Tiles of rows are cut until there are this many of them ...
constexpr std::uint32_t kEnoughTiles = 4;
/// ... but not shorter than this in cycles, nor in rows (multiples of the array's rows).
constexpr double kLeastMatrixCycles = 768;
constexpr std::uint32_t kLeastFolds = 1;
constexpr std::uint64_t kLeastVectorElements = 4096;
constexpr std::uint32_t kMostVectorTiles = 32;
/// Weights of up to one in so many bytes of the scratchpad stay while an operator works on its rows in turn.
constexpr std::uint64_t kKeptWeightsShare = 4;
/// A streamed reduction brings this much of the input at a time.
constexpr std::uint64_t kInputTileBytes = 96 * 1024;

/// Work of all tiles along one axis, as the unit counts it.
double tiled_cycles(const Graph& graph, const HardwareSpec& hardware, OpId op, Box block, std::size_t axis,
                    std::uint32_t tiles) {
  const OperatorKind& kind = kind_of(graph.op(op));
  const std::uint32_t extent = block.extent[axis];
  double cycles = 0;
  for (const std::uint32_t size : {extent / tiles, extent / tiles + 1}) {
    const std::uint32_t larger = extent % tiles;
    const std::uint32_t count = size == extent / tiles ? tiles - larger : larger;
    if (size == 0 || count == 0) continue;
    block.extent[axis] = size;
    const UnitCycles units = unit_cycles(hardware.pe, kind.work(graph, op, block));
    cycles += count * std::max(units.matrix, units.vector);
  }
  return cycles;
}

/// From `least` tiles on, the count with the least work; the smallest of equals.
std::uint32_t best_count(const Graph& graph, const HardwareSpec& hardware, OpId op, const Box& block,
                         std::size_t axis, std::uint32_t least) {
  const std::uint32_t extent = std::max(1u, block.extent[axis]);
  least = std::clamp(least, 1u, extent);
  std::uint32_t best = least;
  double best_cycles = tiled_cycles(graph, hardware, op, block, axis, least);
  for (std::uint32_t tiles = least + 1; tiles <= std::min(extent, 2 * least); ++tiles) {
    const double cycles = tiled_cycles(graph, hardware, op, block, axis, tiles);
    if (cycles < best_cycles * (1 - 1e-9)) best = tiles, best_cycles = cycles;
  }
  return best;
}

void shrink(Box& tile, std::size_t axis, std::uint32_t tiles) {
  tile.extent[axis] = ceil_div(tile.extent[axis], tiles);
}

/// Cuts weights along features, then along the reduction.
void cut_weights(const Graph& graph, const HardwareSpec& hardware, OpId op, const std::vector<Axis>& axes,
                 Box& tile, std::vector<std::uint32_t>& tiles) {
  const std::uint32_t columns = std::max(1u, hardware.pe.matrix.columns);
  const std::uint32_t rows = std::max(1u, hardware.pe.matrix.rows);
  for (const AxisRole role : {AxisRole::feature, AxisRole::reduction})
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis].role != role || !axes[axis].splittable) continue;
      const std::uint64_t bytes = weight_bytes(graph, op, tile);
      if (bytes <= kWeightTileBytes) continue;
      const std::uint32_t step = role == AxisRole::feature ? columns : rows;
      const auto wanted = static_cast<std::uint32_t>(ceil_div(bytes, kWeightTileBytes));
      const std::uint32_t most = std::max(1u, tile.extent[axis] / step);  // no tile below one fold
      tiles[axis] = best_count(graph, hardware, op, tile, axis, std::min(wanted, most));
      tiles[axis] = std::min(tiles[axis], std::max(most, 1u));
      shrink(tile, axis, tiles[axis]);
    }
}

std::uint64_t streamed_rows(const Graph& graph, OpId op, const Box& block) {
  return kind_of(graph.op(op)).work(graph, op, block).matmul.m;
}

/// `count` tiles along `axis` are long enough, and what they write leaves no rows of the array idle.
bool worth_cutting(const Graph& graph, const HardwareSpec& hardware, OpId op, const Box& tile,
                   std::size_t axis, std::uint32_t count) {
  Box larger = tile, smaller = tile;
  larger.extent[axis] = ceil_div(tile.extent[axis], count);
  smaller.extent[axis] = tile.extent[axis] / count;
  const UnitCycles units = unit_cycles(hardware.pe, kind_of(graph.op(op)).work(graph, op, larger));
  if (streamed_rows(graph, op, larger) == streamed_rows(graph, op, tile))  // each with products of its own
    return units.matrix >= kLeastMatrixCycles / 4;
  return units.matrix >= kLeastMatrixCycles &&
         streamed_rows(graph, op, smaller) >= kLeastFolds * hardware.pe.matrix.rows;
}

/// Cuts samples, then other parallel axes, while tiles are few and long: a tile's results are on their way
/// while the next one is computed. Tiles may differ by one.
void cut_rows(const Graph& graph, const HardwareSpec& hardware, OpId op, const std::vector<Axis>& axes,
              Box& tile, std::vector<std::uint32_t>& tiles) {
  std::uint32_t total = 1;
  for (const std::uint32_t count : tiles) total *= count;
  for (const AxisRole role : {AxisRole::sample, AxisRole::parallel})
    for (std::size_t axis = 0; axis < axes.size() && total < kEnoughTiles; ++axis) {
      if (axes[axis].role != role || !axes[axis].splittable || tile.extent[axis] < 2) continue;
      std::uint32_t count = std::min(tile.extent[axis], kEnoughTiles / total);
      while (count > 1 && !worth_cutting(graph, hardware, op, tile, axis, count)) --count;
      tiles[axis] = count;
      shrink(tile, axis, count);
      total *= count;
    }
}

/// With features in tiles nothing is complete before the last of them, and the next operator waits for its
/// input on the way. So samples or rows are worked on in two halves, one after the other, where all weights
/// may stay meanwhile.
void work_in_halves(const Graph& graph, const HardwareSpec& hardware, OpId op, const std::vector<Axis>& axes,
                    const Box& block, Box& tile, TemporalSplit& split) {
  if (split.outer != OuterLoop::features ||
      weight_bytes(graph, op, block) > hardware.pe.scratchpad.bytes.count() / kKeptWeightsShare)
    return;
  std::uint32_t features = 1, rows = 1;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (axes[axis].role == AxisRole::reduction && split.tiles[axis] > 1) return;
    (axes[axis].role == AxisRole::feature ? features : rows) *= split.tiles[axis];
  }
  if (features == 1) return;
  for (const AxisRole role : {AxisRole::sample, AxisRole::parallel})
    for (std::size_t axis = 0; axis < axes.size() && rows == 1; ++axis) {
      if (axes[axis].role != role || !axes[axis].splittable || tile.extent[axis] < 2) continue;
      if (!worth_cutting(graph, hardware, op, tile, axis, 2)) continue;
      split.tiles[axis] = rows = 2;
      shrink(tile, axis, 2);
    }
  if (rows > 1) split.outer = OuterLoop::rows;
}

std::uint64_t input_bytes(const Graph& graph, OpId op, const Box& block) {
  const Operator& node = graph.op(op);
  std::uint64_t bytes = 0;
  for (std::size_t input = 0; input < node.inputs.size(); ++input)
    if (graph.tensor(node.inputs[input]).has_samples())
      bytes += kind_of(node).input_box(graph, op, input, block).elements() *
               bytes_of(graph.tensor(node.inputs[input]).type).count();
  return bytes;
}

}  // namespace

bool input_too_large(const Graph& graph, const HardwareSpec& hardware, OpId op, const Box& block) {
  return 2 * input_bytes(graph, op, block) > hardware.pe.scratchpad.bytes.count();
}

TemporalSplit matrix_tiles(const Graph& graph, const HardwareSpec& hardware, OpId op,
                           const std::vector<Axis>& axes, const Box& block, bool stream_reduction) {
  TemporalSplit split;
  split.tiles.assign(axes.size(), 1);
  Box tile = block;
  tile.offset = {};
  if (stream_reduction)
    for (std::size_t axis = 0; axis < axes.size(); ++axis) {
      if (axes[axis].role != AxisRole::reduction || !axes[axis].splittable) continue;
      const auto wanted = static_cast<std::uint32_t>(ceil_div(input_bytes(graph, op, tile), kInputTileBytes));
      const std::uint32_t most = std::max(1u, tile.extent[axis] / std::max(1u, hardware.pe.matrix.rows));
      split.tiles[axis] =
          std::min(most, best_count(graph, hardware, op, tile, axis, std::min(std::max(2u, wanted), most)));
      if (split.tiles[axis] > 1) split.outer = OuterLoop::reduction;
      shrink(tile, axis, split.tiles[axis]);
    }
  cut_weights(graph, hardware, op, axes, tile, split.tiles);
  cut_rows(graph, hardware, op, axes, tile, split.tiles);
  work_in_halves(graph, hardware, op, axes, block, tile, split);
  return split;
}

TemporalSplit vector_tiles(const Graph&, const HardwareSpec&, OpId, const std::vector<Axis>& axes,
                           const Box& block) {
  TemporalSplit split;
  split.tiles.assign(axes.size(), 1);
  std::uint64_t elements = block.elements();
  std::uint32_t total = 1;
  for (std::size_t axis = 0; axis < axes.size() && total < kEnoughTiles; ++axis) {
    if (!axes[axis].splittable || axes[axis].role == AxisRole::reduction || block.extent[axis] < 2) continue;
    for (std::uint32_t count = std::min(block.extent[axis], kEnoughTiles / total); count > 1; --count) {
      if (elements / count < kLeastVectorElements) continue;
      split.tiles[axis] = count;
      total *= count;
      elements /= count;
      break;
    }
  }
  return split;
}

std::vector<std::uint32_t> tiles_like(const std::vector<Axis>& axes, const Box& block,
                                      const Box& producer_block, const Box& producer_tile) {
  if (producer_block.rank != axes.size() || producer_tile.rank != axes.size()) return {};
  std::vector<std::uint32_t> tiles(axes.size(), 1);
  std::uint32_t total = 1;
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    if (!axes[axis].splittable || producer_tile.extent[axis] == 0) continue;
    // Tiles of the producer's size, whatever share of its block this PE has.
    const std::uint32_t all = std::clamp(ceil_div(block.extent[axis], producer_tile.extent[axis]), 1u,
                                         std::max(1u, block.extent[axis]));
    std::uint32_t count = all;  // or several of the producer's tiles in one
    while (total * count > kMostVectorTiles || all % count != 0) --count;
    tiles[axis] = count;
    total *= count;
  }
  return total > 1 ? tiles : std::vector<std::uint32_t>{};
}

}  // namespace dfsim
