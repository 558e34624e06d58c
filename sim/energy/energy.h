// sim/energy/energy.h: from counted events to picojoules.
#pragma once

#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/measurement.h"

namespace dfsim {

/// Fills `measurement.energy_pj`: events times the table, by event class, and "total", their sum in order of
/// the names. An event class that the table does not name counts as 0 pJ (see unpriced_events); a name in the
/// table without events counts as 0. `energy_blocks_pj` gets the same by block, its values add up to the
/// total as well.
void add_energy(Measurement& measurement, const EnergySpec& table);

/// The block of the machine that an event class belongs to: matrix_unit, vector_unit, scratchpad, noc, dram,
/// ethernet, host, or static (what time alone costs: leakage, standby, refresh); `other` if unknown.
std::string energy_block(const std::string& event);

/// Event classes that happened and that the table does not price.
std::vector<std::string> unpriced_events(const Measurement& measurement, const EnergySpec& table);

}  // namespace dfsim
