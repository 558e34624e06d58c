// planner/inter_stage/packing.h: whether boxes fit side by side into one NoC, and where.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "planner/inter_stage/shapes.h"

namespace dfsim {

/// Corners of `boxes` inside `area` so that no two overlap, in the order of `boxes`; nothing if there are
/// none. Boxes are not turned.
///
/// Exact: walks the cells in order; the first cell that is still free is the corner of a box or stays idle,
/// since a box that covers it in any other way would cover an earlier cell. Two boxes that neither fit side
/// by side along any axis end the search at once. A search of more than kMostPackingSteps steps (large areas
/// with many boxes and hardly a gap) is given up and answers "does not fit".
std::optional<std::vector<Extent>> pack(const Extent& area, const std::vector<Extent>& boxes);

inline constexpr std::uint64_t kMostPackingSteps = 2'000'000;

/// Remembers what fits: equal sets of boxes are asked for again and again in a search.
class PackingStore {
 public:
  explicit PackingStore(const Extent& area) : area_(area) {}
  bool fits(std::vector<Extent> boxes);

 private:
  Extent area_;
  std::map<std::vector<Extent>, bool> known_;
};

}  // namespace dfsim
