// sim/pe/compute_unit.h: what matrix and vector unit have in common.
#pragma once

#include <cstdint>
#include <limits>
#include <systemc>
#include <vector>

#include "sim/pe/loaded_program.h"
#include "sim/pe/rated_work.h"
#include "sim/pe/run_context.h"

namespace dfsim {

/// Wakes the sequencer; it acts one delta cycle later, when everything that happens in this cycle is known.
class Wakeable {
 public:
  virtual ~Wakeable() = default;
  virtual void wake() = 0;
};

/// A micro-op in a unit, or just ended.
struct RunningOp {
  std::uint32_t op = 0, instance = 0;
  std::uint64_t start = 0, end = 0;
};

/// A unit that issues one micro-op at a time, at a rate that the scratchpad allows, and ends it `tail_cycles`
/// later. Its process runs once per end.
class ComputeUnit : public sc_core::sc_module {
 public:
  ComputeUnit(sc_core::sc_module_name name, const RunContext& context, Wakeable& sequencer);

  /// May `next` start now? It may overlap with the tail of the micro-op before if that is of the same
  /// operator.
  bool accepts(const LoadedOp& next) const { return !issuing_ && (draining_.empty() || next.op == last_op_); }
  void start(const LoadedOp& op, std::uint32_t index, std::uint32_t instance, std::uint64_t now);
  /// Moves on to `now` and appends the micro-ops that have ended.
  void advance(std::uint64_t now, std::vector<RunningOp>& ended);
  /// The bandwidth that the issuing micro-op wants.
  Demand demand() const;
  /// From now on; advance() has been called for this cycle. Notifies the unit's process for its next event.
  void set_rate(std::uint64_t rate);

  bool computing() const { return issuing_ || !draining_.empty(); }
  /// Speed of what is computing, in 1/65536; results on their way out are not slowed.
  std::uint64_t speed() const { return issuing_ ? work_.rate() : draining_.empty() ? 0 : kFullRate; }
  std::uint64_t busy_cycles() const { return busy_ / kFullRate; }  ///< without cycles lost to bank conflicts
  void reset();

 private:
  void due();
  std::uint64_t next_event() const;

  const RunContext& context_;
  Wakeable& sequencer_;
  sc_core::sc_event event_;
  bool issuing_ = false;
  RunningOp current_;
  const LoadedOp* loaded_ = nullptr;
  RatedWork work_;
  std::vector<RunningOp> draining_;
  OpId last_op_;
  std::uint64_t scheduled_ = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t since_ = 0, busy_ = 0;  ///< busy in 1/65536 cycles
};

}  // namespace dfsim
