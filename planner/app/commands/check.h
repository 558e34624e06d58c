// planner/app/commands/check.h: `dfsim check FILES`: are these files right?
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_check_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
