// planner/intra_stage/spatial_split.h: how an operator can be cut over the PEs of a group, and which cuts are
// worth forming candidates of. Judged by bounds and fixed rules only, never by measurements.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/ops/operator.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// One cut and what its largest block asks of a PE, in cycles.
struct SpatialSplit {
  std::vector<std::uint32_t> parts;  ///< per axis
  Box block;                         ///< the largest, at the origin
  std::uint64_t block_elements = 0;  ///< of the iteration space
  double unit_cycles = 0;            ///< of the busier unit
  double weight_cycles = 0;          ///< weights through the ejection port
  double sum_cycles = 0;             ///< other PEs' partial sums through the ejection port
  double input_cycles = 0;           ///< activations through it, if each PE owns an equal share of each input
  double traffic() const { return weight_cycles + sum_cycles + input_cycles; }
  double score() const { return unit_cycles > traffic() ? unit_cycles : traffic(); }
};

/// Asks for splits of one operator on `pes` PEs.
struct SplitRequest {
  OpId op;
  std::uint32_t samples = 1;  ///< worked on together
  std::uint32_t pes = 1;
  std::uint32_t link_width_bytes = 32;
  bool weights_resident = false;
  /// Weights may be held this many times over in all, if they are resident (so that they fit); 0: no limit.
  double most_weight_copies = 0;
};

/// What a split costs; `parts` fit the axes.
SpatialSplit rate_split(const Graph& graph, const HardwareSpec& hardware, const SplitRequest& request,
                        const std::vector<std::uint32_t>& parts);

/// All splits that keep to the number of weight copies, in the order of for_each_split.
std::vector<SpatialSplit> rated_splits(const Graph& graph, const HardwareSpec& hardware,
                                       const SplitRequest& request);

/// The best split of each pattern (which roles of axes are cut), best pattern first: at most `most`, none
/// with a score above `factor` times the best. Equal scores: traffic that hides behind the work, then more
/// parts of the samples (whole samples keep attention and norms local), then less traffic.
std::vector<SpatialSplit> best_by_pattern(const std::vector<Axis>& axes,
                                          const std::vector<SpatialSplit>& splits, std::size_t most,
                                          double factor);

/// The splits with the least unit cycles: at most `most`, none above `factor` times the best.
std::vector<SpatialSplit> best_by_work(const std::vector<SpatialSplit>& splits, std::size_t most,
                                       double factor);

/// Axes from slowest to fastest: samples, parallel, features, reduction. Partners of a reduction are then
/// neighbours, and so are PEs that work on one sample.
std::vector<std::uint32_t> default_nesting(const std::vector<Axis>& axes);

/// Ways to lay the parts out: the default nesting and its variants, row by row and (if it differs) column by
/// column.
std::vector<OperatorCandidate> arrangements(const std::vector<Axis>& axes,
                                            const std::vector<std::uint32_t>& parts, const PeGroup& group,
                                            bool all_nestings);

}  // namespace dfsim
