// sim/mem/core/channel_group.h: several equal channels behind one port, interleaved.
#pragma once

#include <memory>

#include "sim/mem/core/controller.h"

namespace dfsim {

/// Byte a of the port lies in channel (a / g) mod n, at byte (a / g / n) g + a mod g there, with g =
/// channel_interleave_bytes and n = channels. A request becomes one request per channel that it touches; a
/// piece of it (answer_packet_bytes, ending at bursts, as one controller cuts it) completes when the last of
/// its bytes has, whichever channel that is in. Counters are the sums over the channels, `busy_clocks` the
/// greatest of them. Throws SimulationError for what check_memory_controller() objects to.
std::unique_ptr<MemoryController> make_channel_group(const MemoryControllerSpec& spec,
                                                     std::uint64_t noc_clock_period_ps);

}  // namespace dfsim
