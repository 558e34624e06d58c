#include "planner/app/commands/check.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "planner/app/exit_codes.h"
#include "planner/app/inputs.h"
#include "planner/app/plan_inputs.h"
#include "planner/app/program_file.h"
#include "planner/app/server_inputs.h"
#include "planner/ops/operator.h"
#include "sim/base/files.h"
#include "sim/base/yaml.h"

namespace dfsim {

namespace {

struct CheckOptions {
  std::vector<std::string> files;
  std::vector<std::string> overrides;
  bool json = false;
};

enum class FileKind { config, model, plan, program };

/// What a file is meant to be, from its name or the keys at its top.
FileKind kind_of_file(const std::string& path) {
  if (std::filesystem::path(path).extension() == ".json") return FileKind::program;
  Diagnostics ignored;  // the real reader says what is wrong
  const YamlDocument document = load_yaml(path, {}, ignored);
  const YamlNode* root = document.root().node();
  if (root && root->find("inter_stage")) return FileKind::plan;
  if (root && (root->find("operators") || root->find("inputs"))) return FileKind::model;
  return FileKind::config;
}

/// A file of the command line: as given, or looked up as a config or a model.
std::optional<std::string> existing(const std::string& name) {
  if (std::filesystem::is_regular_file(name)) return name;
  for (const char* folder : {"configs", "models"})
    if (const auto found = find_input_file(name, folder)) return found;
  return std::nullopt;
}

/// One line about a file that is right. Throws InputError for one that is not.
std::string verdict(const std::string& path, const std::vector<std::string>& overrides) {
  switch (kind_of_file(path)) {
    case FileKind::plan: {
      const PlanInputs plan = load_plan(path, overrides);
      return fmt::format("plan of {} stages on {} PE groups", plan.file.plan.stages.size(),
                         plan.file.plan.distinct_groups());
    }
    case FileKind::model: {
      const Graph graph = load_model(path, overrides);
      return fmt::format("model '{}': {} operators, {} tensors, {} matrix MACs a sample", graph.name,
                         graph.operators().size(), graph.tensors().size(), macs_per_sample(graph));
    }
    case FileKind::program: {
      const Program program = read_program(path);
      return fmt::format("program '{}': {} PEs, {} transfers", program.name, program.pes.size(),
                         program.transfers.size());
    }
    case FileKind::config:
      break;
  }
  const HardwareConfig config = load_config(path, overrides);
  if (describes_server(config)) {
    const ServerInputs inputs = load_server(path, overrides, "");
    return fmt::format("server '{}': {} processors, {} of them cards; the chip of this file has {} PEs",
                       inputs.server.name, inputs.server.processors.size(), inputs.chips.size(),
                       config.spec.pes.size());
  }
  return fmt::format("hardware '{}': {} PEs on {} NoCs, {} memory ports", config.spec.name,
                     config.spec.pes.size(), config.spec.nocs.size(), config.spec.memory.size());
}

void check(const CheckOptions& options) {
  std::vector<Diagnostic> mistakes;
  auto results = nlohmann::ordered_json::array();
  for (const std::string& name : options.files) try {
      const auto path = existing(name);
      if (!path) throw InputError({{{name, 1, 1}, "there is no such file", {}}});
      const std::string text = verdict(*path, options.overrides);
      results.push_back({{"file", *path}, {"content", text}});
      if (!options.json) fmt::print("{}: ok, {}\n", *path, text);
    } catch (const InputError& error) {
      mistakes.insert(mistakes.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  if (!mistakes.empty()) throw InputError(mistakes);
  if (options.json) fmt::print("{}\n", nlohmann::ordered_json{{"version", 1}, {"files", results}}.dump(1));
}

}  // namespace

void add_check_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<CheckOptions>();
  CLI::App* command = app.add_subcommand("check", "check configs, models, plans and programs");
  command->add_option("files", options->files, "files to check")->required();
  command->add_option("--set", options->overrides, "key.path=value; model.key=value")
      ->allow_extra_args(false);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    check(*options);
    exit_code = kOk;
  });
}

}  // namespace dfsim
