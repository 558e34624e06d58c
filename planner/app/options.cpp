#include "planner/app/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sched.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "planner/inter_stage/optimizer.h"
#include "planner/inter_stage/policy.h"
#include "sim/base/errors.h"
#include "sim/base/files.h"

namespace dfsim {

namespace {

[[noreturn]] void refuse(const std::string& option, const std::string& what, const std::string& hint = {}) {
  throw InputError({{{option, 0, 0}, what, hint}});
}

struct Unit {
  const char* name;
  double seconds;
};
constexpr Unit kUnits[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}};

/// A number that is not negative, and the unit behind it (may be empty).
std::optional<std::pair<double, std::string>> number_with_unit(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || !std::isfinite(value) || value < 0) return std::nullopt;
  return std::pair(value, std::string(end));
}

std::optional<double> seconds_of_unit(const std::string& name) {
  for (const Unit& unit : kUnits)
    if (name == unit.name) return unit.seconds;
  return std::nullopt;
}

}  // namespace

void add_run_options(CLI::App& command, RunOptions& options) {
  options.command = &command;
  command.add_option("--out", options.out, "output folder (default out/<config>-<model>)");
  command.add_option("--periods", options.periods, "periods measured after the fill")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  command.add_option("--workers", options.workers, "simulator processes (default: one per CPU)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--cache", options.cache,
                     "SQLite file of measured prices, or none (default $XDG_CACHE_HOME/dfsim/prices.sqlite)");
  add_trace_options(command, options.trace);
  command
      .add_option("--set", options.overrides, "key.path=value of the config, or model.key=value; repeatable")
      ->allow_extra_args(false);
  command.add_flag("--json", options.json, "print measurement.json instead of the summary");
}

void add_plan_options(CLI::App& command, PlanOptions& options) {
  command.add_option("--config", options.config, "hardware description, for example mesh8x8.yaml");
  command.add_option("--model", options.model, "model, for example bert.yaml");
  command.add_option("--samples", options.samples, "samples of one period")
      ->check(CLI::Range(1, 4096))
      ->capture_default_str();
  command.add_option("--task", options.task, "inference")
      ->check(CLI::IsMember({"inference", "training"}))
      ->capture_default_str();
  command.add_option("--optimizer", options.optimizer, "inter-stage optimizer (see dfsim list)")
      ->capture_default_str();
  command.add_option("--price-table", options.price_table,
                     "YAML of given stage times, in place of config and model");
  command
      .add_option("--priced-plans", options.priced_plans,
                  "ga and rl: different plans priced per round at most")
      ->check(CLI::Range(1, 100000000))
      ->capture_default_str();
  command.add_option("--load-policy", options.load_policy, "rl: begin with the policy of this file");
  command.add_option("--save-policy", options.save_policy, "rl: write the learned policy to this file");
  command.add_option("--goal", options.goal, "which part of the cost is updatable")
      ->check(CLI::IsMember({"time", "hardware", "cost"}))
      ->capture_default_str();
  command.add_option("--objective", options.objective, "interval (throughput) or latency")
      ->check(CLI::IsMember({"interval", "latency"}))
      ->capture_default_str();
  command.add_option("--time-limit", options.time_limit,
                     "goal hardware: cycles of a period (latency: of the first), or a time such as 500ms");
  command.add_option("--minimise", options.minimise, "goal hardware: what there should be least of")
      ->check(CLI::IsMember({"pes", "sram", "links"}))
      ->capture_default_str();
  command.add_option("--cost-limit", options.cost_limit, "goal cost: the first machine found below it")
      ->check(CLI::PositiveNumber);
  command.add_flag("--curve", options.curve, "measure every machine of the trade-off curve");
  command.add_option("--stop-below", options.stop_below,
                     "stop once a period takes less: cycles, or a time such as 2ms");
  command.add_option("--max-rounds", options.max_rounds, "most rounds")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command.add_option("--time-budget", options.time_budget,
                     "stop after so many seconds (or 5m); results may then differ");
  command
      .add_option("--prune", options.prune,
                  "auto: leave out what cannot win; stop: start all; none: finish all")
      ->check(CLI::IsMember({"auto", "stop", "none"}))
      ->capture_default_str();
  command.add_option("--audit", options.audit, "discarded candidates that are run to check the bounds")
      ->capture_default_str();
  command
      .add_option("--stage-candidates", options.stage_candidates,
                  "combinations tried per stage in the two-level search")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of everything random")->capture_default_str();
  command.add_flag("--print-config", options.print_config,
                   "print the resolved inputs and where each value came from");
  add_run_options(command, options);
}

