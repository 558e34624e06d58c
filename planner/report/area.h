// planner/report/area.h: how much silicon a chip takes, roughly: good for comparing chips of one sweep, no
// floor plan.
#pragma once

#include <cstdint>

#include "sim/api/hardware.h"

namespace dfsim {

/// Square millimetres in a 45 nm process, by part, all PEs or routers together. The formula is in
/// docs/sweep.md.
struct AreaProxy {
  double matrix_mm2 = 0, vector_mm2 = 0, scratchpad_mm2 = 0, router_mm2 = 0;
  double total_mm2() const { return matrix_mm2 + vector_mm2 + scratchpad_mm2 + router_mm2; }
};

AreaProxy area_proxy(const HardwareSpec& hardware);

/// Ports of router `router`, endpoints included.
std::uint32_t router_ports(const NocSpec& noc, RouterId router);

}  // namespace dfsim
