// planner/intra_stage/traffic_placement.h: puts micro-operators on PEs so that their traffic is short.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/rng.h"

namespace dfsim {

struct Traffic {
  std::uint32_t from = 0, to = 0;  ///< micro-operators
  double bytes = 0;
};

/// A box of PEs, one micro-operator each; cell = x + width * y.
struct PlacementArea {
  std::uint32_t width = 1, height = 1;
  std::uint32_t cells() const { return width * height; }
  std::uint32_t hops(std::uint32_t a, std::uint32_t b) const;
};

struct TrafficPlacement {
  std::vector<std::uint32_t> cell;  ///< by micro-operator
  double byte_hops = 0;             ///< sum over the traffic of bytes times hops (Manhattan distance)
  bool exact = false;               ///< no placement has fewer
};

double byte_hops(const PlacementArea& area, const std::vector<Traffic>& traffic,
                 const std::vector<std::uint32_t>& cell);

/// Best of all placements, by branch and bound; for at most kMostExact micro-operators. `all_best` (may be
/// null) gets the number of placements that are as good.
inline constexpr std::uint32_t kMostExact = 9;
TrafficPlacement place_exactly(const PlacementArea& area, std::uint32_t count,
                               const std::vector<Traffic>& traffic, std::uint64_t* all_best = nullptr);

/// Exchanges pairs of cells while that helps, from row-major, snake and transposed order and from `starts`
/// random ones; the best of all.
TrafficPlacement place_by_exchange(const PlacementArea& area, std::uint32_t count,
                                   const std::vector<Traffic>& traffic, Rng& rng, std::uint32_t starts = 20);

}  // namespace dfsim
