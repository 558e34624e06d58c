// planner/app/commands/verify.h: dfsim verify, which runs a plan's program on numbers.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

/// Adds the subcommand; it puts 0 into `exit_code`, or 1 if the program computes something else than its
/// graph.
void add_verify_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
