// Packets with several destinations: where they fork, when the branches go, and that nothing locks up.
#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <set>

#include "random_network.h"
#include "sim/base/errors.h"
#include "sim/noc/multicast_experiment.h"

namespace dfsim::test {
namespace {

NocSpec spec_of(const char* topology, const std::vector<std::uint32_t>& extent, std::uint32_t vcs,
                std::uint32_t buffer) {
  NocSpec spec;
  spec.graph = build_link_graph(topology, extent);
  spec.virtual_channels = vcs;
  spec.buffer_flits = buffer;
  spec.arbitration = SwitchArbitration::islip;
  for (std::uint32_t r = 0; r < spec.graph.router_count(); ++r)
    spec.endpoints.push_back({EndpointKind::pe, RouterId(r), r});
  return spec;
}

std::vector<EndpointId> endpoints(const std::vector<std::uint32_t>& numbers) {
  std::vector<EndpointId> result;
  for (const std::uint32_t number : numbers) result.push_back(EndpointId(number));
  return result;
}

std::vector<EndpointId> all_endpoints(const NocSpec& spec) {
  std::vector<EndpointId> result;
  for (std::uint32_t e = 0; e < spec.endpoints.size(); ++e) result.push_back(EndpointId(e));
  return result;
}

/// (packet, endpoint) -> cycle.
using Arrivals = std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint64_t>;

struct Bench {
  NocSpec spec;
  std::unique_ptr<RoutingFunction> routing;
  NetworkCore core;

  explicit Bench(const NocSpec& network)
      : spec(network), routing(make_routing(spec.routing, spec.graph)), core(spec, *routing) {}

  void send(std::uint64_t name, std::uint32_t source, const std::vector<EndpointId>& destinations,
            std::uint32_t flits, std::uint64_t cycle = 0, std::uint32_t coins = 0) {
    Packet packet;
    packet.source = EndpointId(source);
    packet.destinations = destinations;
    packet.flits = flits;
    packet.message.address = name;
    core.inject(packet, cycle, coins);
  }
  Arrivals run(std::uint64_t last = 100'000) {
    Arrivals result;
    while (core.run_until(last))
      for (const NocEvent& event : core.events())
        result[{event.packet.message.address, event.packet.destination.value()}] = core.event_cycle();
    return result;
  }
};

// With nothing in the way a branch takes its steps as a lone packet does, whatever the others do.
TEST(Multicast, OnAnIdleMeshEveryLeafIsAsEarlyAsAUnicast) {
  for (const RouterPreset preset : {RouterPreset::base, RouterPreset::lookahead, RouterPreset::spec}) {
    for (const SwitchArbitration arbitration : {SwitchArbitration::islip, SwitchArbitration::packet_hold}) {
      for (const std::uint32_t flits : {1u, 5u, 8u}) {
        for (const std::uint32_t source : {0u, 27u, 63u}) {
          NocSpec spec = spec_of("mesh", {8, 8}, 4, 8);
          spec.preset = preset;
          spec.arbitration = arbitration;
          Bench bench(spec);
          bench.send(0, source, all_endpoints(spec), flits);
          const Arrivals arrivals = bench.run();
          ASSERT_EQ(arrivals.size(), 64u);
          const std::uint64_t stages = preset == RouterPreset::base        ? 5
                                       : preset == RouterPreset::lookahead ? 4
                                                                           : 3;
          for (const auto& [key, cycle] : arrivals) {
            const auto from = spec.graph.coordinates(RouterId(source));
            const auto to = spec.graph.coordinates(RouterId(key.second));
            const auto far = [](std::uint32_t a, std::uint32_t b) { return a < b ? b - a : a - b; };
            const std::uint64_t routers = far(from[0], to[0]) + far(from[1], to[1]) + 1;
            ASSERT_EQ(cycle, 2 + stages * routers + flits - 1) << "leaf " << key.second;
          }
          const NocCounters counters = bench.core.counters();
          EXPECT_EQ(counters.flits_injected, flits);
          EXPECT_EQ(counters.flits_forked, 63u * flits);
          EXPECT_EQ(counters.flits_ejected, 64u * flits);
          EXPECT_EQ(counters.stalls, StallCycles{});
          const std::vector<std::uint64_t> links = bench.core.link_flits();
          EXPECT_EQ(std::accumulate(links.begin(), links.end(), 0ull), 63ull * flits);
          EXPECT_EQ(bench.core.leftovers(), "");
        }
      }
    }
  }
}

// The links used are those of the unicasts to the destinations, each once; also across datelines, and with
// ties.
TEST(Multicast, TheTreeIsTheUnionOfTheUnicastPaths) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Rng rng(seed, 5);
    const char* topology = rng.below(2) ? "torus" : "mesh";
    const std::vector<std::uint32_t> extent =
        rng.below(2) ? std::vector<std::uint32_t>{6, 5} : std::vector<std::uint32_t>{4, 3, 4};
    NocSpec spec = spec_of(topology, extent, 4, 8);
    if (rng.below(2)) spec.routing = "yx";
    const auto source = static_cast<std::uint32_t>(rng.below(spec.endpoints.size()));
    const auto coins = static_cast<std::uint32_t>(rng.next());
    std::set<EndpointId> chosen;
    for (std::uint64_t i = 0; i < 2 + rng.below(20); ++i)
      chosen.insert(EndpointId(static_cast<std::uint32_t>(rng.below(spec.endpoints.size()))));
    const std::vector<EndpointId> leaves(chosen.begin(), chosen.end());
    std::vector<bool> united(spec.graph.links.size());
    for (const EndpointId leaf : leaves) {
      Bench lone(spec);
      lone.send(0, source, {leaf}, 1, 0, coins);
      lone.run();
      const std::vector<std::uint64_t> links = lone.core.link_flits();
      for (std::size_t l = 0; l < links.size(); ++l) united[l] = united[l] || links[l] != 0;
    }
    Bench bench(spec);
    bench.send(0, source, leaves, 3, 0, coins);
    ASSERT_EQ(bench.run().size(), leaves.size());
    const std::vector<std::uint64_t> links = bench.core.link_flits();
    for (std::size_t l = 0; l < links.size(); ++l)
      ASSERT_EQ(links[l], united[l] ? 3u : 0u) << "seed " << seed << " link " << l;
  }
}

