// Random networks and workloads drain, lose no flit and no credit, and repeat bit for bit. DFSIM_NOC_FIRST
// and DFSIM_NOC_CASES choose the networks; scripts/noc_campaign runs thousands.
#include <gtest/gtest.h>

#include "random_network.h"
#include "tests/numbers.h"

namespace dfsim::test {
namespace {

TEST(Fuzz, NetworksDrainConserveAndRepeat) {
  const std::uint64_t first = number_from("DFSIM_NOC_FIRST", 20'000),
                      cases = number_from("DFSIM_NOC_CASES", 300);
  std::uint64_t hops = 0, copies = 0;
  Coverage coverage;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const RandomNetwork random(seed);
    coverage.add(random);
    const std::unique_ptr<RoutingFunction> routing = make_routing(random.spec.routing, random.spec.graph);
    NetworkCore core(random.spec, *routing, {.message_classes = random.message_classes});
    const Trace trace = play(core, random.packets);
    ASSERT_TRUE(trace.drained) << "seed " << seed << "\n" << core.deadlock_report();
    ASSERT_EQ(core.leftovers(), "") << "seed " << seed;
    ASSERT_EQ(core.deadlock_report(), "") << "seed " << seed;
    const Traffic traffic(random.packets);
    ASSERT_EQ(trace.counters.flits_injected, traffic.flits) << "seed " << seed;
    ASSERT_EQ(trace.counters.flits_forked, traffic.copies) << "seed " << seed;
    ASSERT_EQ(trace.counters.flits_ejected, traffic.flits + traffic.copies) << "seed " << seed;
    ASSERT_EQ(trace.counters.packets_injected, random.packets.size()) << "seed " << seed;
    ASSERT_EQ(trace.counters.packets_ejected, traffic.arrivals) << "seed " << seed;
    copies += traffic.copies;
    core.reset();
    ASSERT_EQ(core.leftovers(), "") << "seed " << seed;
    ASSERT_EQ(play(core, random.packets), trace) << "seed " << seed;
    NetworkCore fresh(random.spec, *routing, {.message_classes = random.message_classes});
    ASSERT_EQ(play(fresh, random.packets), trace) << "seed " << seed;
    hops += trace.counters.flit_hops;
  }
  std::printf("%llu networks, %llu flit-hops, %llu flits forked: all drain, conserve and repeat\n",
              static_cast<unsigned long long>(cases), static_cast<unsigned long long>(hops),
              static_cast<unsigned long long>(copies));
  coverage.print();
}

/// What every kind of network and traffic is drawn for: each routing on each topology that it knows, around
/// dead links if it can, both arbitrations, and packets for several destinations where they may fork.
TEST(Fuzz, TheNetworksCoverEveryRoutingDeadLinksAndMulticasts) {
  Coverage coverage;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) coverage.add(RandomNetwork(seed));
  for (const std::string& name : RoutingRegistry::instance().names()) {
    const auto routing = RoutingRegistry::instance().make(name);
    for (const char* topology : {"mesh", "torus", "ring"}) {
      const LinkGraph graph =
          build_link_graph(topology, topology == std::string("ring") ? std::vector{4u} : std::vector{3u, 3u});
      if (!routing->refuse(graph).empty()) continue;
      EXPECT_GT(coverage.networks[name + " " + topology], 10u) << name << " on " << topology;
    }
    if (routing->forks()) {
      EXPECT_GT(coverage.networks[name + " multicast"], 20u) << name;
    }
    LinkGraph fewer = build_link_graph("mesh", {3, 3});
    remove_links(fewer, RouterId(1), RouterId(0));
    if (routing->refuse(fewer).empty()) {
      EXPECT_GT(coverage.networks[name + " dead links"], 5u) << name;
    }
  }
  for (const char* arbitration : {"islip", "packet_hold"})
    EXPECT_GT(coverage.networks[arbitration], 500u) << arbitration;
}

TEST(Fuzz, AnUnfinishedRunLeavesSomething) {
  const RandomNetwork random(20'000);
  const std::unique_ptr<RoutingFunction> routing = make_routing(random.spec.routing, random.spec.graph);
  NetworkCore core(random.spec, *routing, {.message_classes = random.message_classes});
  core.inject(random.packets.front().to_send(), 0);
  while (core.run_until(6)) continue;
  EXPECT_NE(core.leftovers(), "");
}

}  // namespace
}  // namespace dfsim::test
