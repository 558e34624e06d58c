#include "planner/app/commands/noc.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include "sim/base/errors.h"
#include "sim/hw/topology/topology.h"
#include "sim/noc/experiment.h"
#include "sim/noc/multicast_experiment.h"

namespace dfsim {
namespace {

constexpr int kExitDeadlock = 4;

/// As typed.
struct NocOptions {
  std::string topology = "mesh";
  std::string dims = "8x8";
  std::string preset = "base";
  std::string arbitration = "islip";
  std::string routing = "xy";
  std::string traffic = "uniform";
  std::optional<std::uint32_t> vcs, buffer;
  std::uint32_t link_latency = 1, credit_latency = 1;
  std::uint32_t packet_flits = 5;
  std::uint64_t seed = 1;
  std::optional<double> rate;
  std::optional<std::uint64_t> batch;
  bool saturate = false;
  std::string single, multicast;
  std::uint64_t warmup = 2000;
  std::optional<std::uint64_t> measure;
  bool json = false;
};

[[noreturn]] void refuse(const std::string& option, const std::string& what, const std::string& hint = {}) {
  Diagnostics problem;
  problem.error({option, 0, 0}, what, hint);
  throw InputError(problem.list());
}

/// Whole numbers separated by `separator`, nothing else.
std::vector<std::uint32_t> numbers(const std::string& option, const std::string& text, char separator) {
  std::vector<std::uint32_t> result;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  for (;;) {
    std::uint32_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc{} || (next != end && *next != separator))
      refuse(option, fmt::format("'{}' is not a list of numbers separated by '{}'", text, separator));
    result.push_back(value);
    if (next == end) return result;
    at = next + 1;
  }
}

LinkGraph make_graph(const NocOptions& options) {
  if (!TopologyRegistry::instance().find(options.topology))
    refuse("--topology", fmt::format("unknown topology '{}'", options.topology),
           fmt::format("known: {}", fmt::join(TopologyRegistry::instance().names(), ", ")));
  const std::vector<std::uint32_t> extent = numbers("--dims", options.dims, 'x');
  if (const std::string reason = refuse_extent(options.topology, extent); !reason.empty())
    refuse("--dims", reason);
  return build_link_graph(options.topology, extent);
}

NocSpec make_spec(const NocOptions& options) {
  static const std::map<std::string, RouterPreset> presets{{"base", RouterPreset::base},
                                                           {"lookahead", RouterPreset::lookahead},
                                                           {"spec", RouterPreset::spec},
                                                           {"shallow", RouterPreset::shallow}};
  NocSpec spec;
  spec.graph = make_graph(options);
  spec.preset = presets.at(options.preset);
  const bool shallow = spec.preset == RouterPreset::shallow;
  spec.virtual_channels = options.vcs.value_or(shallow ? 2 : 4);
  spec.buffer_flits = options.buffer.value_or(shallow ? 4 : 8);
  spec.arbitration =
      options.arbitration == "islip" ? SwitchArbitration::islip : SwitchArbitration::packet_hold;
  spec.routing = options.routing;
  spec.link_latency_cycles = options.link_latency;
  spec.credit_latency_cycles = options.credit_latency;
  attach_one_endpoint_per_router(spec);
  return spec;
}

NocExperiment make_experiment(const NocOptions& options) {
  NocExperiment experiment;
  experiment.spec = make_spec(options);
  experiment.traffic = options.traffic;
  experiment.packet_flits = options.packet_flits;
  experiment.seed = options.seed;
  experiment.warmup_cycles = options.warmup;
  experiment.measured_cycles = options.measure.value_or(options.saturate ? 2000 : 4000);
  if (options.rate) {
    experiment.mode = NocExperiment::Mode::open_loop;
    experiment.rate = *options.rate;
  } else if (options.batch) {
    experiment.mode = NocExperiment::Mode::batch;
    experiment.packets_per_node = *options.batch;
  } else if (options.saturate) {
    experiment.mode = NocExperiment::Mode::saturate;
  } else {
    const std::vector<std::uint32_t> pair = numbers("--single", options.single, ':');
    if (pair.size() != 2) refuse("--single", fmt::format("'{}' is not SOURCE:DESTINATION", options.single));
    experiment.mode = NocExperiment::Mode::single;
    experiment.source = pair[0];
    experiment.destination = pair[1];
  }
  return experiment;
}

/// SOURCE:all or SOURCE:NODE,NODE,...
MulticastExperiment make_multicast(const NocOptions& options) {
  const std::string& text = options.multicast;
  MulticastExperiment experiment;
  experiment.spec = make_spec(options);
  experiment.flits = options.packet_flits;
  experiment.seed = options.seed;
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    refuse("--multicast", fmt::format("'{}' is neither SOURCE:NODE,NODE,... nor SOURCE:all", text));
  experiment.source = numbers("--multicast", text.substr(0, colon), ',').front();
  std::vector<std::uint32_t>& nodes = experiment.destinations;
  if (text.substr(colon + 1) == "all") {
    nodes.resize(experiment.spec.graph.router_count());
    std::iota(nodes.begin(), nodes.end(), 0u);
    return experiment;
  }
  nodes = numbers("--multicast", text.substr(colon + 1), ',');
  std::sort(nodes.begin(), nodes.end());
  if (std::adjacent_find(nodes.begin(), nodes.end()) != nodes.end())
    refuse("--multicast", fmt::format("'{}' names a destination twice", text));
  return experiment;
}

nlohmann::ordered_json to_json(const MulticastResult& result) {
  return {{"completion_cycles", result.completion_cycles},
          {"longest_unicast_cycles", result.longest_unicast_cycles},
          {"link_flits", result.link_flits},
          {"forks", result.forks},
          {"packets", result.packets},
          {"flits_injected", result.flits_injected},
          {"flits_forked", result.flits_forked},
          {"flits_ejected", result.flits_ejected},
          {"unicasts_completion_cycles", result.unicasts_completion_cycles},
          {"unicasts_link_flits", result.unicasts_link_flits}};
}

std::string to_text(const MulticastExperiment& experiment, const MulticastResult& result) {
  std::string text =
      fmt::format("{} flits from node {} to {} nodes, {}\n", experiment.flits, experiment.source,
                  experiment.destinations.size(), result.forks ? "forking on the way" : "a packet for each");
  text +=
      fmt::format("completion           {} cycles; its longest unicast {}; all as unicasts {}\n",
                  result.completion_cycles, result.longest_unicast_cycles, result.unicasts_completion_cycles);
  text +=
      fmt::format("flits over channels  {}; as unicasts {}\n", result.link_flits, result.unicasts_link_flits);
  text += fmt::format("flits                {} injected + {} forked = {} ejected, in {} packets\n",
                      result.flits_injected, result.flits_forked, result.flits_ejected, result.packets);
  return text;
}

nlohmann::ordered_json to_json(const NocExperimentResult& result) {
  const auto number = [](const std::optional<double>& value) {
    return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
  };
  nlohmann::ordered_json json;
  json["completion_cycles"] = result.completion_cycles;
  json["avg_packet_latency"] = number(result.avg_packet_latency);
  json["avg_network_latency"] = number(result.avg_network_latency);
  json["avg_hops"] = number(result.avg_hops);
  json["accepted_flits_per_node_cycle"] = result.accepted_flits_per_node_cycle;
  json["accepted_min_node"] = result.accepted_min_node;
  json["accepted_max_node"] = result.accepted_max_node;
  json["saturated"] = result.saturated;
  json["simulated_cycles"] = result.simulated_cycles;
  json["flit_hops"] = result.flit_hops;
  json["packets"] = result.packets;
  json["wall_seconds"] = result.wall_seconds;
  return json;
}

std::string to_text(const NocExperiment& experiment, const NocExperimentResult& result) {
  const auto cycles = [](const std::optional<double>& value) {
    return value ? fmt::format("{:.3f} cycles", *value) : std::string("not measured");
  };
  const NocSpec& spec = experiment.spec;
  std::string text =
      fmt::format("{} of {} routers, {} VCs x {} flits, routing {}\n", spec.graph.topology,
                  spec.graph.router_count(), spec.virtual_channels, spec.buffer_flits, spec.routing);
  text += fmt::format("packet latency       {} over {} packets\n", cycles(result.avg_packet_latency),
                      result.packets);
  text += fmt::format("network latency      {}\n", cycles(result.avg_network_latency));
  if (result.avg_hops) text += fmt::format("hops                 {:.4f} per packet\n", *result.avg_hops);
  text +=
      fmt::format("accepted             {:.5f} flits per node and cycle (least {:.5f}, most {:.5f})\n",
                  result.accepted_flits_per_node_cycle, result.accepted_min_node, result.accepted_max_node);
  text += fmt::format("last tail arrived    cycle {}, {} cycles simulated{}\n",
                      result.completion_cycles ? result.completion_cycles - 1 : 0, result.simulated_cycles,
                      result.saturated ? ", saturated" : "");
  text += fmt::format("flit hops            {} in {:.3f} s\n", result.flit_hops, result.wall_seconds);
  return text;
}

void run_multicast(const NocOptions& options) {
  const MulticastExperiment experiment = make_multicast(options);
  const MulticastResult result = run_multicast_experiment(experiment);
  const std::string text = options.json ? to_json(result).dump(2) + "\n" : to_text(experiment, result);
  std::fputs(text.c_str(), stdout);
}

void run(const NocOptions& options, int& exit_code) {
  if (!options.multicast.empty()) return run_multicast(options);
  const NocExperiment experiment = make_experiment(options);
  const NocExperimentResult result = run_noc_experiment(experiment);
  const std::string text = options.json ? to_json(result).dump(2) + "\n" : to_text(experiment, result);
  std::fputs(text.c_str(), stdout);
  if (!result.deadlock) return;
  std::fputs(("deadlock; waiting in a circle:\n" + result.deadlock_report).c_str(), stderr);
  exit_code = kExitDeadlock;
}

}  // namespace

