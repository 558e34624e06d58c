// sim/trace/chrome_trace.h: a recorded run in the Trace Event Format that Perfetto and chrome://tracing open.
// docs/trace.md explains what is to be seen.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "sim/api/hardware.h"
#include "sim/api/measurement.h"
#include "sim/api/program.h"
#include "sim/trace/recorder.h"

namespace dfsim {

/// Writes the trace piece by piece to `sink`. Equal runs give equal text. `program` and `measurement` are
/// those of the recorded run.
void write_chrome_trace(const TraceRecorder& recorder, const Program& program, const HardwareSpec& hardware,
                        const Measurement& measurement, const std::function<void(std::string_view)>& sink);

/// The same into a gzip file (trace.json.gz). Throws std::runtime_error if it cannot be written.
void write_chrome_trace_file(const TraceRecorder& recorder, const Program& program,
                             const HardwareSpec& hardware, const Measurement& measurement,
                             const std::string& path);

}  // namespace dfsim
