#include "planner/app/inputs.h"

#include <algorithm>
#include <optional>

#include "sim/base/files.h"
#include "sim/base/yaml.h"
#include "sim/mem/core/address_map.h"
#include "sim/mem/core/controller.h"
#include "sim/noc/routing/routing.h"

namespace dfsim {

namespace {

const std::string kModelScope = "model";

/// Names of parts that the hardware room cannot see.
KnownParts known_parts() {
  KnownParts known;
  known.address_maps = AddressMapRegistry::instance().names();
  known.schedulers = SchedulerRegistry::instance().names();
  known.routings.names = RoutingRegistry::instance().names();
  known.routings.refuse = [](const std::string& routing, const LinkGraph& graph) {
    return RoutingRegistry::instance().make(routing)->refuse(graph);
  };
  known.routings.classes = [](const std::string& routing, const LinkGraph& graph) {
    return RoutingRegistry::instance().make(routing)->routing_classes(graph);
  };
  return known;
}

void append(std::vector<Diagnostic>& all, const std::vector<Diagnostic>& more) {
  all.insert(all.end(), more.begin(), more.end());
}

}  // namespace

std::string locate(const std::string& name, const std::string& folder, const std::string& option,
                   Diagnostics& diagnostics) {
  if (const auto found = find_input_file(name, folder)) return *found;
  std::string places;
  for (const std::string& place : input_file_candidates(name, folder))
    places += (places.empty() ? "" : ", ") + place;
  diagnostics.error({name, 1, 1}, "there is no such file (" + option + ")", "looked for " + places);
  return {};
}

HardwareConfig load_config(const std::string& path, const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  auto config =
      load_hardware_config(path, overrides_except({kModelScope}, overrides), diagnostics, known_parts());
  diagnostics.throw_if_any<ConfigError>();
  if (!config) throw SimulationError("hardware was refused without a reason: " + path);
  return std::move(*config);
}

Inputs load_inputs(const std::string& config, const std::string& model,
                   const std::vector<std::string>& overrides) {
  Diagnostics missing;
  Inputs inputs;
  inputs.config_path = locate(config, "configs", "--config", missing);
  inputs.model_path = locate(model, "models", "--model", missing);
  std::vector<Diagnostic> mistakes = missing.list();
  if (!inputs.config_path.empty()) try {
      inputs.config = load_config(inputs.config_path, overrides);
    } catch (const InputError& error) {
      append(mistakes, error.diagnostics());
    }
  if (!inputs.model_path.empty()) try {
      inputs.model = read_model(inputs.model_path, overrides);
    } catch (const InputError& error) {
      append(mistakes, error.diagnostics());
    }
  if (!mistakes.empty()) throw InputError(mistakes);
  return inputs;
}

}  // namespace dfsim
