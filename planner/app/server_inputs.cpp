#include "planner/app/server_inputs.h"

#include "planner/app/inputs.h"
#include "sim/base/yaml.h"
#include "sim/host/server_config.h"

namespace dfsim {

namespace {

/// Everything in the file but the server is the chip's, and was checked with it.
void accept_chip(const YamlValue& root) {
  for (const YamlNamedValue& entry : root.entries())
    if (entry.key != "server") entry.value.accept_all();
}

std::vector<std::string> processor_names(const ServerSpec& server) {
  std::vector<std::string> names;
  for (const ProcessorSpec& processor : server.processors) names.push_back(processor.name);
  return names;
}

void read_cut_file(const std::string& file, ServerInputs& inputs, Diagnostics& diagnostics) {
  const YamlDocument document = load_yaml(file, {}, diagnostics);
  if (!diagnostics.empty()) return;
  inputs.constraints = read_cut_constraints(document.root(), processor_names(inputs.server));
  document.finish();
}

void read_server_section(const std::string& cut_file, const std::vector<std::string>& overrides,
                         ServerInputs& inputs) {
  Diagnostics diagnostics;
  YamlOptions options;
  options.overrides = overrides_except({"model"}, overrides);
  const YamlDocument document = load_yaml(inputs.path, options, diagnostics);
  diagnostics.throw_if_any<ConfigError>();
  const YamlValue root = document.root().quiet();
  accept_chip(root);
  const YamlValue server = root["server"];
  if (!server)
    throw ConfigError({{{inputs.path, 1, 1},
                        "this file describes a chip, not a server: it has no section 'server'",
                        "for example server_cpu_gpu_card.yaml"}});
  inputs.server = read_server(server, inputs.config.spec.name);
  const YamlValue cut = server["cut"];
  if (cut_file.empty())
    inputs.constraints = read_cut_constraints(cut, processor_names(inputs.server));
  else
    cut.accept_all();
  document.finish();
  if (!cut_file.empty() && diagnostics.empty()) read_cut_file(cut_file, inputs, diagnostics);
  diagnostics.throw_if_any<ConfigError>();
}

}  // namespace

ServerInputs load_server(const std::string& config, const std::vector<std::string>& overrides,
                         const std::string& cut_file) {
  Diagnostics missing;
  ServerInputs inputs;
  inputs.path = locate(config, "configs", "--config", missing);
  missing.throw_if_any<InputError>();
  inputs.config = load_config(inputs.path, overrides);
  read_server_section(cut_file, overrides, inputs);
  for (std::uint32_t p = 0; p < inputs.server.processors.size(); ++p) {
    const ProcessorSpec& processor = inputs.server.processors[p];
    if (processor.kind != ProcessorKind::card) continue;
    if (processor.chip.empty()) {
      inputs.chips[p] = inputs.config.spec;
      continue;
    }
    const std::string chip = locate(processor.chip, "configs", "chip of " + processor.name, missing);
    missing.throw_if_any<InputError>();
    inputs.chips[p] = load_config(chip, {}).spec;
  }
  return inputs;
}

bool describes_server(const HardwareConfig& config) {
  return config.resolved_text.find("\nserver:") != std::string::npos;
}

}  // namespace dfsim
