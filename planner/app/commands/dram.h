// planner/app/commands/dram.h: `dfsim dram`, one memory device alone under synthetic traffic.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

/// Adds the subcommand to `app`. Its callback prints the result and leaves `exit_code` 0. Wrong values throw
/// InputError or CLI::ValidationError.
void add_dram_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
