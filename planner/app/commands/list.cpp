#include "planner/app/commands/list.h"

#include <fmt/format.h>

#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "planner/app/exit_codes.h"
#include "planner/app/inputs.h"
#include "planner/app/server_inputs.h"
#include "planner/inter_stage/optimizer.h"
#include "planner/intra_stage/optimizer.h"
#include "planner/ops/operator.h"
#include "sim/comm/collective.h"
#include "sim/host/server.h"
#include "sim/hw/topology/topology.h"
#include "sim/mem/core/address_map.h"
#include "sim/mem/core/controller.h"
#include "sim/noc/routing/routing.h"
#include "sim/system/system.h"

namespace dfsim {

namespace {

struct ListOptions {
  std::string what;
  std::string config;
  std::vector<std::string> overrides;
  bool json = false;
};

using Descriptions = std::map<std::string, std::string>;

template <class SomeRegistry>
Descriptions descriptions() {
  Descriptions result;
  for (const auto& [name, entry] : SomeRegistry::instance().entries()) result[name] = entry.description;
  return result;
}

/// Kinds of parts in the order in which they are shown.
std::vector<std::pair<std::string, Descriptions>> registered() {
  return {{"inter_stage", descriptions<InterStageRegistry>()},
          {"intra_stage", descriptions<IntraStageRegistry>()},
          {"operators", descriptions<OperatorRegistry>()},
          {"collectives", descriptions<CollectiveRegistry>()},
          {"topologies", descriptions<TopologyRegistry>()},
          {"routings", descriptions<RoutingRegistry>()},
          {"address_maps", descriptions<AddressMapRegistry>()},
          {"schedulers", descriptions<SchedulerRegistry>()}};
}

void print_registered(bool json) {
  if (json) {
    nlohmann::ordered_json all = {{"version", 1}};
    for (const auto& [kind, parts] : registered()) all[kind] = parts;
    fmt::print("{}\n", all.dump(1));
    return;
  }
  for (const auto& [kind, parts] : registered()) {
    fmt::print("{}\n", kind);
    for (const auto& [name, description] : parts) fmt::print("  {:<18} {}\n", name, description);
  }
}

void print_modules(const ListOptions& options) {
  if (options.config.empty())
    throw InputError({{{"--config", 0, 0}, "list modules needs a hardware description", {}}});
  Diagnostics missing;
  const std::string path = locate(options.config, "configs", "--config", missing);
  missing.throw_if_any<InputError>();
  const HardwareConfig config = load_config(path, options.overrides);
  // Before the chip, whose making elaborates.
  const auto server =
      describes_server(config) ? build_server(load_server(path, options.overrides, "").server) : nullptr;
  const auto runner = make_program_runner(config.spec);
  const std::string tree = module_tree();
  if (!options.json) {
    fmt::print("{}", tree);
    return;
  }
  auto lines = nlohmann::ordered_json::array();
  for (std::size_t begin = 0; begin < tree.size();) {
    const std::size_t end = std::min(tree.find('\n', begin), tree.size());
    lines.push_back(tree.substr(begin, end - begin));
    begin = end + 1;
  }
  fmt::print("{}\n", nlohmann::ordered_json{{"version", 1}, {"modules", lines}}.dump(1));
}

}  // namespace

void add_list_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<ListOptions>();
  CLI::App* command =
      app.add_subcommand("list", "what is registered; list modules: the modules of a machine");
  command->add_option("what", options->what, "parts or modules")->check(CLI::IsMember({"parts", "modules"}));
  command->add_option("--config", options->config, "hardware description, of list modules");
  command->add_option("--set", options->overrides, "key.path=value of the config")->allow_extra_args(false);
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options, &exit_code] {
    if (options->what == "modules")
      print_modules(*options);
    else
      print_registered(options->json);
    exit_code = kOk;
  });
}

}  // namespace dfsim
