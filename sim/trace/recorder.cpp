#include "sim/trace/recorder.h"

#include <algorithm>
#include <tuple>

namespace dfsim {

namespace {

constexpr std::uint64_t kCounterValues = 100;  ///< in the default window

}  // namespace

TraceOptions one_period_after_fill(const Measurement& measurement, std::uint32_t fill_periods) {
  TraceOptions options;
  const std::vector<std::uint64_t>& done = measurement.period_done_cycles;
  if (done.empty()) return options;
  const std::size_t period = std::min<std::size_t>(fill_periods, done.size() - 1);
  options.from = period == 0 ? 0 : done[period - 1];
  options.until = done[period];
  options.counter_cycles = std::max<std::uint64_t>(1, (options.until - options.from) / kCounterValues);
  return options;
}

void TraceRecorder::micro_op(PeId pe, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                             std::uint64_t end) {
  moves_ = add(pe, Kind::micro_op, op, instance, start, end);
}

void TraceRecorder::transfer(TransferId, std::uint32_t, std::uint64_t start, std::uint64_t end) {
  if (!moves_) return;
  moves_ = false;
  Record& record = records_.back();
  if (start <= record.start || record.end() != end) return;
  if (start >= options_.until) return records_.pop_back();
  record.start = start;
  record.length = end - start;
}

void TraceRecorder::stall(PeId pe, StallCause cause, std::uint64_t start, std::uint64_t end) {
  count_stall(start, end);
  moves_ = false;
  add(pe, Kind::stall, static_cast<std::uint32_t>(cause), 0, start, end);
}

void TraceRecorder::packet(const ObservedPacket& packet) {
  if (!in_window(packet.created, packet.arrived) || full(packet.arrived)) return;
  packets_.append(packet);
}

void TraceRecorder::flits(const ObservedFlits& flits) {
  if (!in_window(flits.start, flits.end) || full(flits.end)) return;
  flits_.append(flits);
}

std::uint64_t TraceRecorder::next_sample(std::uint64_t cycle) const {
  const std::uint64_t window = options_.counter_cycles;
  if (window == 0 || cycle >= options_.until) return kNoSample;
  return std::max(cycle / window + 1, options_.from / window) * window;
}

void TraceRecorder::sample(const CounterSample& sample) {
  // One sample before the window is kept as the value to start from.
  if (!samples_.empty() && sample.cycle <= options_.from) samples_.clear();
  if (samples_.empty() || samples_.back().cycle < options_.until) samples_.push_back(sample);
}

bool TraceRecorder::add(PeId pe, Kind kind, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                        std::uint64_t end) {
  if (options_.detail < TraceDetail::op || !in_window(start, end) || !options_.shows(pe.value()))
    return false;
  if (full(end)) return false;
  Record record;
  record.start = start;
  record.pe = pe.value();
  record.length = end - start;
  record.instance = instance;
  record.op = op;
  record.kind = kind;
  records_.append(record);
  return true;
}

bool TraceRecorder::full(std::uint64_t end) {
  if (dropped_ == 0 && records_.size() + packets_.size() + flits_.size() < options_.max_events) return false;
  ++dropped_;
  complete_until_ = std::min(complete_until_, end);
  return true;
}

void TraceRecorder::count_stall(std::uint64_t start, std::uint64_t end) {
  const std::uint64_t window = options_.counter_cycles;
  if (window == 0 || end <= start) return;
  if (stalled_.size() <= (end - 1) / window) stalled_.resize((end - 1) / window + 1, 0);
  for (std::uint64_t w = start / window; w * window < end; ++w)
    stalled_[w] += std::min(end, (w + 1) * window) - std::max(start, w * window);
}

bool TraceRecorder::EndsBefore::operator()(const Record& a, const Record& b) const {
  const auto key = [](const Record& r) {
    return std::tuple(r.end(), std::uint64_t{r.start}, std::uint64_t{r.pe}, r.kind, r.op,
                      std::uint64_t{r.instance});
  };
  return key(a) < key(b);
}

bool TraceRecorder::FlitsEndBefore::operator()(const ObservedFlits& a, const ObservedFlits& b) const {
  const auto key = [](const ObservedFlits& f) { return std::tuple(f.end, f.noc, f.link); };
  return key(a) < key(b);
}

}  // namespace dfsim
