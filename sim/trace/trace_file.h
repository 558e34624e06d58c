// sim/trace/trace_file.h: a recorded run as a file; its name says which format.
#pragma once

#include <optional>
#include <string>

#include "sim/trace/timeline.h"

namespace dfsim {

enum class TraceFormat : std::uint8_t { chrome, perfetto, vcd };

/// ".json" and ".json.gz": Trace Event Format, plain or compressed; ".pftrace" and ".pftrace.gz": Perfetto
/// protobuf; ".vcd" and ".vcd.gz": value change dump. None for other names.
std::optional<TraceFormat> trace_format(const std::string& name);

/// Writes the file under a temporary name and renames it; makes missing folders. Throws FileError, and
/// std::invalid_argument for a name without a format.
TraceSummary write_trace_file(const TraceSource& source, const std::string& path);

}  // namespace dfsim
