// planner/app/commands/compile.h: `dfsim compile`: from a plan to the program that the hardware executes.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_compile_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
