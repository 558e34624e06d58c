// sim/noc/latency_counts.h: how many packets took how long, exactly.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace dfsim {

/// Packets whose latency is in [from, to) cycles.
struct LatencyBucket {
  std::uint64_t from = 0, to = 0;
  std::uint64_t packets = 0;
  bool operator==(const LatencyBucket&) const = default;
};

class LatencyCounts {
 public:
  void add(std::uint64_t cycles) {
    if (cycles < few_.size())
      ++few_[cycles];
    else
      ++many_[cycles];
    ++packets_;
  }
  /// The least latency that at least this share of the packets does not exceed (nearest rank). `share` is in
  /// (0, 1]. Nothing without packets.
  std::optional<std::uint64_t> percentile(double share) const;
  /// Buckets of equal width, a round number, at most `most` of them up to the 99th percentile, and one for
  /// what is above; none without packets. Their packets add up to all.
  std::vector<LatencyBucket> histogram(std::uint32_t most) const;

 private:
  /// Calls `visit(cycles, packets)` in rising order until it returns false.
  template <class Visit>
  void walk(Visit visit) const {
    for (std::size_t cycles = 0; cycles < few_.size(); ++cycles)
      if (few_[cycles] && !visit(cycles, few_[cycles])) return;
    for (const auto& [cycles, packets] : many_)
      if (!visit(cycles, packets)) return;
  }

  std::vector<std::uint64_t> few_ = std::vector<std::uint64_t>(4096, 0);  ///< by latency
  std::map<std::uint64_t, std::uint64_t> many_;                           ///< those beyond
  std::uint64_t packets_ = 0;
};

}  // namespace dfsim
