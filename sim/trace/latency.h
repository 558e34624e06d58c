// sim/trace/latency.h: how long the packets of a run took.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/api/observer.h"

namespace dfsim {

/// Packets by latency, in buckets of which four make a doubling (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20,
/// ...): a percentile read off them is at most a quarter too low.
class LatencyHistogram : public Observer {
 public:
  void micro_op(PeId, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  void stall(PeId, StallCause, std::uint64_t, std::uint64_t) override {}
  void transfer(TransferId, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  bool wants_packets() const override { return true; }
  /// Data packets: from their creation, and from their head's leaving the source queue, to the arrival of the
  /// tail.
  void packet(const ObservedPacket& packet) override;

  /// The bucket that holds `cycles`, and the least latency in it.
  static std::size_t bucket_of(std::uint64_t cycles);
  static std::uint64_t least_of(std::size_t bucket);

  /// Packets per bucket; both lists have the same length and the same sum.
  const std::vector<std::uint64_t>& packets() const { return whole_; }
  const std::vector<std::uint64_t>& in_network() const { return network_; }

 private:
  std::vector<std::uint64_t> whole_, network_;
};

/// {"from_cycles": [...], "packets": [...], "in_network": [...]}: part of activity.json.
std::string latency_json(const LatencyHistogram& histogram);

}  // namespace dfsim
