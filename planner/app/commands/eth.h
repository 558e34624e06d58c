// planner/app/commands/eth.h: `dfsim eth`, one Ethernet link alone.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

/// Adds the subcommand to `app`. Its callback prints the result and leaves `exit_code` 0. Wrong values throw
/// InputError or CLI::ValidationError.
void add_eth_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
