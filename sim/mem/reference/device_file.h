// sim/mem/reference/device_file.h: DRAM device files (configs/memory).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/mem/reference/experiment.h"

namespace dfsim {

struct NamedDevice {
  DramDeviceSpec device;
  DramSource source = DramSource::dramsim3;
};

/// Looks for configs/memory/dramsim3/<name>.yaml, then configs/memory/ramulator2/<name>.yaml. Throws
/// ConfigError if there is none or it has mistakes.
NamedDevice load_reference_device(const std::string& name);

}  // namespace dfsim
