// sim/system/measure.h: collects what the modules counted.
#pragma once

#include <cstdint>

#include "sim/api/measurement.h"
#include "sim/system/machine.h"

namespace dfsim {

/// What has been counted in the cycles before `end`, the last of them complete. Closes the stall accounts of
/// the PEs, so call it once per run.
Measurement measure(Machine& machine, std::uint64_t end);

}  // namespace dfsim
