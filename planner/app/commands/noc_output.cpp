#include "planner/app/commands/noc_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

namespace dfsim {
namespace {

using Json = nlohmann::ordered_json;
constexpr std::size_t kBusiestLinks = 3;
constexpr std::uint64_t kBarCharacters = 40;

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json();
}

/// "+x", or "local" and its number from 0.
std::string port_name(const LinkGraph& graph, std::uint32_t port) {
  if (port >= 2 * graph.dimensions) return fmt::format("local{}", port - 2 * graph.dimensions);
  return fmt::format("{}{}", port % 2 == 0 ? '+' : '-', "xyz"[port / 2]);
}

std::string place(const LinkGraph& graph, RouterId router) {
  const std::array<std::uint32_t, 3> at = graph.coordinates(router);
  return fmt::format("{}", fmt::join(at.begin(), at.begin() + graph.dimensions, ","));
}

/// Links, the busiest first; equal ones in their order.
std::vector<std::size_t> by_load(const NocExperimentResult& result) {
  std::vector<std::size_t> order(result.link_load.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&result](std::size_t a, std::size_t b) {
    return result.link_load[a] > result.link_load[b];
  });
  return order;
}

double mean_load(const NocExperimentResult& result) {
  const double sum = std::accumulate(result.link_load.begin(), result.link_load.end(), 0.0);
  return result.link_load.empty() ? 0 : sum / static_cast<double>(result.link_load.size());
}

/// Over all input ports, by VC: the mean over the ports that exist, and the largest value.
std::vector<VcOccupancy> by_vc(const NocSpec& spec, const NocExperimentResult& result) {
  std::vector<VcOccupancy> vcs(spec.virtual_channels);
  for (std::size_t i = 0; i < result.occupancy.size(); ++i) {
    VcOccupancy& vc = vcs[i % spec.virtual_channels];
    vc.mean_flits += result.occupancy[i].mean_flits;
    vc.max_flits = std::max(vc.max_flits, result.occupancy[i].max_flits);
  }
  const std::size_t ports = spec.graph.links.size() + spec.endpoints.size();
  for (VcOccupancy& vc : vcs) vc.mean_flits /= static_cast<double>(ports);
  return vcs;
}

Json occupancy_json(const NocSpec& spec, const NocExperiment& experiment, const NocExperimentResult& result) {
  Json json{{"samples", result.buffer_samples}, {"sample_every_cycles", experiment.sample_cycles}};
  json["by_vc"] = Json::array();
  if (result.occupancy.empty()) return json;
  const std::vector<VcOccupancy> vcs = by_vc(spec, result);
  for (std::size_t v = 0; v < vcs.size(); ++v)
    json["by_vc"].push_back({{"vc", v}, {"mean_flits", vcs[v].mean_flits}, {"max_flits", vcs[v].max_flits}});
  return json;
}

Json link_summary(const LinkGraph& graph, const NocExperimentResult& result) {
  Json json{{"mean", mean_load(result)}};
  if (result.link_load.empty()) return json;
  const std::size_t busiest = by_load(result).front();
  json["max"] = result.link_load[busiest];
  json["max_from"] = graph.links[busiest].from.value();
  json["max_to"] = graph.links[busiest].to.value();
  return json;
}

void add_detail(const NocSpec& spec, const NocExperimentResult& result, Json& json) {
  json["links"] = Json::array();
  for (std::size_t i = 0; i < result.link_load.size(); ++i) {
    const Link& link = spec.graph.links[i];
    json["links"].push_back({{"from", link.from.value()},
                             {"to", link.to.value()},
                             {"port", port_name(spec.graph, link.port_out)},
                             {"flits_per_cycle", result.link_load[i]}});
  }
  json["virtual_channels"] = Json::array();
  for (std::size_t i = 0; i < result.occupancy.size(); ++i) {
    if (result.occupancy[i].max_flits == 0) continue;
    const std::size_t port = i / spec.virtual_channels;
    json["virtual_channels"].push_back(
        {{"router", port / result.ports},
         {"input_port", port_name(spec.graph, static_cast<std::uint32_t>(port % result.ports))},
         {"vc", i % spec.virtual_channels},
         {"mean_flits", result.occupancy[i].mean_flits},
         {"max_flits", result.occupancy[i].max_flits}});
  }
}

std::string histogram_text(const NocExperimentResult& result) {
  std::uint64_t most = 1;
  for (const LatencyBucket& bucket : result.latency_histogram) most = std::max(most, bucket.packets);
  std::string text = "packets by latency\n";
  for (const LatencyBucket& bucket : result.latency_histogram)
    text += fmt::format("  {:>6} to {:<6} {:>8}  {}\n", bucket.from, bucket.to - 1, bucket.packets,
                        std::string(bucket.packets * kBarCharacters / most, '#'));
  return text;
}

