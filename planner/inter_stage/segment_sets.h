// planner/inter_stage/segment_sets.h: which sets of segments a part of the NoC may get, and how they divide.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace dfsim {

/// Up to kSmall segments: every set, so that stages which lie side by side need not follow one another in the
/// graph. Beyond: runs of consecutive segments only, each divided in two runs (exact for chains in which
/// neighbours lie together, and quick).
class SegmentSets {
 public:
  static constexpr std::uint32_t kSmall = 7;

  struct Set {
    std::uint32_t from = 0, to = 0;  ///< if it is a run
    bool run = false;
    /// All divisions into two sets; the first has the lowest segment.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> divisions;
  };

  explicit SegmentSets(std::uint32_t segments);
  std::uint32_t count() const { return static_cast<std::uint32_t>(sets_.size()); }
  const Set& operator[](std::uint32_t index) const { return sets_[index]; }
  std::uint32_t run(std::uint32_t from, std::uint32_t to) const;

 private:
  void add_all();
  void add_runs();

  std::uint32_t segments_;
  std::vector<Set> sets_;
};

}  // namespace dfsim
