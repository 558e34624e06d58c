// sim/trace/activity.h: what PEs, links and memory ports did, over equal windows of a run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/observer.h"
#include "sim/trace/latency.h"

namespace dfsim {

/// Counts the whole run in windows of `window_cycles` (at least 1); the last one may be shorter.
class ActivityCounter : public Observer {
 public:
  ActivityCounter(const HardwareSpec& hardware, std::uint64_t window_cycles);
  void micro_op(PeId, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  void transfer(TransferId, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  void stall(PeId pe, StallCause cause, std::uint64_t start, std::uint64_t end) override;
  std::uint64_t next_sample(std::uint64_t cycle) const override { return (cycle / window_ + 1) * window_; }
  void sample(const CounterSample& sample) override;

  std::uint64_t window_cycles() const { return window_; }
  std::uint64_t cycles() const { return samples_.empty() ? 0 : samples_.back().cycle; }
  std::size_t windows() const { return samples_.size(); }
  /// Cycles of window `w` in which the PE computed.
  std::uint64_t busy(PeId pe, std::size_t w) const;
  std::uint64_t flits(NocId noc, std::uint32_t link, std::size_t w) const;
  /// Read and written.
  std::uint64_t bytes(PortId port, std::size_t w) const;

 private:
  std::uint64_t length(std::size_t w) const;
  std::uint64_t window_;
  std::vector<std::vector<std::uint64_t>> stalled_;  ///< [pe][window]
  std::vector<CounterSample> samples_;               ///< at the end of each window
};

/// activity.json (docs/schemas/activity.schema.json): per PE busy cycles, per link flits, per memory port
/// bytes, of each window; and the packets of the run by latency.
std::string activity_json(const HardwareSpec& hardware, const ActivityCounter& activity,
                          const LatencyHistogram& latency);

}  // namespace dfsim
