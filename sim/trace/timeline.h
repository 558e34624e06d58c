// sim/trace/timeline.h: turns a recorded run into the events of a trace. docs/trace.md explains what is to be
// seen.
#pragma once

#include <cstdint>
#include <string>

#include "sim/api/hardware.h"
#include "sim/api/measurement.h"
#include "sim/api/program.h"
#include "sim/trace/events.h"
#include "sim/trace/recorder.h"

namespace dfsim {

/// A recorded run. `program` and `measurement` are those of the run; `origin` is what else the head of the
/// file should say (versions, hashes, command line).
struct TraceSource {
  TraceRecorder& recorder;
  const Program& program;
  const HardwareSpec& hardware;
  const Measurement& measurement;
  TraceHead origin;
};

/// What was written. `events` = slices + 2 arrows + counter_values.
struct TraceSummary {
  std::uint64_t events = 0, slices = 0, arrows = 0, counter_values = 0;
  std::uint64_t dropped = 0;         ///< slices left out for the limit
  std::uint64_t complete_until = 0;  ///< if any were dropped: everything that ended before is there
  std::string note;                  ///< what is shown, for people
};

/// Calls `sink` for every event; equal runs give equal calls. Stages come first, then counters (at most a
/// quarter of the limit: fewer, wider windows if there are more), then the rest as far as the limit allows,
/// in order of end.
TraceSummary write_timeline(const TraceSource& source, TraceSink& sink);

}  // namespace dfsim
