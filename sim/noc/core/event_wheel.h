// sim/noc/core/event_wheel.h: everything that is going to happen at a known later cycle, sorted by cycle.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <vector>

namespace dfsim {

inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// A register gets a new value. It keeps it until its driver changes it again.
struct WireChange {
  std::uint32_t target;  ///< router port or terminal
  std::uint32_t value;
};

/// Something that the users of the network are told.
struct Notice {
  std::uint32_t slot;  ///< of the packet
  bool arrived;        ///< else: has left its source queue
};

/// What happens at the start of one cycle. The vectors keep their memory from one use to the next.
struct WheelSlot {
  std::vector<WireChange> flits;
  std::vector<WireChange> credits;
  std::vector<WireChange> terminal_credits;
  std::vector<std::uint32_t> router_timers;
  std::vector<std::uint32_t> terminal_timers;
  std::vector<std::uint32_t> injections;  ///< terminals
  std::vector<Notice> notices;

  bool empty() const {
    return flits.empty() && credits.empty() && terminal_credits.empty() && router_timers.empty() &&
           terminal_timers.empty() && injections.empty() && notices.empty();
  }
  void clear() {
    flits.clear();
    credits.clear();
    terminal_credits.clear();
    router_timers.clear();
    terminal_timers.clear();
    injections.clear();
    notices.clear();
  }
};

/// A calendar of `size` cycles (a power of two); entries lie less than `size` cycles ahead.
class EventWheel {
 public:
  explicit EventWheel(std::uint32_t size) : slots_(size), used_(size / 64), mask_(size - 1) {}

  std::uint32_t horizon() const { return mask_; }
  WheelSlot& at(std::uint64_t cycle) { return slots_[cycle & mask_]; }
  /// at(cycle), to put something into it.
  WheelSlot& post(std::uint64_t cycle) {
    mark(cycle);
    return at(cycle);
  }
  void mark(std::uint64_t cycle) { used_[(cycle & mask_) / 64] |= std::uint64_t{1} << (cycle % 64); }
  bool marked(std::uint64_t cycle) const { return (used_[(cycle & mask_) / 64] >> (cycle % 64) & 1) != 0; }
  void clear(std::uint64_t cycle) {
    at(cycle).clear();
    used_[(cycle & mask_) / 64] &= ~(std::uint64_t{1} << (cycle % 64));
  }
  void clear_all() {
    for (std::uint64_t word = 0; word < used_.size(); ++word)
      for (std::uint64_t bits = used_[word]; bits; bits &= bits - 1)
        slots_[word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits))].clear();
    std::fill(used_.begin(), used_.end(), 0);
  }
  /// The first marked cycle after `cycle`, or kNever.
  std::uint64_t next_after(std::uint64_t cycle) const {
    const std::uint64_t first = cycle + 1;
    std::uint64_t word = (first & mask_) / 64;
    std::uint64_t bits = used_[word] & (~std::uint64_t{0} << (first % 64));
    for (std::size_t i = 0; i <= used_.size(); ++i) {
      if (bits) {
        const std::uint64_t place = word * 64 + static_cast<std::uint64_t>(std::countr_zero(bits));
        return first + ((place - first) & mask_);
      }
      word = word + 1 == used_.size() ? 0 : word + 1;
      bits = used_[word];
    }
    return kNever;
  }

 private:
  std::vector<WheelSlot> slots_;
  std::vector<std::uint64_t> used_;
  std::uint64_t mask_;
};

}  // namespace dfsim
