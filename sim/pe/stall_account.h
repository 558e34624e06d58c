// sim/pe/stall_account.h: gives every cycle of a PE to `busy` or to exactly one stall cause. Plain code, no
// SystemC.
#pragma once

#include <array>
#include <cstdint>

#include "sim/api/measurement.h"
#include "sim/api/observer.h"

namespace dfsim {

/// What a PE does from one event to the next. Nothing of it changes in between.
struct PeActivity {
  bool computing = false;   ///< matrix or vector unit
  std::uint64_t speed = 0;  ///< of the faster of them, in 1/65536: the rest is bank conflicts
  bool transfer_outstanding =
      false;                     ///< an own load or store is under way, or another PE's load arrives here too
  bool waits_for_grant = false;  ///< a send could start but for its grant
  bool begun = false;            ///< something has started here, or data has arrived
  bool finished = false;
};

class StallAccount {
 public:
  void reset(PeId pe, Observer* observer);
  /// Books [end of the last interval, `now`) as `activity` describes it. `blocked` of its cycles the PE had a
  /// flit to send and could not.
  void close(std::uint64_t now, const PeActivity& activity, std::uint64_t blocked);
  std::uint64_t closed_until() const { return since_; }
  std::uint64_t busy_cycles() const { return busy_; }
  const std::array<std::uint64_t, kStallCauses>& stall_cycles() const { return stalls_; }
  /// Tells the observer about the last interval.
  void flush();

 private:
  void book(StallCause cause, std::uint64_t start, std::uint64_t end);

  PeId pe_;
  Observer* observer_ = nullptr;
  std::uint64_t since_ = 0;
  std::uint64_t busy_ = 0;
  std::uint64_t fraction_ = 0;  ///< of a busy cycle, in 1/65536
  std::array<std::uint64_t, kStallCauses> stalls_{};
  // The stall being extended, for the observer.
  StallCause cause_ = StallCause::no_work;
  std::uint64_t stall_start_ = 0, stall_end_ = 0;
};

}  // namespace dfsim