// One VC. The unicast (200 flits) owns the VC from router 1 to 2 until its tail has gone; the branch to the
// other side does not care, and is as early as a lone packet: 2 + 2 * 5 + 3.
TEST(Multicast, ABlockedBranchHoldsNoOther) {
  Bench bench(spec_of("mesh", {4}, 1, 4));
  bench.send(7, 0, endpoints({3}), 200);
  bench.send(8, 1, endpoints({0, 2}), 4, 40);
  bench.send(9, 1, endpoints({0}), 1, 40);
  const Arrivals arrivals = bench.run();
  EXPECT_EQ(arrivals.at({8, 0}), 40u + 2 + 10 + 3);
  EXPECT_GT(arrivals.at({8, 2}), arrivals.at({7, 3}) - 15);
  // A slot of the buffer is free when the last branch has read it: with one VC the next packet of the source
  // waits for the blocked branch.
  EXPECT_GT(arrivals.at({9, 0}), arrivals.at({7, 3}) - 15);
  EXPECT_EQ(bench.core.leftovers(), "");
}

// One VC, four slots. The unicast leaves router 0 in cycles 4 to 7 and router 1 in 9 to 12; its slots there
// are usable again in 12 to 15. Those of the injection buffer are in 6 to 9: the multicast is sent from 9 on,
// could ask for the switch in 13 and goes in 15, when there is room for all of it (a unicast packet would go
// in 13). Router 1: VA 19, SA 20; the sink has the tail three cycles after its switch.
TEST(Multicast, ABranchGoesWhenThereIsRoomForAllOfIt) {
  Bench bench(spec_of("mesh", {3}, 1, 4));
  bench.send(1, 0, endpoints({2}), 4);
  bench.send(2, 0, endpoints({1, 2}), 4);
  EXPECT_EQ(bench.run(), (Arrivals{{{1, 2}, 20}, {{2, 1}, 20 + 3 + 3}, {{2, 2}, 25 + 3 + 3}}));
  // Sent: 4 flits of each; at router 1 the second one becomes two.
  EXPECT_EQ(bench.core.counters().flits_forked, 4u);
  EXPECT_EQ(bench.core.link_flits(), (std::vector<std::uint64_t>{8, 8, 0, 0}));
  EXPECT_EQ(bench.core.counters().stalls.no_credit, 2u);
}

