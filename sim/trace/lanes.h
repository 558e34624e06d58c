// sim/trace/lanes.h: spreads slices that overlap in time over several tracks.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace dfsim {

/// Slices are given in order of their ends. The lane that became free last is taken, which uses as few lanes
/// as there are slices at the same time.
class Lanes {
 public:
  /// Index of a lane that is free in [start, end); a new one if there is none. An empty slice takes a cycle.
  std::uint32_t take(std::uint64_t start, std::uint64_t end) {
    std::size_t best = ends_.size();
    for (std::size_t lane = 0; lane < ends_.size(); ++lane)
      if (ends_[lane] <= start && (best == ends_.size() || ends_[lane] > ends_[best])) best = lane;
    if (best == ends_.size()) ends_.push_back(0);
    ends_[best] = std::max(end, start + 1);
    return static_cast<std::uint32_t>(best);
  }
  std::uint32_t count() const { return static_cast<std::uint32_t>(ends_.size()); }

 private:
  std::vector<std::uint64_t> ends_;
};

}  // namespace dfsim
