#include "planner/app/commands/noc.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <optional>

#include "planner/app/commands/noc_output.h"
#include "sim/base/errors.h"
#include "sim/hw/topology/topology.h"
#include "sim/noc/experiment.h"
#include "sim/noc/multicast_experiment.h"
#include "sim/noc/routing/routing.h"

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
  std::vector<std::string> faults, one_way_faults;
  std::uint64_t sample = 64;
  bool detail = false;
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

/// A router given by its coordinates.
RouterId place(const std::string& option, const std::string& text, const LinkGraph& graph) {
  std::vector<std::uint32_t> at = numbers(option, text, ',');
  bool inside = at.size() == graph.dimensions;
  for (std::size_t d = 0; inside && d < at.size(); ++d) inside = at[d] < graph.extent[d];
  if (!inside)
    refuse(option,
           fmt::format("'{}' is no router of the {} of {} routers", text, graph.topology,
                       fmt::join(graph.extent.begin(), graph.extent.begin() + graph.dimensions, "x")),
           "coordinates from 0, one per dimension: 1,2");
  at.resize(3, 0);
  return graph.router_at(at[0], at[1], at[2]);
}

/// Takes the links of FROM:TO out of `graph`.
void kill_link(const std::string& option, const std::string& text, bool both, LinkGraph& graph) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) refuse(option, fmt::format("'{}' is not FROM:TO", text), "such as 1,2:2,2");
  const RouterId from = place(option, text.substr(0, colon), graph);
  const RouterId to = place(option, text.substr(colon + 1), graph);
  const bool forth = remove_links(graph, from, to);
  const bool back = both && remove_links(graph, to, from);
  if (!forth && !back)
    refuse(option, fmt::format("'{}': there is no link between these routers, or it is dead already", text));
}

/// Routings that can be used on the graph.
std::string fitting(const LinkGraph& graph) {
  std::vector<std::string> names;
  for (const auto& [name, entry] : RoutingRegistry::instance().entries())
    if (entry.make()->refuse(graph).empty()) names.push_back(name);
  return names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", "));
}

/// Takes the dead links out of `graph`, and looks whether the routing copes.
void kill_links(const NocOptions& options, LinkGraph& graph) {
  const RoutingRegistry::Entry* routing = RoutingRegistry::instance().find(options.routing);
  if (!routing)
    refuse("--routing", fmt::format("unknown routing '{}'", options.routing),
           fmt::format("known for this {}: {}", graph.topology, fitting(graph)));
  if (const std::string reason = routing->make()->refuse(graph); !reason.empty())
    refuse("--routing", fmt::format("'{}': {}", options.routing, reason),
           fmt::format("known for this {}: {}", graph.topology, fitting(graph)));
  for (const std::string& fault : options.faults) kill_link("--fault", fault, true, graph);
  for (const std::string& fault : options.one_way_faults) kill_link("--one-way-fault", fault, false, graph);
  if (const std::string reason = routing->make()->refuse(graph); !reason.empty())
    refuse(options.faults.empty() ? "--one-way-fault" : "--fault",
           fmt::format("routing '{}': {}", options.routing, reason),
           fmt::format("routings that reach every router: {}", fitting(graph)));
}

LinkGraph make_graph(const NocOptions& options) {
  if (!TopologyRegistry::instance().find(options.topology))
    refuse("--topology", fmt::format("unknown topology '{}'", options.topology),
           fmt::format("known: {}", fmt::join(TopologyRegistry::instance().names(), ", ")));
  const std::vector<std::uint32_t> extent = numbers("--dims", options.dims, 'x');
  if (const std::string reason = refuse_extent(options.topology, extent); !reason.empty())
    refuse("--dims", reason);
  LinkGraph graph = build_link_graph(options.topology, extent);
  kill_links(options, graph);
  return graph;
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
  experiment.sample_cycles = options.sample;
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

void run_multicast(const NocOptions& options) {
  const MulticastExperiment experiment = make_multicast(options);
  const MulticastResult result = run_multicast_experiment(experiment);
  const std::string text = options.json ? noc_json(result) : noc_text(experiment, result);
  std::fputs(text.c_str(), stdout);
}

void run(const NocOptions& options, int& exit_code) {
  if (!options.multicast.empty()) return run_multicast(options);
  const NocExperiment experiment = make_experiment(options);
  const NocExperimentResult result = run_noc_experiment(experiment);
  const std::string text = options.json ? noc_json(experiment, result, options.detail)
                                        : noc_text(experiment, result, options.detail);
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
  command->add_option("--routing", options->routing, "routing function; `dfsim list` names them")
      ->capture_default_str();
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
  command->add_option("--fault", options->faults, "FROM:TO, a dead link, both ways: 1,2:2,2 (repeatable)");
  command->add_option("--one-way-fault", options->one_way_faults,
                      "the same, only from FROM to TO (repeatable)");
  command
      ->add_option("--sample", options->sample,
                   "look at the buffers once in so many cycles; 1 is exact, 0 never")
      ->capture_default_str();
  command->add_flag("--detail", options->detail, "also every link and every virtual channel");
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
