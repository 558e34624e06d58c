// planner/app/commands/run.h: `dfsim run`: a plan, one candidate of it, or a program, run as it stands.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_run_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
