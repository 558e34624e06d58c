// sim/trace/recorder.h: notes what happens during a run, to be written as a trace afterwards.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/api/observer.h"
#include "sim/trace/sorted_spool.h"

namespace dfsim {

/// Each shows what the ones before it show, and more.
enum class TraceDetail : std::uint8_t {
  stage,   ///< stages and counters
  op,      ///< micro-ops, stalls and transfers of the PEs
  packet,  ///< packets of the networks
  flit     ///< flits on every link
};

/// What the time axis counts.
enum class TraceTime : std::uint8_t { nanoseconds, cycles };

/// What a trace holds. Stages are always shown over the whole run.
struct TraceOptions {
  TraceDetail detail = TraceDetail::op;
  /// Cycles from which events and counters are kept: those that overlap [from, until).
  std::uint64_t from = 0;
  std::uint64_t until = std::numeric_limits<std::uint64_t>::max();
  std::vector<bool> pes;  ///< by PeId, those that are shown; empty: all
  /// Of the file: slices, ends of arrows, values of counters. What ends later is left out, and the file says
  /// so.
  std::uint64_t max_events = 500'000;
  std::uint64_t counter_cycles = 0;  ///< one value of each counter per so many cycles; 0: no counters
  TraceTime time = TraceTime::nanoseconds;

  bool shows(std::uint32_t pe) const { return pes.empty() || (pe < pes.size() && pes[pe]); }
};

/// The default of `--trace`: stages over the whole run and, of the rest, one period after the fill, with a
/// hundred values of each counter. `fill_periods` counts the periods that the pipeline takes to fill;
/// `measurement` is an earlier run of the same program.
TraceOptions one_period_after_fill(const Measurement& measurement, std::uint32_t fill_periods);

/// Costs 24 bytes per micro-op or stall, and beyond some hundred thousand of them no memory but a temporary
/// file.
class TraceRecorder : public Observer {
 public:
  enum class Kind : std::uint8_t { micro_op, stall };
  struct Record {
    std::uint64_t start : 44 = 0;
    std::uint64_t pe : 20 = 0;
    std::uint64_t length : 40 = 0;
    std::uint64_t instance : 24 = 0;
    std::uint32_t op = 0;  ///< of a stall: its cause
    Kind kind = Kind::micro_op;
    std::uint64_t end() const { return start + length; }
  };
  /// By end; ties in an order that does not depend on that of the calls.
  struct EndsBefore {
    bool operator()(const Record& a, const Record& b) const;
  };
  struct ArrivesBefore {
    bool operator()(const ObservedPacket& a, const ObservedPacket& b) const { return a.arrived < b.arrived; }
  };
  struct FlitsEndBefore {
    bool operator()(const ObservedFlits& a, const ObservedFlits& b) const;
  };
  using Records = SortedSpool<Record, EndsBefore>;
  using Packets = SortedSpool<ObservedPacket, ArrivesBefore>;
  using Flits = SortedSpool<ObservedFlits, FlitsEndBefore>;

  explicit TraceRecorder(const TraceOptions& options) : options_(options) {}
  void micro_op(PeId pe, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                std::uint64_t end) override;
  void stall(PeId pe, StallCause cause, std::uint64_t start, std::uint64_t end) override;
  /// Of the micro-op told just before: shown from its first packet on, not from its grant, since a PE grants
  /// dozens of receives long before their data sets out.
  void transfer(TransferId transfer, std::uint32_t instance, std::uint64_t start, std::uint64_t end) override;
  bool wants_packets() const override { return options_.detail >= TraceDetail::packet; }
  void packet(const ObservedPacket& packet) override;
  bool wants_flits() const override { return options_.detail >= TraceDetail::flit; }
  void flits(const ObservedFlits& flits) override;
  /// The last multiple of counter_cycles before the window, then all until its end.
  std::uint64_t next_sample(std::uint64_t cycle) const override;
  void sample(const CounterSample& sample) override;

  Records& records() { return records_; }  ///< to be read after the run
  Packets& packets() { return packets_; }
  Flits& flit_runs() { return flits_; }
  const std::vector<CounterSample>& samples() const { return samples_; }
  /// By window of counter_cycles: cycles in which PEs stood still, summed over the PEs.
  const std::vector<std::uint64_t>& stalled_cycles() const { return stalled_; }
  std::uint64_t dropped() const { return dropped_; }
  /// Everything that ended before is recorded.
  std::uint64_t complete_until() const { return complete_until_; }
  const TraceOptions& options() const { return options_; }

 private:
  /// False if it is not kept.
  bool add(PeId pe, Kind kind, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
           std::uint64_t end);
  bool full(std::uint64_t end);
  bool in_window(std::uint64_t start, std::uint64_t end) const {
    return end >= options_.from && start < options_.until;
  }
  void count_stall(std::uint64_t start, std::uint64_t end);

  TraceOptions options_;
  Records records_;
  bool moves_ = false;  ///< the last record may be that of a transfer
  Packets packets_;
  Flits flits_;
  std::vector<CounterSample> samples_;
  std::vector<std::uint64_t> stalled_;
  std::uint64_t dropped_ = 0;
  std::uint64_t complete_until_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace dfsim
