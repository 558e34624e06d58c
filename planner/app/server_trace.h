// planner/app/server_trace.h: a run of a server as a trace, one track per processor and direction of a link.
#pragma once

#include <string>
#include <vector>

#include "sim/api/server.h"

namespace dfsim {

/// Writes `path` (gzip if it ends in .gz) in the Trace Event Format. Jobs that run at the same time on one
/// processor, and copies at the same time on one link, take further tracks. Throws FileError.
void write_server_trace(const ServerSpec& server, const std::vector<std::string>& subgraphs,
                        const ServerMeasurement& measurement, const std::string& path);

}  // namespace dfsim
