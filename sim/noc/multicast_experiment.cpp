#include "sim/noc/multicast_experiment.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "sim/base/errors.h"
#include "sim/base/rng.h"
#include "sim/noc/core/network_core.h"

namespace dfsim {
namespace {

void check(const MulticastExperiment& experiment) {
  Diagnostics problems;
  if (const std::string reason = refuse_network(experiment.spec, 1); !reason.empty())
    problems.error({"network", 0, 0}, reason);
  if (experiment.flits == 0 || experiment.flits > 1'000'000)
    problems.error({"--packet-flits", 0, 0}, "a packet has 1 to 1000000 flits");
  const std::uint32_t nodes = experiment.spec.graph.router_count();
  std::vector<std::uint32_t> all = experiment.destinations;
  all.push_back(experiment.source);
  if (*std::max_element(all.begin(), all.end()) >= nodes)
    problems.error({"--multicast", 0, 0}, fmt::format("nodes are numbered 0 to {}", nodes - 1));
  if (experiment.destinations.empty()) problems.error({"--multicast", 0, 0}, "no destination");
  problems.throw_if_any<InputError>();
}

struct Outcome {
  std::uint64_t completion_cycles = 0, link_flits = 0;
  NocCounters counters;
};

/// All flits to all `destinations`, from cycle 0 on.
Outcome play(const MulticastExperiment& experiment, const RoutingFunction& routing,
             const std::vector<EndpointId>& destinations, bool fork) {
  NetworkCore core(experiment.spec, routing);
  Packet packet;
  packet.source = EndpointId(experiment.source);
  const auto coins = static_cast<std::uint32_t>(Rng(experiment.seed, experiment.source).next());
  const auto send = [&](std::span<const EndpointId> to, std::uint32_t longest) {
    packet.destinations = to;
    for (std::uint32_t left = experiment.flits; left; left -= packet.flits) {
      packet.flits = std::min(left, longest);
      core.inject(packet, 0, coins);
    }
  };
  if (fork) {
    send(destinations, experiment.spec.buffer_flits);
  } else {
    for (const EndpointId& destination : destinations) send({&destination, 1}, experiment.flits);
  }
  Outcome outcome;
  while (core.run_until(kNever - 1)) outcome.completion_cycles = core.event_cycle() + 1;
  const std::vector<std::uint64_t> links = core.link_flits();
  outcome.link_flits = std::accumulate(links.begin(), links.end(), std::uint64_t{0});
  outcome.counters = core.counters();
  return outcome;
}

}  // namespace

MulticastResult run_multicast_experiment(const MulticastExperiment& experiment) {
  check(experiment);
  const std::unique_ptr<RoutingFunction> routing =
      make_routing(experiment.spec.routing, experiment.spec.graph);
  std::vector<EndpointId> destinations;
  for (const std::uint32_t node : experiment.destinations) destinations.push_back(EndpointId(node));
  MulticastResult result;
  result.forks = destinations.size() > 1 && routing->forks();
  const Outcome multicast = play(experiment, *routing, destinations, result.forks);
  const Outcome unicasts = play(experiment, *routing, destinations, false);
  result.packets = multicast.counters.packets_injected;
  result.completion_cycles = multicast.completion_cycles;
  result.link_flits = multicast.link_flits;
  result.flits_injected = multicast.counters.flits_injected;
  result.flits_forked = multicast.counters.flits_forked;
  result.flits_ejected = multicast.counters.flits_ejected;
  result.unicasts_completion_cycles = unicasts.completion_cycles;
  result.unicasts_link_flits = unicasts.link_flits;
  for (const EndpointId destination : destinations)
    result.longest_unicast_cycles = std::max(
        result.longest_unicast_cycles, play(experiment, *routing, {destination}, false).completion_cycles);
  return result;
}

}  // namespace dfsim
