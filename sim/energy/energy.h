// sim/energy/energy.h: from counted events to picojoules.
#pragma once

#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/measurement.h"

namespace dfsim {

/// Fills `measurement.energy_pj`: events times the table, by event class, and "total", their sum in order of
/// the names. An event class that the table does not name counts as 0 pJ (see unpriced_events); a name in the
/// table without events counts as 0.
void add_energy(Measurement& measurement, const EnergySpec& table);

/// Event classes that happened and that the table does not price.
std::vector<std::string> unpriced_events(const Measurement& measurement, const EnergySpec& table);

}  // namespace dfsim
