// Random networks and workloads drain, lose no flit and no credit, and repeat bit for bit. DFSIM_NOC_FIRST
// and DFSIM_NOC_CASES choose the networks; scripts/noc_campaign runs thousands.
#include <gtest/gtest.h>

#include <map>

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

// A link carries a flit a cycle at most, as many as are counted, and of each packet all, in order, on one VC.
TEST(Fuzz, FlitsOnLinksAreThoseCountedOneACycle) {
  const std::uint64_t first = number_from("DFSIM_NOC_FIRST", 40'000),
                      cases = number_from("DFSIM_NOC_CASES", 300) / 2;
  std::uint64_t runs = 0, gaps = 0;
  for (std::uint64_t seed = first; seed < first + cases; ++seed) {
    const RandomNetwork random(seed);
    const Trace trace = play(random, {});
    Trace unwatched = play(random, {}, false);
    EXPECT_TRUE(unwatched.flits.empty());
    unwatched.flits = trace.flits;
    ASSERT_EQ(unwatched, trace) << "seed " << seed;
    std::map<std::uint64_t, std::uint32_t> length;
    for (const TimedPacket& timed : random.packets) length[timed.packet.message.address] = timed.packet.flits;
    struct Passed {
      std::uint32_t flits = 0, vc = 0;
    };
    std::map<std::pair<std::uint32_t, std::uint64_t>, Passed> passed;  // by link and packet
    std::vector<std::uint64_t> flits(trace.link_flits.size());
    for (std::size_t i = 0; i < trace.flits.size(); ++i) {
      const Trace::Flits& run = trace.flits[i];
      ASSERT_LT(run.start, run.end);
      if (i > 0 && trace.flits[i - 1].link == run.link) {
        ASSERT_LE(trace.flits[i - 1].end, run.start) << "seed " << seed;
      }
      Passed& packet = passed[{run.link, run.packet}];
      ASSERT_EQ(packet.flits, run.first) << "seed " << seed << " packet " << run.packet;
      ASSERT_TRUE(run.first == 0 || packet.vc == run.vc) << "seed " << seed << " packet " << run.packet;
      gaps += run.first != 0;
      packet.vc = run.vc;
      packet.flits += static_cast<std::uint32_t>(run.end - run.start);
      flits[run.link] += run.end - run.start;
      ++runs;
    }
    ASSERT_EQ(flits, trace.link_flits) << "seed " << seed;
    for (const auto& [place, packet] : passed) ASSERT_EQ(packet.flits, length.at(place.second));
  }
  EXPECT_GT(runs, 1000u);
  EXPECT_GT(gaps, 100u) << "packets that stop half-way are among them";
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
