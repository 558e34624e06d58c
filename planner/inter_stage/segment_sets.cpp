#include "planner/inter_stage/segment_sets.h"

#include <bit>

namespace dfsim {

SegmentSets::SegmentSets(std::uint32_t segments) : segments_(segments) {
  if (segments <= kSmall)
    add_all();
  else
    add_runs();
}

/// Set number mask - 1; bit i of the mask is segment i.
void SegmentSets::add_all() {
  for (std::uint32_t mask = 1; mask < (1u << segments_); ++mask) {
    Set set;
    set.from = static_cast<std::uint32_t>(std::countr_zero(mask));
    set.to = segments_ - static_cast<std::uint32_t>(std::countl_zero(mask << (32 - segments_)));
    set.run = static_cast<std::uint32_t>(std::popcount(mask)) == set.to - set.from;
    const std::uint32_t lowest = 1u << set.from, others = mask & ~lowest;
    // Walks the subsets of `others` upwards; all of them would leave nothing for the second set.
    for (std::uint32_t part = 0; part != others; part = (part - others) & others)
      set.divisions.emplace_back((part | lowest) - 1, (others & ~part) - 1);
    sets_.push_back(std::move(set));
  }
}

/// Runs by first segment, then by length.
void SegmentSets::add_runs() {
  for (std::uint32_t from = 0; from < segments_; ++from)
    for (std::uint32_t to = from + 1; to <= segments_; ++to) {
      Set set{.from = from, .to = to, .run = true, .divisions = {}};
      for (std::uint32_t middle = from + 1; middle < to; ++middle)
        set.divisions.emplace_back(run(from, middle), run(middle, to));
      sets_.push_back(std::move(set));
    }
}

std::uint32_t SegmentSets::run(std::uint32_t from, std::uint32_t to) const {
  if (segments_ <= kSmall) return (((1u << (to - from)) - 1) << from) - 1;
  return from * segments_ - from * (from - 1) / 2 + (to - from - 1);
}

}  // namespace dfsim
