// planner/app/commands/plan.h: `dfsim` alone (plan, run, report) and `dfsim plan` (without the last run).
#pragma once

#include <CLI/CLI.hpp>

#include "planner/app/options.h"

namespace dfsim {

/// The main job. With `measure` the winner runs once more, for measurement.json, program.json and its trace.
/// Returns the exit code.
int plan_and_run(const PlanOptions& options, bool measure);

/// `dfsim` alone: plan_and_run() with the last run, or the search of the other goals.
int plan_and_measure(const PlanOptions& options);

/// `dfsim plan --price-table FILE`: the search alone, on given prices. Returns the exit code.
int plan_from_table(const PlanOptions& options);

void add_plan_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
