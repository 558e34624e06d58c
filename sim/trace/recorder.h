// sim/trace/recorder.h: notes what happens during a run, to be written as a trace afterwards.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/api/observer.h"

namespace dfsim {

/// What a trace holds. Stages are always shown over the whole run.
struct TraceOptions {
  bool ops = true;  ///< micro-ops, stalls and transfers of the PEs
  /// Cycles from which PE events are kept: those that overlap [from, until).
  std::uint64_t from = 0;
  std::uint64_t until = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t max_events = 500'000;  ///< of the file; what comes later is dropped and the file says so
};

/// The default of `--trace`: stages over the whole run and, of the micro-ops, one period after the fill.
/// `fill_periods` counts the periods that the pipeline takes to fill; `measurement` is an earlier run of the
/// same program.
TraceOptions one_period_after_fill(const Measurement& measurement, std::uint32_t fill_periods);

class TraceRecorder : public Observer {
 public:
  enum class Kind : std::uint8_t { micro_op, stall };
  struct Record {
    std::uint64_t start = 0, end = 0;
    std::uint32_t pe = 0;
    std::uint32_t op = 0;  ///< of a stall: its cause
    std::uint32_t instance = 0;
    Kind kind = Kind::micro_op;
  };

  explicit TraceRecorder(const TraceOptions& options) : options_(options) {}
  void micro_op(PeId pe, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                std::uint64_t end) override;
  void stall(PeId pe, StallCause cause, std::uint64_t start, std::uint64_t end) override;
  void transfer(TransferId, std::uint32_t, std::uint64_t, std::uint64_t) override {}

  const std::vector<Record>& records() const { return records_; }  ///< in the order in which they came
  std::uint64_t dropped() const { return dropped_; }
  const TraceOptions& options() const { return options_; }

 private:
  void add(const Record& record);

  TraceOptions options_;
  std::vector<Record> records_;
  std::uint64_t dropped_ = 0;
};

}  // namespace dfsim