// Every endpoint multicasts to sets that overlap with those of all others, all at once, with packets as long
// as the buffers: whatever the VCs, the arbitration and the pipeline, everything arrives.
TEST(Multicast, OverlappingTreesNeverLockUp) {
  struct Shape {
    const char* topology;
    std::vector<std::uint32_t> extent;
  };
  const Shape shapes[] = {{"mesh", {4, 4}},  {"mesh", {3, 2, 3}}, {"torus", {4, 4}},
                          {"torus", {5, 3}}, {"ring", {8}},       {"mesh", {8}}};
  std::uint64_t seed = 0, copies = 0;
  for (const Shape& shape : shapes)
    for (const std::uint32_t vcs : {1u, 2u, 3u, 4u, 8u})
      for (const std::uint32_t buffer : {1u, 4u})
        for (int arbitration = 0; arbitration < 2; ++arbitration)
          for (int preset = 0; preset < 3; ++preset) {
            if (vcs == 1 && shape.topology != std::string("mesh")) continue;
            NocSpec spec = spec_of(shape.topology, shape.extent, vcs, buffer);
            spec.arbitration = static_cast<SwitchArbitration>(arbitration);
            spec.preset = static_cast<RouterPreset>(preset);
            if (seed % 3 == 0) spec.routing = "yx";
            Rng rng(++seed, 9);
            Bench bench(spec);
            std::uint64_t arrivals = 0;
            const auto nodes = spec.endpoints.size();
            for (std::uint32_t source = 0; source < nodes; ++source) {
              for (std::uint64_t i = 0; i < 6; ++i) {
                std::vector<EndpointId> leaves;
                const std::uint64_t density = 1 + rng.below(4);  // of 4
                for (std::uint32_t e = 0; e < nodes; ++e)
                  if (rng.below(4) < density) leaves.push_back(EndpointId(e));
                if (leaves.empty()) leaves.push_back(EndpointId(source));
                // Long unicast packets among them.
                if (rng.below(4) == 0) leaves.resize(1);
                const std::uint32_t flits = leaves.size() == 1 ? 3 * buffer + 1 : buffer;
                bench.send(i, source, leaves, flits, 0, static_cast<std::uint32_t>(rng.next()));
                arrivals += leaves.size();
              }
            }
            bench.run();
            const NocCounters counters = bench.core.counters();
            ASSERT_EQ(counters.packets_ejected, arrivals)
                << shape.topology << ", " << vcs << " VCs, seed " << seed << "\n"
                << bench.core.deadlock_report();
            ASSERT_EQ(bench.core.packets_in_flight(), 0u);
            ASSERT_EQ(counters.flits_injected + counters.flits_forked, counters.flits_ejected);
            ASSERT_EQ(bench.core.leftovers(), "") << "seed " << seed;
            copies += counters.flits_forked;
          }
  EXPECT_GT(copies, 100'000u);
}

/// Dimension order that does not say so.
class Straight : public RoutingFunction {
 public:
  std::string refuse(const LinkGraph&) const override { return {}; }
  std::uint32_t routing_classes(const LinkGraph&) const override { return 1; }
  void bind(const LinkGraph& graph) override { inner_ = make_routing("xy", graph); }
  void route(const RouteRequest& request, RouteOptions& options) const override {
    inner_->route(request, options);
  }

 private:
  std::unique_ptr<RoutingFunction> inner_;
};

TEST(Multicast, RefusesWhatItCannotCarry) {
  const NocSpec spec = spec_of("mesh", {2, 2}, 2, 4);
  Bench bench(spec);
  EXPECT_THROW(bench.send(0, 0, endpoints({1, 2}), 5), SimulationError);  // longer than a buffer
  EXPECT_THROW(bench.send(0, 0, endpoints({2, 1}), 2), SimulationError);
  EXPECT_THROW(bench.send(0, 0, endpoints({1, 1}), 2), SimulationError);
  EXPECT_THROW(bench.send(0, 0, endpoints({1, 4}), 2), SimulationError);
  bench.send(0, 0, endpoints({1, 2}), 4);
  bench.send(1, 0, endpoints({3}), 50);  // one destination: a unicast packet of any length
  EXPECT_EQ(bench.run().size(), 3u);
  Straight straight;
  straight.bind(spec.graph);
  NetworkCore core(spec, straight);
  Packet packet;
  packet.source = EndpointId(0);
  const std::vector<EndpointId> leaves = endpoints({1, 2});
  packet.destinations = leaves;
  EXPECT_THROW(core.inject(packet, 0), SimulationError);
}

// Corner to all 64 nodes. One packet: as early as the longest unicast (asked: within 1.2 times), and the 63
// links of the tree carry each flit once (asked: at most 63). More packets follow through the same tree.
TEST(Multicast, SavesTimeAndFlitsAgainstUnicasts) {
  for (const std::uint32_t flits : {5u, 8u, 64u}) {
    MulticastExperiment experiment;
    experiment.spec = spec_of("mesh", {8, 8}, 4, 8);
    experiment.destinations.resize(64);
    std::iota(experiment.destinations.begin(), experiment.destinations.end(), 0u);
    experiment.flits = flits;
    const MulticastResult result = run_multicast_experiment(experiment);
    EXPECT_TRUE(result.forks);
    EXPECT_EQ(result.packets, (flits + 7) / 8);
    EXPECT_EQ(result.flits_ejected, 64u * flits);
    EXPECT_EQ(result.link_flits, 63u * flits);
    if (flits <= 8) {
      EXPECT_EQ(result.completion_cycles, result.longest_unicast_cycles);
    }
    EXPECT_LE(10 * result.completion_cycles, 15 * result.longest_unicast_cycles);
    EXPECT_GT(result.unicasts_link_flits, 7 * result.link_flits);
    std::printf("%u flits: %llu cycles, longest unicast %llu, as unicasts %llu; %llu and %llu link flits\n",
                flits, static_cast<unsigned long long>(result.completion_cycles),
                static_cast<unsigned long long>(result.longest_unicast_cycles),
                static_cast<unsigned long long>(result.unicasts_completion_cycles),
                static_cast<unsigned long long>(result.link_flits),
                static_cast<unsigned long long>(result.unicasts_link_flits));
  }
}

// While a multicast packet waits its router is looked at when something happens anywhere, not in each of the
// 2000 cycles.
TEST(Multicast, ABlockedBranchSleeps) {
  Bench bench(spec_of("mesh", {4}, 1, 64));
  bench.send(7, 0, endpoints({3}), 2000);
  bench.send(8, 1, endpoints({0, 2}), 4, 40);
  bench.run();
  EXPECT_LT(bench.core.evaluations(), 300u);
}

}  // namespace
}  // namespace dfsim::test
