// sim/trace/counters.h: the counters of a trace, from samples of a run.
#pragma once

#include <cstdint>

#include "sim/trace/events.h"
#include "sim/trace/timeline.h"
#include "sim/trace/tracks.h"

namespace dfsim {

/// PEs computing, busy share of every NoC link that carried anything, bytes per cycle of memory ports and
/// Ethernet lines; a value stands at the start of its window and holds over it. Windows are joined until
/// there are at most `most_values` values. Returns how many were written.
std::uint64_t write_counters(const TraceSource& source, std::uint64_t most_values, Tracks& tracks,
                             TraceSink& sink);

}  // namespace dfsim
