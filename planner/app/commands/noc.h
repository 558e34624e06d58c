// planner/app/commands/noc.h: `dfsim noc`, the network on chip alone under synthetic traffic.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

/// Adds the subcommand to `app`. Its callback prints the result and sets `exit_code`: 0, or 4 after a
/// deadlock. Wrong values throw InputError or CLI::ValidationError.
void add_noc_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
