// planner/app/options.h: the options of a planning run, as typed and as meant.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/app/trace_options.h"
#include "planner/loop/loop.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// Shared by every command that runs programs.
struct RunOptions {
  std::string out;            ///< empty: the default of the command
  std::uint32_t periods = 3;  ///< P
  std::uint32_t workers = 0;  ///< 0: one per CPU that this process may use
  std::string cache = "";     ///< a file, "none", or empty: the default file
  TraceArguments trace;
  std::vector<std::string> overrides;
  bool json = false;
  const CLI::App* command = nullptr;  ///< that they were typed for
};

struct PlanOptions : RunOptions {
  std::string config, model;
  std::uint32_t samples = 8;
  std::string price_table;  ///< a file of given prices, in place of config and model
  std::string optimizer = "dp";
  std::uint64_t priced_plans = 2000;
  std::string load_policy, save_policy;
  std::string task = "inference";
  std::string goal = "time";
  std::string objective = "interval";
  std::string time_limit;        ///< of goal hardware: cycles, or a time such as 500ms
  std::string minimise = "pes";  ///< of goal hardware
  double cost_limit = 0;         ///< of goal cost; 0: the least cost
  bool curve = false;            ///< measure the whole trade-off curve
  std::string stop_below;        ///< cycles, or a time such as 500ms
  std::string time_budget;       ///< seconds, or 90s, 5m
  std::uint32_t max_rounds = 6;
  std::string prune = "auto";
  std::uint32_t audit = 0;
  std::uint32_t stage_candidates = 4;
  std::uint64_t seed = 1;
  bool print_config = false;
};

void add_run_options(CLI::App& command, RunOptions& options);
void add_plan_options(CLI::App& command, PlanOptions& options);

/// What the loop is asked for. Throws InputError for values that make no sense, naming the option.
LoopOptions loop_options(const PlanOptions& options, const HardwareSpec& hardware);

/// Throws InputError, with the known names, if there is no such inter-stage optimizer.
void check_optimizer(const std::string& name);
/// Of ga and rl; reads the policy file. Throws InputError if it holds none.
SearchSettings search_settings(const PlanOptions& options);
/// Writes --save-policy, if asked for.
void save_policy(const PlanOptions& options, const std::string& policy);

/// "500ms" at this clock, or a plain number of cycles; none if the text is neither.
std::optional<std::uint64_t> cycles_from(const std::string& text, std::uint64_t clock_period_ps);
/// "90s", "5m", "500ms" or a plain number of seconds.
std::optional<double> seconds_from(const std::string& text);

std::uint32_t worker_count(const RunOptions& options);
/// The SQLite file of prices, none for --cache none (or if there is no home folder).
std::optional<std::string> cache_file(const RunOptions& options);

}  // namespace dfsim