std::optional<std::uint64_t> cycles_from(const std::string& text, std::uint64_t clock_period_ps) {
  const auto number = number_with_unit(text);
  if (!number) return std::nullopt;
  double cycles = number->first;
  if (!number->second.empty()) {
    const auto seconds = seconds_of_unit(number->second);
    if (!seconds) return std::nullopt;
    cycles *= *seconds * 1e12 / static_cast<double>(clock_period_ps);
  }
  if (cycles > 1e18) return std::nullopt;
  return static_cast<std::uint64_t>(cycles);
}

std::optional<double> seconds_from(const std::string& text) {
  const auto number = number_with_unit(text);
  if (!number) return std::nullopt;
  const auto unit = number->second.empty() ? std::optional(1.0) : seconds_of_unit(number->second);
  return unit ? std::optional(number->first * *unit) : std::nullopt;
}

void check_optimizer(const std::string& name) {
  const std::vector<std::string> known = InterStageRegistry::instance().names();
  if (!InterStageRegistry::instance().find(name))
    refuse("--optimizer", "unknown optimizer '" + name + "'",
           fmt::format("known: {}", fmt::join(known, ", ")));
}

SearchSettings search_settings(const PlanOptions& options) {
  SearchSettings settings;
  settings.priced_plans = options.priced_plans;
  for (const auto& [name, file] :
       {std::pair("--load-policy", options.load_policy), std::pair("--save-policy", options.save_policy)})
    if (!file.empty() && options.optimizer != "rl")
      refuse(name, "the optimizer '" + options.optimizer + "' has no policy", "use --optimizer rl");
  if (options.load_policy.empty()) return settings;
  if (!std::filesystem::is_regular_file(options.load_policy))
    refuse("--load-policy", "there is no file " + options.load_policy);
  settings.policy = read_file(options.load_policy);
  const auto policy = Policy::from_text(settings.policy);
  if (!policy)
    throw InputError(
        {{{options.load_policy, 1, 1}, policy.reason(), "write one with --optimizer rl --save-policy FILE"}});
  return settings;
}

void save_policy(const PlanOptions& options, const std::string& policy) {
  if (!options.save_policy.empty()) write_file_atomically(options.save_policy, policy);
}

LoopOptions loop_options(const PlanOptions& options, const HardwareSpec& hardware) {
  if (options.task != "inference")
    refuse("--task", "training is not supported by this version", "use --task inference");
  check_optimizer(options.optimizer);
  LoopOptions loop;
  loop.search = search_settings(options);
  loop.goal.kind = options.goal == "hardware" ? GoalKind::hardware
                   : options.goal == "cost"   ? GoalKind::cost
                                              : GoalKind::time;
  loop.goal.objective = options.objective == "latency" ? Objective::latency : Objective::interval;
  loop.goal.samples = options.samples;
  loop.intra.samples = options.samples;
  loop.intra.objective = loop.goal.objective;
  loop.intra.prune = options.prune == "none"   ? PruneMode::none
                     : options.prune == "stop" ? PruneMode::stop
                                               : PruneMode::automatic;
  loop.intra.stage_candidates = options.stage_candidates;
  loop.intra.audit = options.audit;
  loop.intra.seed = options.seed;
  loop.seed = options.seed;
  loop.max_rounds = options.max_rounds;
  if (!options.stop_below.empty()) {
    loop.stop_below_cycles = cycles_from(options.stop_below, hardware.clock_period_ps);
    if (!loop.stop_below_cycles)
      refuse("--stop-below", "'" + options.stop_below + "' is neither cycles nor a time",
             "for example 1500000 or 1.5ms");
  }
  if (!options.time_budget.empty()) {
    loop.time_budget_seconds = seconds_from(options.time_budget);
    if (!loop.time_budget_seconds)
      refuse("--time-budget", "'" + options.time_budget + "' is no time", "for example 90, 90s or 5m");
  }
  return loop;
}

std::uint32_t worker_count(const RunOptions& options) {
  if (options.workers > 0) return options.workers;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return static_cast<std::uint32_t>(CPU_COUNT(&set));
  return std::max(1u, std::thread::hardware_concurrency());
}

std::optional<std::string> cache_file(const RunOptions& options) {
  if (options.cache == "none") return std::nullopt;
  if (!options.cache.empty()) return options.cache;
  const auto folder = [](const char* variable) -> std::string {
    const char* value = std::getenv(variable);
    return value ? value : "";
  };
  if (const std::string cache = folder("XDG_CACHE_HOME"); !cache.empty())
    return cache + "/dfsim/prices.sqlite";
  if (const std::string home = folder("HOME"); !home.empty()) return home + "/.cache/dfsim/prices.sqlite";
  return std::nullopt;
}

}  // namespace dfsim
