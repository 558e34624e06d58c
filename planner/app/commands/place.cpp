#include "planner/app/commands/place.h"

#include <memory>

#include "planner/app/exit_codes.h"
#include "sim/base/errors.h"

namespace dfsim {

std::optional<Objective> PlaceOptions::stated_objective() const {
  if (objective.empty()) return std::nullopt;
  return objective == "interval" ? Objective::interval : Objective::latency;
}

namespace {

int place(const PlaceOptions& options) {
  if (options.time_table.empty())
    throw InputError(
        {{{"--time-table", 0, 0}, "a table of times is needed", "for example --time-table t.yaml"}});
  return place_from_table(options);
}

}  // namespace

void add_place_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlaceOptions>();
  CLI::App* command = app.add_subcommand("place", "place sub-graphs on CPUs, GPUs and dataflow cards");
  command->add_option("--time-table", options->time_table, "YAML of measured times, in place of a server");
  command->add_option("--method", options->method, "mutation, or exact: dynamic program over measured times")
      ->check(CLI::IsMember({"mutation", "exact"}))
      ->capture_default_str();
  command->add_option("--objective", options->objective, "latency (one sample) or interval (a pipeline)")
      ->check(CLI::IsMember({"latency", "interval"}));
  command->add_option("--max-cycles", options->max_cycles, "most execution cycles")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "of the mutations")->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] { exit_code = place(*options); });
}

}  // namespace dfsim
