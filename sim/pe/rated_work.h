// sim/pe/rated_work.h: work that a unit does at a changing rate, exactly. Plain data.
#pragma once

#include <cstdint>
#include <limits>

namespace dfsim {

/// Rates are in 1/65536 of full speed.
inline constexpr std::uint64_t kFullRate = std::uint64_t{1} << 16;

class RatedWork {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  void start(std::uint64_t cycles, std::uint64_t now) {
    remaining_ = cycles * kFullRate;
    since_ = now;
    rate_ = kFullRate;
  }
  /// Takes off what has been done until `now`.
  void advance(std::uint64_t now) {
    const std::uint64_t done = (now - since_) * rate_;
    remaining_ = done >= remaining_ ? 0 : remaining_ - done;
    since_ = now;
  }
  /// From now on; call advance() first.
  void set_rate(std::uint64_t rate) { rate_ = rate; }
  bool done() const { return remaining_ == 0; }
  /// First cycle in which everything is done at the present rate.
  std::uint64_t end() const { return rate_ == 0 ? kNever : since_ + (remaining_ + rate_ - 1) / rate_; }
  std::uint64_t rate() const { return rate_; }

 private:
  std::uint64_t remaining_ = 0;  ///< in 1/65536 cycles
  std::uint64_t since_ = 0;
  std::uint64_t rate_ = kFullRate;
};

/// Scratchpad bytes that a unit wants over `cycles` cycles of work at full speed.
struct Demand {
  std::uint64_t read_bytes = 0, write_bytes = 0, cycles = 0;
  bool active() const { return cycles > 0; }
};

}  // namespace dfsim
