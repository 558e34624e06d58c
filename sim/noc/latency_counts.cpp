#include "sim/noc/latency_counts.h"

#include <cmath>

namespace dfsim {
namespace {

/// The least of 1, 2, 5, 10, 20, 50 ... that is not below `wanted`.
std::uint64_t round_width(std::uint64_t wanted) {
  for (std::uint64_t decade = 1;; decade *= 10)
    for (const std::uint64_t step : {1, 2, 5})
      if (decade * step >= wanted) return decade * step;
}

}  // namespace

std::optional<std::uint64_t> LatencyCounts::percentile(double share) const {
  if (packets_ == 0) return std::nullopt;
  const auto rank = static_cast<std::uint64_t>(std::ceil(share * static_cast<double>(packets_)));
  std::uint64_t passed = 0, result = 0;
  walk([&](std::uint64_t cycles, std::uint64_t packets) {
    passed += packets;
    result = cycles;
    return passed < rank;
  });
  return result;
}

std::vector<LatencyBucket> LatencyCounts::histogram(std::uint32_t most) const {
  std::vector<LatencyBucket> buckets;
  if (packets_ == 0) return buckets;
  std::uint64_t least = 0;
  walk([&](std::uint64_t cycles, std::uint64_t) {
    least = cycles;
    return false;
  });
  const std::uint64_t high = *percentile(0.99);
  // One more than the quotient covers: the first bucket begins at a multiple of the width.
  const std::uint64_t width = round_width((high - least) / (most > 1 ? most - 1 : 1) + 1);
  for (std::uint64_t from = least / width * width; from <= high; from += width)
    buckets.push_back({from, from + width, 0});
  const std::uint64_t first = buckets.front().from, end = buckets.back().to;
  LatencyBucket above{end, end, 0};
  walk([&](std::uint64_t cycles, std::uint64_t packets) {
    if (cycles < end) {
      buckets[(cycles - first) / width].packets += packets;
    } else {
      above.to = cycles + 1;
      above.packets += packets;
    }
    return true;
  });
  if (above.packets) buckets.push_back(above);
  return buckets;
}

}  // namespace dfsim
