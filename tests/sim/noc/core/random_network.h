// Random small networks and workloads, and everything that a run of one of them shows.
#pragma once

#include <algorithm>
#include <cstdio>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "sim/base/rng.h"
#include "sim/hw/topology/topology.h"
#include "sim/noc/core/network_core.h"

namespace dfsim::test {

struct TimedPacket {
  std::uint64_t cycle = 0;
  Packet packet;
  std::vector<EndpointId> destinations;  ///< of a multicast, ascending
  std::uint32_t coins = 0;

  std::uint64_t leaves() const { return std::max<std::uint64_t>(1, destinations.size()); }
  /// Good as long as this is.
  Packet to_send() const {
    Packet result = packet;
    result.destinations = destinations;
    return result;
  }
};

struct RandomNetwork {
  NocSpec spec;
  std::string topology;
  std::size_t dead_links = 0;
  std::uint32_t message_classes = 1;
  std::vector<TimedPacket> packets;  ///< by cycle

  explicit RandomNetwork(std::uint64_t seed) {
    Rng rng(seed, 77);
    const auto pick = [&rng](auto... values) {
      const std::uint64_t all[] = {static_cast<std::uint64_t>(values)...};
      return static_cast<std::uint32_t>(all[rng.below(sizeof...(values))]);
    };
    const char* topologies[] = {"mesh", "mesh", "torus", "ring"};
    topology = topologies[rng.below(4)];
    std::vector<std::uint32_t> extent(topology == "ring" ? 1 : 1 + rng.below(3));
    for (std::uint32_t& k : extent) k = extent.size() == 1 ? pick(3, 4, 5, 8) : pick(2, 3, 4);
    spec.graph = build_link_graph(topology, extent);
    message_classes = pick(1, 1, 3);
    choose_routing(rng);
    spec.preset = static_cast<RouterPreset>(rng.below(4));
    spec.arbitration = static_cast<SwitchArbitration>(rng.below(2));
    const std::uint32_t classes = RoutingRegistry::instance().make(spec.routing)->routing_classes(spec.graph);
    spec.virtual_channels = message_classes * (classes + pick(0, 0, 1, 2, 3));
    spec.buffer_flits = pick(1, 2, 3, 5, 8, 16);
    spec.link_latency_cycles = pick(1, 1, 2, 5);
    spec.credit_latency_cycles = pick(1, 1, 2, 4);
    spec.credit_processing_cycles = pick(0, 1, 1, 2);
    for (std::uint32_t r = 0; r < spec.graph.router_count(); ++r) {
      const std::uint64_t endpoints = rng.below(8) == 0 ? 2 : 1;
      for (std::uint64_t i = 0; i < endpoints; ++i)
        spec.endpoints.push_back({EndpointKind::pe, RouterId(r), static_cast<std::uint32_t>(i)});
    }
    const std::uint32_t longest = pick(1, 3, 8, 64, 300);
    const std::uint32_t amount = pick(5, 20, 60, 150);
    const std::uint64_t span = pick(1, 50, 1000);
    const bool hot = rng.below(3) == 0;
    const bool forks = RoutingRegistry::instance().make(spec.routing)->forks();
    const std::uint64_t multicasts = pick(0, 0, 1, 3, 10);  // of 10 packets
    const std::uint64_t most_leaves = pick(2, 4, 8, 64);
    for (std::uint32_t i = 0; i < amount; ++i) {
      TimedPacket timed;
      timed.cycle = rng.below(span);
      const std::uint64_t endpoints = spec.endpoints.size();
      timed.packet.source = EndpointId(static_cast<std::uint32_t>(rng.below(endpoints)));
      timed.packet.destination =
          EndpointId(static_cast<std::uint32_t>(hot ? rng.below(2) : rng.below(endpoints)));
      timed.packet.flits = 1 + static_cast<std::uint32_t>(rng.below(longest));
      timed.packet.message_class = static_cast<MessageClass>(rng.below(message_classes));
      timed.packet.notify_left = rng.below(2) == 0;
      timed.packet.message.address = i;
      timed.coins = static_cast<std::uint32_t>(rng.next());
      if (rng.below(10) < multicasts && forks) {
        make_multicast(timed, 1 + rng.below(most_leaves), endpoints, rng);
        timed.packet.flits = 1 + (timed.packet.flits - 1) % spec.buffer_flits;
      }
      packets.push_back(timed);
    }
    std::stable_sort(packets.begin(), packets.end(),
                     [](const TimedPacket& a, const TimedPacket& b) { return a.cycle < b.cycle; });
  }

  static void make_multicast(TimedPacket& timed, std::uint64_t leaves, std::uint64_t endpoints, Rng& rng) {
    std::set<EndpointId> chosen;
    for (std::uint64_t i = 0; i < leaves; ++i)
      chosen.insert(EndpointId(static_cast<std::uint32_t>(rng.below(endpoints))));
    timed.destinations.assign(chosen.begin(), chosen.end());
  }

