#include "sim/trace/recorder.h"

#include <algorithm>

namespace dfsim {

TraceOptions one_period_after_fill(const Measurement& measurement, std::uint32_t fill_periods) {
  TraceOptions options;
  const std::vector<std::uint64_t>& done = measurement.period_done_cycles;
  if (done.empty()) return options;
  const std::size_t period = std::min<std::size_t>(fill_periods, done.size() - 1);
  options.from = period == 0 ? 0 : done[period - 1];
  options.until = done[period];
  return options;
}

void TraceRecorder::micro_op(PeId pe, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                             std::uint64_t end) {
  add({start, end, pe.value(), op, instance, Kind::micro_op});
}

void TraceRecorder::stall(PeId pe, StallCause cause, std::uint64_t start, std::uint64_t end) {
  add({start, end, pe.value(), static_cast<std::uint32_t>(cause), 0, Kind::stall});
}

void TraceRecorder::add(const Record& record) {
  if (!options_.ops || record.end < options_.from || record.start >= options_.until) return;
  if (records_.size() >= options_.max_events) {
    ++dropped_;
    return;
  }
  records_.push_back(record);
}

}  // namespace dfsim