std::string explained_text(const NocExperiment& experiment, const NocExperimentResult& result) {
  const LinkGraph& graph = experiment.spec.graph;
  std::string text;
  if (result.latency_p50)
    text += fmt::format("latency percentiles  50 %: {}, 95 %: {}, 99 %: {} cycles\n", *result.latency_p50,
                        *result.latency_p95, *result.latency_p99);
  text += fmt::format("waiting, VC-cycles   {} without credit, {} lost arbitration, {} without output VC\n",
                      result.stalls.no_credit, result.stalls.lost_arbitration, result.stalls.no_vc);
  const std::vector<std::size_t> order = by_load(result);
  text += fmt::format("links, flits/cycle   mean {:.4f}", mean_load(result));
  for (std::size_t i = 0; i < std::min(order.size(), kBusiestLinks); ++i)
    text += fmt::format(", {:.4f} ({} to {})", result.link_load[order[i]],
                        place(graph, graph.links[order[i]].from), place(graph, graph.links[order[i]].to));
  text += "\n";
  if (!result.occupancy.empty()) {
    text += fmt::format("flits per buffer     {} samples;", result.buffer_samples);
    const std::vector<VcOccupancy> vcs = by_vc(experiment.spec, result);
    for (std::size_t v = 0; v < vcs.size(); ++v)
      text += fmt::format(" VC {}: mean {:.4f}, most {}{}", v, vcs[v].mean_flits, vcs[v].max_flits,
                          v + 1 < vcs.size() ? ";" : "\n");
  }
  if (!result.latency_histogram.empty()) text += histogram_text(result);
  return text;
}

std::string detail_text(const NocSpec& spec, const NocExperimentResult& result) {
  std::string text = "links, flits per cycle\n";
  for (const std::size_t i : by_load(result))
    text += fmt::format("  {:>9} to {:<9} {:.4f}\n", place(spec.graph, spec.graph.links[i].from),
                        place(spec.graph, spec.graph.links[i].to), result.link_load[i]);
  text += "virtual channels of input ports, flits in the buffer: mean, most\n";
  for (std::size_t i = 0; i < result.occupancy.size(); ++i) {
    if (result.occupancy[i].max_flits == 0) continue;
    const std::size_t port = i / spec.virtual_channels;
    text +=
        fmt::format("  {:>9} {:>6} vc {:<2} {:8.4f} {:>4}\n",
                    place(spec.graph, RouterId(static_cast<std::uint32_t>(port / result.ports))),
                    port_name(spec.graph, static_cast<std::uint32_t>(port % result.ports)),
                    i % spec.virtual_channels, result.occupancy[i].mean_flits, result.occupancy[i].max_flits);
  }
  return text;
}

}  // namespace

std::string noc_json(const NocExperiment& experiment, const NocExperimentResult& result, bool detail) {
  Json json;
  json["completion_cycles"] = result.completion_cycles;
  json["avg_packet_latency"] = or_null(result.avg_packet_latency);
  json["avg_network_latency"] = or_null(result.avg_network_latency);
  json["avg_hops"] = or_null(result.avg_hops);
  json["accepted_flits_per_node_cycle"] = result.accepted_flits_per_node_cycle;
  json["accepted_min_node"] = result.accepted_min_node;
  json["accepted_max_node"] = result.accepted_max_node;
  json["saturated"] = result.saturated;
  json["simulated_cycles"] = result.simulated_cycles;
  json["flit_hops"] = result.flit_hops;
  json["packets"] = result.packets;
  json["wall_seconds"] = result.wall_seconds;
  json["latency_percentiles"] = {{"p50", or_null(result.latency_p50)},
                                 {"p95", or_null(result.latency_p95)},
                                 {"p99", or_null(result.latency_p99)}};
  json["latency_histogram"] = Json::array();
  for (const LatencyBucket& bucket : result.latency_histogram)
    json["latency_histogram"].push_back(
        {{"from", bucket.from}, {"to", bucket.to}, {"packets", bucket.packets}});
  json["stall_vc_cycles"] = {{"no_credit", result.stalls.no_credit},
                             {"lost_arbitration", result.stalls.lost_arbitration},
                             {"no_vc", result.stalls.no_vc}};
  json["link_load"] = link_summary(experiment.spec.graph, result);
  json["buffer_occupancy"] = occupancy_json(experiment.spec, experiment, result);
  if (detail) add_detail(experiment.spec, result, json);
  return json.dump(2) + "\n";
}

std::string noc_text(const NocExperiment& experiment, const NocExperimentResult& result, bool detail) {
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
  text += explained_text(experiment, result);
  return detail ? text + detail_text(spec, result) : text;
}

std::string noc_json(const MulticastResult& result) {
  const Json json{{"completion_cycles", result.completion_cycles},
                  {"longest_unicast_cycles", result.longest_unicast_cycles},
                  {"link_flits", result.link_flits},
                  {"forks", result.forks},
                  {"packets", result.packets},
                  {"flits_injected", result.flits_injected},
                  {"flits_forked", result.flits_forked},
                  {"flits_ejected", result.flits_ejected},
                  {"unicasts_completion_cycles", result.unicasts_completion_cycles},
                  {"unicasts_link_flits", result.unicasts_link_flits}};
  return json.dump(2) + "\n";
}

std::string noc_text(const MulticastExperiment& experiment, const MulticastResult& result) {
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

}  // namespace dfsim
