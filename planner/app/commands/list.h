// planner/app/commands/list.h: `dfsim list`: what is registered, and the modules of a machine.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_list_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