void add_noc_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<NocOptions>();
  CLI::App* command = app.add_subcommand("noc", "measure the network on chip alone under synthetic traffic");
  command->add_option("--topology", options->topology, "mesh, torus or ring")->capture_default_str();
  command->add_option("--dims", options->dims, "routers per dimension: 8, 8x4, 4x4x4")->capture_default_str();
  command->add_option("--preset", options->preset, "router pipeline; shallow is base with 2 VCs of 4 flits")
      ->check(CLI::IsMember({"base", "lookahead", "spec", "shallow"}))
      ->capture_default_str();
  command->add_option("--vcs", options->vcs, "virtual channels (default 4; shallow 2)");
  command->add_option("--buffer", options->buffer, "flits per virtual channel (default 8; shallow 4)");
  command->add_option("--arbitration", options->arbitration, "of the switch")
      ->check(CLI::IsMember({"islip", "packet_hold"}))
      ->capture_default_str();
  command->add_option("--routing", options->routing, "routing function")->capture_default_str();
  command->add_option("--link-latency", options->link_latency, "cycles on a channel between routers")
      ->capture_default_str();
  command->add_option("--credit-latency", options->credit_latency, "cycles on its way back")
      ->capture_default_str();
  command
      ->add_option(
          "--traffic", options->traffic,
          "uniform, transpose, bitcomp, tornado, neighbor, bitrev, shuffle, hotspot<N>w<W>, hotspot_node<N>")
      ->capture_default_str();
  command->add_option("--packet-flits", options->packet_flits, "flits per packet")->capture_default_str();
  command->add_option("--seed", options->seed, "of everything random")->capture_default_str();
  command->add_option("--warmup", options->warmup, "cycles before measuring starts")->capture_default_str();
  command->add_option("--measure", options->measure, "measured cycles (default 4000; with --saturate 2000)");
  command->add_flag("--json", options->json, "print JSON");

  CLI::Option_group* mode = command->add_option_group("traffic source", "one of");
  mode->add_option("--rate", options->rate, "flits per node and cycle, Bernoulli process");
  mode->add_option("--batch", options->batch, "packets per node, all ready at cycle 0");
  mode->add_flag("--saturate", options->saturate, "every source always has a packet waiting");
  mode->add_option("--single", options->single, "SOURCE:DESTINATION, one lone packet");
  mode->add_option("--multicast", options->multicast,
                   "SOURCE:NODE,NODE,... or SOURCE:all, one lone multicast of --packet-flits flits");
  mode->require_option(1);
  command->callback([options, &exit_code] { run(*options, exit_code); });
}

}  // namespace dfsim
