// planner/app/commands/place.h: `dfsim place`: sub-graphs on CPUs, GPUs and dataflow cards.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/placement/settle.h"

namespace dfsim {

struct PlaceOptions {
  std::string config, model;
  std::string time_table;
  std::string samples_file;  ///< empty: one sample of the model's own dimensions
  std::string cut_file;      ///< empty: the constraints of the server file
  std::string method = "mutation";
  std::string objective;  ///< empty: that of the time table, or latency
  std::uint32_t max_cycles = 500;
  std::uint64_t seed = 1;
  std::uint32_t card_rounds = 2;
  std::uint32_t card_candidates = 2;
  std::uint32_t workers = 0;  ///< 0: one per CPU
  std::string cache;          ///< a file, "none", or empty: the default file
  std::string trace;          ///< a file, "none", or empty: trace.json.gz in the output folder
  std::string out;            ///< empty: out/<config>-<model>
  std::vector<std::string> overrides;
  bool json = false;

  std::optional<Objective> stated_objective() const;
};

/// Sub-graphs with times from a table. Returns the exit code.
int place_from_table(const PlaceOptions& options);
/// Sub-graphs of a model on a simulated server. Returns the exit code.
int place_on_server(const PlaceOptions& options);

void add_place_command(CLI::App& app, int& exit_code);

}  // namespace dfsim
