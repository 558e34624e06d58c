// sim/system/sampler.h: runs the kernel in steps and tells an observer the counters after each.
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/api/observer.h"
#include "sim/system/machine.h"

namespace dfsim {

/// Looks at counters only, never at modules' state: a sampled run counts the same as any other.
class Sampler {
 public:
  explicit Sampler(Machine& machine) : machine_(machine), boundary_("sample_boundary") {}

  /// For the run that starts now; `observer` may be null.
  void start(Observer* observer);
  bool active() const { return active_; }
  /// Until nothing is left to do, or the kernel is paused. Samples the cycles up to the end of the last
  /// micro-op.
  void run();
  /// The totals of the run, which ended at `end`.
  void finish(std::uint64_t end);

 private:
  void step();
  void sample(std::uint64_t cycle, bool last);

  Machine& machine_;
  Observer* observer_ = nullptr;
  bool active_ = false;
  std::uint64_t next_ = 0;  ///< sample
  /// Nobody waits for it. It is notified just before the first cycle after a sample, so that a network that
  /// runs ahead to the next activity of the kernel stops there.
  sc_core::sc_event boundary_;
};

}  // namespace dfsim
