// planner/report/bounds.h: cycles that no plan can beat, from the graph and the hardware alone. They stand
// beside a measurement for comparison and never replace one.
#pragma once

#include <cstdint>

#include "planner/graph/graph.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// What must happen at least, of one period.
struct PeriodBound {
  double compute_cycles = 0;  ///< samples x MACs / peak MACs per cycle of all PEs
  double dram_cycles = 0;     ///< bytes that must cross DRAM / peak bandwidth of all ports; 0 without ports
  double cycles() const { return compute_cycles > dram_cycles ? compute_cycles : dram_cycles; }
};

/// A period in the steady state: every sample's inputs, outputs and gathered embedding rows cross DRAM, and
/// those weights that do not fit into all scratchpads together.
PeriodBound period_bound(const Graph& graph, const HardwareSpec& hardware, std::uint32_t samples);

/// One period from a cold start: all weights cross DRAM once.
PeriodBound cold_bound(const Graph& graph, const HardwareSpec& hardware, std::uint32_t samples);

/// Bytes of inputs, outputs (as far as the host does not hold them) and gathered embedding rows of one
/// sample.
std::uint64_t dram_bytes_per_sample(const Graph& graph, const HardwareSpec& hardware);

}  // namespace dfsim
