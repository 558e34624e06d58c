// planner/app/commands/collective.h: dfsim collective, communication primitives alone.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_collective_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
