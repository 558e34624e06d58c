// A run told by hand to a recorder: small enough to state every event.
#pragma once

#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "sim/trace/chrome_trace.h"
#include "sim/trace/recorder.h"
#include "sim/trace/timeline.h"
#include "tests/sim/pe/program_builder.h"

namespace dfsim {

class StringSink : public ByteSink {
 public:
  void write(std::string_view bytes) override { text += bytes; }
  std::string text;
};

inline constexpr int kStageGroup = 1, kPe0 = 1000, kPe1 = 1001;

/// Two PEs; PE 0: matmul, vector, two sends at the same time; PE 1: load, two receives, vector. Three periods
/// of 100 cycles; the stage's periods overlap. Samples every 50 cycles if counters are asked for.
struct Example {
  HardwareSpec hardware = line_hardware(2);
  ProgramBuilder b;
  Measurement measurement;
  TraceRecorder recorder;
  TraceHead origin;

  explicit Example(std::uint32_t periods = 3, const TraceOptions& options = {}) : recorder(options) {
    b.program.periods = periods;
    b.program.operators[0].name = "evil \"</script>\\\x01";
    const std::uint32_t out = b.tensor(0, 0, 128);
    const std::uint32_t m = b.matmul(0, 8, 16, 32, {}, 0, {}, {out});
    const std::uint32_t m2 = b.matmul(0, 8, 16, 32, {}, 0, {}, {out});
    const std::uint32_t v = b.vector(0, 64, {}, {}, {out});
    const std::uint32_t load = b.memory(1, TransferKind::load, {{PortId(0), 0, 4096, 1, 0}});
    const auto [s1, r1] = b.send(0, 1, 256);
    const auto [s2, r2] = b.send(0, 1, 512);
    const std::uint32_t v1 = b.vector(1, 640);
    measurement.stage_period_start_cycles.resize(1);
    measurement.stage_period_done_cycles.resize(1);
    for (std::uint32_t p = 0; p < periods; ++p) {
      const std::uint64_t t = std::uint64_t{p} * 100;
      if (p > 0) {
        const auto [start, end] = std::pair(t - 100 + 66, t + 20);
        recorder.micro_op(PeId(1), v1, p - 1, start, end);
      }
      recorder.micro_op(PeId(1), load, p, t, t + 15);
      recorder.micro_op(PeId(0), m, p, t, t + 20);
      recorder.micro_op(PeId(0), m2, p, t + 10, t + 30);
      recorder.micro_op(PeId(0), v, p, t + 30, t + 41);
      recorder.micro_op(PeId(0), s1, p, t + 41, t + 50);
      if (options.counter_cycles > 0) sample(t + 50);
      recorder.micro_op(PeId(1), r1, p, t, t + 55);
      recorder.transfer(TransferId(1), p, t + 41, t + 55);
      recorder.micro_op(PeId(0), s2, p, t + 45, t + 61);
      recorder.micro_op(PeId(1), r2, p, t, t + 66);
      recorder.transfer(TransferId(2), p, t + 45, t + 66);
      recorder.stall(PeId(1), StallCause::dependence, t, t + 66);
      if (options.counter_cycles > 0) sample(t + 100);
      measurement.stage_period_start_cycles[0].push_back(t);
      measurement.stage_period_done_cycles[0].push_back(t + 120);
      measurement.period_done_cycles.push_back(t + 120);
    }
    const std::uint64_t last = std::uint64_t{periods} * 100;
    recorder.micro_op(PeId(1), v1, periods - 1, last - 34, last + 20);
    measurement.cycles = last + 20;
    if (options.counter_cycles > 0) sample(measurement.cycles);
  }

  std::string text() {
    StringSink out;
    ChromeTrace sink(out, hardware.clock_period_ps);
    write_timeline({recorder, b.program, hardware, measurement, origin}, sink);
    return out.text;
  }
  nlohmann::json json() { return nlohmann::json::parse(text()); }

 private:
  /// A flit in five cycles on the first link, 8 bytes read per cycle.
  void sample(std::uint64_t cycle) {
    CounterSample sample;
    sample.cycle = cycle;
    sample.link_flits = {{cycle / 5, 0}};
    sample.read_bytes = {8 * cycle};
    sample.write_bytes = {0};
    recorder.sample(sample);
  }
};

/// In picoseconds, as written.
inline std::int64_t picoseconds(const nlohmann::json& time) { return std::llround(time.get<double>() * 1e6); }

using ThreadKey = std::pair<int, int>;
struct Interval {
  std::int64_t start, end;
};

inline std::map<ThreadKey, std::vector<Interval>> slices_of(const nlohmann::json& trace) {
  std::map<ThreadKey, std::vector<Interval>> threads;
  for (const nlohmann::json& e : trace["traceEvents"])
    if (e["ph"] == "X")
      threads[{e["pid"], e["tid"]}].push_back(
          {picoseconds(e["ts"]), picoseconds(e["ts"]) + picoseconds(e["dur"])});
  return threads;
}

}  // namespace dfsim
