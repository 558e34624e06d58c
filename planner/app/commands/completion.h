// planner/app/commands/completion.h: `dfsim completion`: scripts for shells, and the man page.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_completion_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
