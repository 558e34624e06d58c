// planner/cost/program_hash.h: the identity of a program: equal programs give equal measurements.
#pragma once

#include <string>

#include "sim/api/hardware.h"
#include "sim/api/program.h"

namespace dfsim {

/// Hash of everything in `program` that the simulator acts upon. Names are left out; tensors and operators
/// count by first use, places relative to the program's own PEs, so that equal layers at different places
/// of the graph and of the mesh have equal hashes.
std::string program_hash(const Program& program, const HardwareSpec& hardware);

}  // namespace dfsim
