// planner/app/commands/place.h: `dfsim place`: sub-graphs on CPUs, GPUs and dataflow cards.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "planner/placement/settle.h"

namespace dfsim {

struct PlaceOptions {
  std::string time_table;
  std::string method = "mutation";
  std::string objective;  ///< empty: that of the file, or latency
  std::uint32_t max_cycles = 500;
  std::uint64_t seed = 1;
  bool json = false;

  std::optional<Objective> stated_objective() const;
};

/// Sub-graphs with times from a table. Returns the exit code.
int place_from_table(const PlaceOptions& options);

void add_place_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
