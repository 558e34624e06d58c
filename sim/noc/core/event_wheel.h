// sim/noc/core/event_wheel.h: everything that is going to happen at a known later cycle, sorted by cycle.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/noc/core/router_state.h"

namespace dfsim {

/// A change of a flit wire; the first flit is the head of the packet in `slot`, unless that is kNoSlot.
struct FlitChange {
  WireChange wire;
  std::uint32_t slot;
};

/// Something that the users of the network are told.
struct Notice {
  std::uint32_t slot;  ///< of the packet
  bool arrived;        ///< else: has left its source queue
};

/// Grows like a vector, and is quick to append to.
template <class T>
class AppendList {
 public:
  void push(const T& item) {
    if (end_ == limit_) [[unlikely]]
      grow();
    *end_++ = item;
  }
  void clear() { end_ = items_.get(); }
  bool empty() const { return end_ == items_.get(); }
  const T* begin() const { return items_.get(); }
  const T* end() const { return end_; }

 private:
  [[gnu::noinline]] void grow() {
    const std::size_t size = static_cast<std::size_t>(end_ - items_.get());
    const std::size_t capacity = std::max<std::size_t>(4, 2 * size);
    std::unique_ptr<T[]> larger(new T[capacity]);
    std::copy(begin(), end(), larger.get());
    items_ = std::move(larger);
    end_ = items_.get() + size;
    limit_ = items_.get() + capacity;
  }
  std::unique_ptr<T[]> items_;
  T* end_ = nullptr;
  T* limit_ = nullptr;
};

/// What happens at the start of one cycle. The lists keep their memory from one use to the next.
struct WheelSlot {
  AppendList<FlitChange> flits;
  AppendList<WireChange> credits;
  AppendList<WireChange> terminal_credits;
  // For this cycle only.
  AppendList<FlitChange> single_flits;
  AppendList<WireChange> single_credits;
  AppendList<WireChange> single_terminal_credits;
  AppendList<std::uint32_t> router_timers;
  AppendList<std::uint32_t> terminal_timers;
  AppendList<std::uint32_t> injections;  ///< terminals
  AppendList<Notice> notices;

  void clear() {
    flits.clear();
    credits.clear();
    terminal_credits.clear();
    single_flits.clear();
    single_credits.clear();
    single_terminal_credits.clear();
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
