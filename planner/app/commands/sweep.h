// planner/app/commands/sweep.h: `dfsim sweep`: plans and measures one model on many chips.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_sweep_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
