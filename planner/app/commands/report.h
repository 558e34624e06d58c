// planner/app/commands/report.h: `dfsim report`.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_report_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
