// planner/inter_stage/segments.h: where the graph may be cut into stages.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"

namespace dfsim {

/// A place between two operators of the topological order.
struct CutPoint {
  std::uint32_t first = 0;            ///< first operator after the cut
  std::uint32_t live_tensors = 0;     ///< activations made before and read after it
  std::uint64_t live_bytes = 0;       ///< of one sample
  std::uint64_t neighbour_bytes = 0;  ///< of those, made in the segment before and read in the segment after
  bool changes_size = false;          ///< the tensors at the next cut are half or twice as large, or beyond
  bool operator==(const CutPoint&) const = default;
};

struct SegmentRules {
  std::size_t most_cuts = 40;
  /// Cuts that at most one tensor crosses are taken alone if there are so many of them; else cuts with two
  /// tensors are taken too.
  std::size_t enough_single_cuts = 8;
};

/// The graph as a chain of segments, the smallest pieces that the searches deal to stages.
///
/// A cut is allowed where at most one (or two, see SegmentRules) activations cross: at block boundaries. Of
/// cuts with less than a thousandth of the multiply-accumulates between them only the cheapest stays (equal:
/// the last), because a stage with so little work is never worth PEs of its own. Each segment reads something
/// of the one before, so that stages made of segments form a chain and their latencies add up.
class Segments {
 public:
  explicit Segments(const Graph& graph, const SegmentRules& rules = {});

  std::uint32_t count() const { return static_cast<std::uint32_t>(cuts_.size()) + 1; }
  /// Cut between segment `segment - 1` and `segment`; 0 < segment < count().
  const CutPoint& cut(std::uint32_t segment) const { return cuts_[segment - 1]; }
  /// Operators of the segments [from, to), ascending.
  std::vector<OpId> operators(std::uint32_t from, std::uint32_t to) const;

 private:
  std::uint32_t begin(std::uint32_t segment) const;

  std::vector<CutPoint> cuts_;
  std::uint32_t operators_ = 0;
};

}  // namespace dfsim
