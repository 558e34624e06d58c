#include "planner/app/command_line.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "planner/app/command_tree.h"
#include "planner/app/commands/check.h"
#include "planner/app/commands/collective.h"
#include "planner/app/commands/compile.h"
#include "planner/app/commands/completion.h"
#include "planner/app/commands/dram.h"
#include "planner/app/commands/eth.h"
#include "planner/app/commands/list.h"
#include "planner/app/commands/noc.h"
#include "planner/app/commands/pe.h"
#include "planner/app/commands/place.h"
#include "planner/app/commands/plan.h"
#include "planner/app/commands/report.h"
#include "planner/app/commands/run.h"
#include "planner/app/commands/schema.h"
#include "planner/app/commands/sweep.h"
#include "planner/app/commands/verify.h"
#include "planner/app/exit_codes.h"
#include "planner/app/number_range.h"
#include "planner/app/version.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr const char* kExamples =
    "Examples:\n"
    "  dfsim --config mesh8x8.yaml --model bert.yaml              plan, measure, write out/mesh8x8-bert/\n"
    "  dfsim --config mesh8x8.yaml --model bert.yaml --set noc.dims=8x16 --objective latency\n"
    "  dfsim run --plan out/mesh8x8-bert/plan.yaml --trace t.json.gz --trace-detail packet\n"
    "  dfsim sweep --config mesh8x8.yaml --model bert.yaml --vary noc.dims=4x4,8x8,16x16\n"
    "  dfsim check my_chip.yaml my_model.yaml\n"
    "A name without a folder is looked for here, then in configs/ or models/, in $DFSIM_PATH, and where "
    "dfsim is\n"
    "installed. Exit codes: 0 ok, 1 failed, 2 wrong input, 3 no plan fits, 4 deadlock or limit, 130 "
    "interrupted.";

const std::map<std::string, const char*>& command_groups() {
  static const std::map<std::string, const char*> groups{
      {"plan", "Plan and run"},        {"run", "Plan and run"},     {"sweep", "Plan and run"},
      {"place", "Plan and run"},       {"compile", "Plan and run"}, {"verify", "Plan and run"},
      {"report", "Look at"},           {"check", "Look at"},        {"list", "Look at"},
      {"schema", "Look at"},           {"completion", "Look at"},   {"noc", "One part alone"},
      {"pe", "One part alone"},        {"dram", "One part alone"},  {"eth", "One part alone"},
      {"collective", "One part alone"}};
  return groups;
}

void print_version(bool json) {
  if (json)
    fmt::print("{}\n",
               nlohmann::ordered_json{
                   {"version", 1}, {"dfsim_version", version()}, {"simulator_hash", simulator_hash()}}
                   .dump(1));
  else
    fmt::print("dfsim {} (simulator {})\n", version(), simulator_hash());
}

/// The command that was being parsed.
const CLI::App& innermost(const CLI::App& app) {
  const auto used = app.get_subcommands();
  return used.empty() ? app : innermost(*used.front());
}

}  // namespace

CommandLine::CommandLine()
    : app_("plans a neural network onto a chip and measures the plan in a simulator", "dfsim") {
  app_.require_subcommand(0, 1);
  app_.footer(kExamples);
  add_plan_options(app_, options_);
  app_.add_flag("--version", show_version_, "print the version and a hash of the simulator's sources");
  add_plan_command(app_, exit_code_);
  add_run_command(app_, exit_code_);
  add_sweep_command(app_, exit_code_);
  add_place_command(app_, exit_code_);
  add_compile_command(app_, exit_code_);
  add_verify_command(app_, exit_code_);
  add_report_command(app_, exit_code_);
  add_check_command(app_, exit_code_);
  add_list_command(app_, exit_code_);
  add_schema_command(app_, exit_code_);
  add_completion_command(app_, exit_code_);
  add_noc_command(app_, exit_code_);
  add_pe_command(app_, exit_code_);
  add_dram_command(app_, exit_code_);
  add_eth_command(app_, exit_code_);
  add_collective_command(app_, exit_code_);
  check_unsigned_options(app_);
  group_options(app_);
  for (CLI::App* command : app_.get_subcommands([](CLI::App*) { return true; })) {
    group_options(*command);
    const auto group = command_groups().find(command->get_name());
    if (group != command_groups().end()) command->group(group->second);
  }
}

int CommandLine::run(int argc, const char* const* argv) {
  try {
    app_.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(error);
  }
  return app_.get_subcommands().empty() ? run_main_job() : exit_code_;
}

int CommandLine::run_main_job() {
  if (show_version_) {
    print_version(options_.json);
    return kOk;
  }
  return plan_and_measure(options_);
}

int CommandLine::explain(const CLI::ParseError& error) {
  // Help is an "error" with code 0; all others are mistakes on the command line.
  if (error.get_exit_code() == 0) return app_.exit(error);
  const CLI::App& command = innermost(app_);
  std::vector<std::string> known;
  for (const OptionInfo& option : command_tree(command).options)
    known.insert(known.end(), option.names.begin(), option.names.end());
  for (const CommandInfo& other : command_tree(app_).commands) known.push_back(other.name);
  std::string hint =
      "dfsim " + (&command == &app_ ? "" : command.get_name() + " ") + "--help lists what there is";
  for (const std::string& word : command.remaining(true)) {
    const std::string name = word.substr(0, word.find('='));
    const std::string nearest = name.size() > 2 ? nearest_name(name, known) : "";
    if (nearest.empty()) continue;
    hint = "did you mean " + nearest + "?";
    break;
  }
  throw InputError(
      {{{&command == &app_ ? "dfsim" : "dfsim " + command.get_name(), 0, 0}, error.what(), hint}});
}

}  // namespace dfsim
