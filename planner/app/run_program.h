// planner/app/run_program.h: a saved program on a machine, without planner and model.
#pragma once

#include <string>

#include "planner/app/inputs.h"
#include "planner/app/options.h"
#include "sim/api/program.h"

namespace dfsim {

/// Runs the program in the file `program` on the hardware of the file `config` and prints what was measured.
/// Returns the exit code.
int run_program(const std::string& program, const std::string& config, const RunOptions& options);

/// Runs `program` once more for its trace; nothing if no trace is asked for.
void trace_program(const Program& program, const HardwareConfig& config, const RunOptions& options);

}  // namespace dfsim
