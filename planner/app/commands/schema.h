// planner/app/commands/schema.h: `dfsim schema`: the JSON Schemas of everything that dfsim emits.
#pragma once

#include <CLI/CLI.hpp>

namespace dfsim {

void add_schema_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
