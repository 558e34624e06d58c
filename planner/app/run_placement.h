// planner/app/run_placement.h: `dfsim run --placement`: a stream of requests through a settled structure.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <string>

#include "planner/app/options.h"
#include "planner/placement/target_task.h"

namespace dfsim {

struct PlacementRun {
  std::string placement;     ///< placement.yaml
  std::string model;         ///< the task's model; empty: the placement's
  std::string samples_file;  ///< sample sizes; empty: the model's own
  TargetTask task;
  std::string arrivals = "poisson";
};

/// --placement and what goes with it.
void add_placement_options(CLI::App& command, PlacementRun& run);

/// Refuses a task whose graph is not the placement's, and files that were changed. Sample sizes without a
/// stored card time are planned on the card first. Prints latency percentiles, throughput and utilisation;
/// with --out writes requests.csv and trace.json.gz. Returns the exit code.
int run_placement(const PlacementRun& run, const RunOptions& options);

}  // namespace dfsim
