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
  if (!options.time_table.empty()) {
    if (!options.config.empty() || !options.model.empty())
      throw InputError({{{"--time-table", 0, 0},
                         "a table of times takes the place of a server and a model",
                         "leave out --config and --model, or --time-table"}});
    return place_from_table(options);
  }
  Diagnostics missing;
  if (options.config.empty())
    missing.error({"--config", 0, 0}, "a server is needed",
                  "for example --config server_cpu_gpu_card.yaml, or --time-table with measured times");
  if (options.model.empty())
    missing.error({"--model", 0, 0}, "a model is needed", "for example --model bert.yaml");
  missing.throw_if_any<InputError>();
  return place_on_server(options);
}

void add_inputs(CLI::App& command, PlaceOptions& options) {
  command.add_option("--config", options.config, "server, for example server_cpu_gpu_card.yaml");
  command.add_option("--model", options.model, "model, for example bert.yaml");
  command.add_option("--time-table", options.time_table, "YAML of measured times, in place of a server");
  command.add_option("--samples-file", options.samples_file,
                     "YAML of training samples: dimensions and counts");
  command.add_option("--cut", options.cut_file, "YAML of cut constraints, in place of those of the server");
  command
      .add_option("--set", options.overrides, "key.path=value of the server, or model.key=value; repeatable")
      ->allow_extra_args(false);
}

void add_search(CLI::App& command, PlaceOptions& options) {
  command.add_option("--method", options.method, "mutation, or exact: dynamic program over measured times")
      ->check(CLI::IsMember({"mutation", "exact"}))
      ->capture_default_str();
  command.add_option("--objective", options.objective, "latency (one sample) or interval (a pipeline)")
      ->check(CLI::IsMember({"latency", "interval"}));
  command.add_option("--max-cycles", options.max_cycles, "most execution cycles")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--seed", options.seed, "of the mutations")->capture_default_str();
  command.add_option("--card-rounds", options.card_rounds, "planning rounds for each sub-graph on a card")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
  command
      .add_option("--card-candidates", options.card_candidates,
                  "combinations tried per stage of a sub-graph on a card")
      ->check(CLI::Range(1, 10000))
      ->capture_default_str();
}

}  // namespace

void add_place_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlaceOptions>();
  CLI::App* command = app.add_subcommand("place", "place sub-graphs on CPUs, GPUs and dataflow cards");
  add_inputs(*command, *options);
  add_search(*command, *options);
  command->add_option("--workers", options->workers, "simulator processes (default: one per CPU)")
      ->check(CLI::Range(1, 1024));
  command->add_option("--cache", options->cache, "SQLite file of measured prices, or none");
  command->add_option("--trace", options->trace,
                      "trace file, or none (default trace.json.gz in the output folder)");
  command->add_option("--out", options->out, "output folder (default out/<config>-<model>)");
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] { exit_code = place(*options); });
}

}  // namespace dfsim
