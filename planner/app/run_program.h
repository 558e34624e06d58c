// planner/app/run_program.h: a saved program on a machine, without planner and model.
#pragma once

#include <string>

#include "planner/app/options.h"

namespace dfsim {

/// Runs the program in the file `program` on the hardware of the file `config` and prints what was measured.
/// Returns the exit code.
int run_program(const std::string& program, const std::string& config, const RunOptions& options);

}  // namespace dfsim
