// sim/trace/labels.h: what PEs, ports and links are called in traces and tables.
#pragma once

#include <cstdint>
#include <string>

#include "sim/api/hardware.h"

namespace dfsim {

/// "chip0 pe 3,4"; with z of a NoC with three dimensions.
std::string pe_label(const HardwareSpec& hardware, PeId pe);
/// "chip0 pe 3,4", "chip0 memory 2", "chip1 ethernet 1".
std::string endpoint_label(const HardwareSpec& hardware, NocId noc, EndpointId endpoint);
/// "0,0 > 1,0"
std::string link_label(const HardwareSpec& hardware, NocId noc, std::uint32_t link);

}  // namespace dfsim
