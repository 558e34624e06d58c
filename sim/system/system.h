// sim/system/system.h: the whole simulated machine behind the one door that the planner knows. No SystemC in
// here.
#pragma once

#include <memory>
#include <string>

#include "sim/api/hardware.h"
#include "sim/api/program_runner.h"

namespace dfsim {

/// Builds all modules that `hardware` describes: chips with NoC, PEs, memory ports and Ethernet ports, and
/// the links between them. The SystemC kernel elaborates once, so a process makes one of these; throws
/// SimulationError for a second one, and for hardware that a part refuses (load_hardware and `dfsim check`
/// find that first). A run that ends in an exception leaves the kernel unusable: the process must end.
std::unique_ptr<ProgramRunner> make_program_runner(const HardwareSpec& hardware);

/// The modules of this process, one per line, indented by level: full name and kind. For `dfsim list
/// modules`.
std::string module_tree();

}  // namespace dfsim
