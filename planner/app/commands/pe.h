// planner/app/commands/pe.h: `dfsim pe`, the matrix unit alone.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_pe_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