 private:
  /// Any registered routing that fits: of six two dimension order, because it forks, and two adaptive; and
  /// dead links that it can go round.
  void choose_routing(Rng& rng) {
    static const std::vector<std::string> forking{"xy", "xy", "yx"},
        adaptive{"odd_even", "west_first", "up_down"};
    static const std::vector<std::string> all = RoutingRegistry::instance().names();
    const auto refused = [this](const LinkGraph& graph) {
      return !RoutingRegistry::instance().make(spec.routing)->refuse(graph).empty();
    };
    const std::vector<std::string>* const lists[] = {&forking, &adaptive, &all};
    const std::vector<std::string>& names = *lists[rng.below(3)];
    do spec.routing = names[rng.below(names.size())];
    while (refused(spec.graph));
    const std::size_t all_links = spec.graph.links.size();
    for (std::uint64_t tries = rng.below(3) == 0 ? 4 : 0; tries > 0; --tries) {
      LinkGraph fewer = spec.graph;
      const Link dead = fewer.links[rng.below(fewer.links.size())];
      remove_links(fewer, dead.from, dead.to);
      if (rng.below(2) == 0) remove_links(fewer, dead.to, dead.from);
      if (!refused(fewer)) spec.graph = fewer;
    }
    dead_links = all_links - spec.graph.links.size();
  }
};

/// How many networks had which routing, on which topology, with dead links, with multicasts.
struct Coverage {
  std::map<std::string, std::uint64_t> networks;

  void add(const RandomNetwork& random) {
    const NocSpec& spec = random.spec;
    ++networks[spec.routing];
    ++networks[spec.routing + " " + random.topology];
    ++networks[spec.arbitration == SwitchArbitration::islip ? "islip" : "packet_hold"];
    networks[spec.routing + " dead links"] += random.dead_links > 0 ? 1 : 0;
    networks[spec.routing + " multicast"] +=
        std::any_of(random.packets.begin(), random.packets.end(),
                    [](const TimedPacket& timed) { return timed.leaves() > 1; })
            ? 1
            : 0;
  }
  /// A line each, for scripts/noc_campaign to add up.
  void print() const {
    for (const auto& [what, count] : networks)
      std::printf("covered %s: %llu\n", what.c_str(), static_cast<unsigned long long>(count));
  }
};

/// What a workload puts into the network, and what must come out.
struct Traffic {
  std::uint64_t flits = 0;     ///< sent
  std::uint64_t copies = 0;    ///< further ones, made on the way
  std::uint64_t arrivals = 0;  ///< of packets
  std::uint64_t left = 0;      ///< packets whose source wants to know

  explicit Traffic(const std::vector<TimedPacket>& packets) {
    for (const TimedPacket& timed : packets) {
      flits += timed.packet.flits;
      copies += timed.packet.flits * (timed.leaves() - 1);
      arrivals += timed.leaves();
      left += timed.packet.notify_left ? 1 : 0;
    }
  }
};

/// What a run shows. Equal runs are equal in every field.
struct Trace {
  struct Entry {
    std::uint64_t cycle, packet, entered;
    std::uint32_t endpoint, hops;  ///< endpoint: that it is told
    bool arrived;
    bool operator==(const Entry&) const = default;
  };
  /// A FlitRun.
  struct Flits {
    std::uint32_t link;
    std::uint64_t start, end;
    std::uint32_t vc, first;
    std::uint64_t packet;
    auto operator<=>(const Flits&) const = default;
  };
  std::vector<Entry> entries;
  std::vector<Flits> flits;  ///< by link and time
  std::vector<std::uint64_t> link_flits, blocked;
  NocCounters counters;
  bool drained = false;
  bool operator==(const Trace&) const = default;
};

inline Trace::Entry entry_of(const NocEvent& event, std::uint64_t cycle) {
  const bool arrived = event.kind == NocEvent::Kind::arrived;
  return {cycle,         event.packet.message.address,
          event.entered, (arrived ? event.packet.destination : event.packet.source).value(),
          event.hops,    arrived};
}

inline void take_flits(const std::vector<FlitRun>& runs, Trace& trace) {
  for (const FlitRun& run : runs)
    trace.flits.push_back({run.link, run.start, run.end, run.vc, run.first, run.packet.message.address});
  std::sort(trace.flits.begin(), trace.flits.end());
}

inline constexpr std::uint64_t kLongRun = 200'000;

inline Trace play(NetworkCore& core, const std::vector<TimedPacket>& packets,
                  std::uint64_t limit = kLongRun) {
  Trace trace;
  const auto advance = [&](std::uint64_t last) {
    while (core.run_until(last))
      for (const NocEvent& event : core.events())
        trace.entries.push_back(entry_of(event, core.event_cycle()));
  };
  for (const TimedPacket& timed : packets) {
    if (timed.cycle > limit) break;
    if (timed.cycle > 0) advance(timed.cycle - 1);
    core.inject(timed.to_send(), timed.cycle, timed.coins);
  }
  while (core.packets_in_flight() > 0 && core.next_activity() <= limit)
    advance(std::min(limit, core.next_activity() + 50));
  const std::uint64_t end = trace.entries.empty() ? 0 : trace.entries.back().cycle + 100;
  advance(std::min(limit, end));  // credits come home
  trace.drained = core.packets_in_flight() == 0;
  trace.counters = core.counters();
  trace.link_flits = core.link_flits();
  take_flits(core.take_flit_runs(), trace);
  for (std::uint32_t e = 0; e < core.spec().endpoints.size(); ++e)
    trace.blocked.push_back(
        core.blocked_cycles(EndpointId(e), std::max(end, limit == kLongRun ? end : limit)));
  return trace;
}

inline Trace play(const RandomNetwork& network, NetworkCore::Options options, bool watch_flits = true) {
  options.message_classes = network.message_classes;
  const std::unique_ptr<RoutingFunction> routing = make_routing(network.spec.routing, network.spec.graph);
  NetworkCore core(network.spec, *routing, options);
  core.watch_flits(watch_flits);
  return play(core, network.packets);
}

}  // namespace dfsim::test
