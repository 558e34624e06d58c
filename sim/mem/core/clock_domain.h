// sim/mem/core/clock_domain.h: between cycles of the network on chip and clocks of a memory, exactly.
#pragma once

#include <cstdint>

namespace dfsim {

/// Edge k of a clock of period p lies at k * p picoseconds; both clocks have edge 0 at the start of the run.
/// Whatever crosses is taken at the first edge of the other clock at or after it, so nothing is seen before
/// it exists.
class ClockDomain {
 public:
  ClockDomain(std::uint64_t noc_period_ps, std::uint64_t memory_period_ps)
      : noc_(noc_period_ps), memory_(memory_period_ps) {}

  /// First memory clock at or after NoC cycle `cycle`.
  std::uint64_t clock_at_or_after(std::uint64_t cycle) const {
    return noc_ == memory_ ? cycle : up(cycle, noc_, memory_);
  }
  /// Last memory clock at or before NoC cycle `cycle`.
  std::uint64_t clock_at_or_before(std::uint64_t cycle) const {
    if (noc_ == memory_) return cycle;
    return static_cast<std::uint64_t>(static_cast<unsigned __int128>(cycle) * noc_ / memory_);
  }
  /// First NoC cycle at or after memory clock `clock`.
  std::uint64_t cycle_at_or_after(std::uint64_t clock) const {
    return noc_ == memory_ ? clock : up(clock, memory_, noc_);
  }

 private:
  static std::uint64_t up(std::uint64_t edge, std::uint64_t from_ps, std::uint64_t to_ps) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(edge) * from_ps + to_ps - 1) / to_ps);
  }
  std::uint64_t noc_;
  std::uint64_t memory_;
};

}  // namespace dfsim
