// What must hold for any network: sleeping changes nothing, order changes nothing, flits are conserved, reset
// forgets. DFSIM_NOC_CASES asks for more networks (scripts/noc_campaign).
#include <gtest/gtest.h>

#include "random_network.h"
#include "sim/base/errors.h"
#include "tests/numbers.h"

namespace dfsim::test {
namespace {

/// Networks from number `first` on; a longer run takes others from all that the tests take.
struct Seeds {
  std::uint64_t first, cases = number_from("DFSIM_NOC_CASES", 400);
  explicit Seeds(std::uint64_t own) : first(number_from("DFSIM_NOC_FIRST", own)) {}
  std::uint64_t end() const { return first + cases; }
};

TEST(NetworkCore, SleepingChangesNothing) {
  const Seeds seeds(0);
  for (std::uint64_t seed = seeds.first; seed < seeds.end(); ++seed) {
    const RandomNetwork network(seed);
    const Trace awake = play(network, {.always_evaluate = true});
    const Trace asleep = play(network, {});
    ASSERT_TRUE(asleep.drained) << "seed " << seed;
    ASSERT_EQ(awake.entries, asleep.entries) << "seed " << seed;
    ASSERT_EQ(awake.counters, asleep.counters) << "seed " << seed;
    ASSERT_EQ(awake, asleep) << "seed " << seed;
  }
}

TEST(NetworkCore, TheOrderOfEvaluationChangesNothing) {
  const Seeds seeds(1000);
  for (std::uint64_t seed = seeds.first; seed < seeds.end(); ++seed) {
    const RandomNetwork network(seed);
    ASSERT_EQ(play(network, {}), play(network, {.reverse_order = true})) << "seed " << seed;
  }
}

TEST(NetworkCore, FlitsAreConserved) {
  const Seeds seeds(2000);
  for (std::uint64_t seed = seeds.first; seed < seeds.end(); ++seed) {
    const RandomNetwork network(seed);
    const Trace trace = play(network, {});
    const Traffic traffic(network.packets);
    ASSERT_TRUE(trace.drained) << "seed " << seed;
    const std::uint64_t ejected = traffic.flits + traffic.copies;
    ASSERT_EQ(trace.counters.flits_injected, traffic.flits) << "seed " << seed;
    ASSERT_EQ(trace.counters.flits_forked, traffic.copies) << "seed " << seed;
    ASSERT_EQ(trace.counters.flits_ejected, ejected) << "seed " << seed;
    ASSERT_EQ(trace.counters.flit_hops,
              ejected + std::accumulate(trace.link_flits.begin(), trace.link_flits.end(), std::uint64_t{0}))
        << "seed " << seed;
    ASSERT_EQ(trace.entries.size(), traffic.arrivals + traffic.left) << "seed " << seed;
  }
}

TEST(NetworkCore, ResetForgetsAnAbortedRun) {
  const Seeds seeds(3000);
  for (std::uint64_t seed = seeds.first; seed < seeds.end(); ++seed) {
    const RandomNetwork network(seed);
    const std::unique_ptr<RoutingFunction> routing = make_routing(network.spec.routing, network.spec.graph);
    NetworkCore core(network.spec, *routing, {.message_classes = network.message_classes});
    const Trace first = play(core, network.packets);
    core.reset();
    play(core, network.packets, Rng(seed).below(300));
    core.reset();
    ASSERT_EQ(play(core, network.packets), first) << "seed " << seed;
  }
}

TEST(NetworkCore, RunsAreIndependentOfTheOneBefore) {
  const RandomNetwork network(5);
  RandomNetwork other(6);
  const std::unique_ptr<RoutingFunction> routing = make_routing(network.spec.routing, network.spec.graph);
  NetworkCore core(network.spec, *routing, {.message_classes = network.message_classes});
  const auto endpoints = static_cast<std::uint32_t>(network.spec.endpoints.size());
  for (TimedPacket& timed : other.packets) {
    timed.packet.source = EndpointId(timed.packet.source.value() % endpoints);
    timed.packet.destination = EndpointId(timed.packet.destination.value() % endpoints);
    timed.packet.message_class = MessageClass::sinkable;
    timed.destinations.clear();
  }
  const Trace a = play(core, network.packets);
  core.reset();
  const Trace b = play(core, other.packets);
  core.reset();
  EXPECT_EQ(play(core, network.packets), a);
  core.reset();
  EXPECT_EQ(play(core, other.packets), b);
}

TEST(NetworkCore, CountersAreExactInTheMiddleOfAStream) {
  for (std::uint64_t seed = 4000; seed < 4100; ++seed) {
    const RandomNetwork network(seed);
    const std::unique_ptr<RoutingFunction> routing = make_routing(network.spec.routing, network.spec.graph);
    NetworkCore fast(network.spec, *routing, {.message_classes = network.message_classes});
    NetworkCore slow(network.spec, *routing,
                     {.message_classes = network.message_classes, .always_evaluate = true});
    for (const TimedPacket& timed : network.packets) {
      fast.inject(timed.to_send(), 0, timed.coins);
      slow.inject(timed.to_send(), 0, timed.coins);
    }
    for (std::uint64_t last = 3; last < 400; last += 7) {
      while (fast.run_until(last)) continue;
      while (slow.run_until(last)) continue;
      for (std::uint32_t e = 0; e < network.spec.endpoints.size(); ++e) {
        ASSERT_EQ(fast.blocked_cycles(EndpointId(e), last), slow.blocked_cycles(EndpointId(e), last)) << seed;
        ASSERT_EQ(fast.blocked_cycles(EndpointId(e), last + 1), slow.blocked_cycles(EndpointId(e), last + 1));
      }
      ASSERT_EQ(fast.counters(last + 1), slow.counters(last + 1)) << "seed " << seed << " cycle " << last;
      ASSERT_EQ(fast.link_flits(last + 1), slow.link_flits(last + 1)) << "seed " << seed << " cycle " << last;
    }
  }
}

// Counters of streams wrap round with time.
TEST(NetworkCore, LateIsLikeEarly) {
  for (std::uint64_t seed = 5000; seed < 5080; ++seed) {
    const RandomNetwork network(seed);
    const Trace early = play(network, {}, false);
    const std::uint64_t shift = (seed % 2 == 0 ? 1ull << 16 : 1ull << 32) - seed % 150;
    RandomNetwork late = network;
    for (TimedPacket& timed : late.packets) timed.cycle += shift;
    const std::unique_ptr<RoutingFunction> routing = make_routing(late.spec.routing, late.spec.graph);
    NetworkCore core(late.spec, *routing, {.message_classes = late.message_classes});
    Trace trace = play(core, late.packets, shift + kLongRun);
    for (Trace::Entry& entry : trace.entries) {
      entry.cycle -= shift;
      if (entry.entered) entry.entered -= shift;
    }
    ASSERT_EQ(trace, early) << "seed " << seed;
  }
}

NocSpec small_mesh() {
  NocSpec spec;
  spec.graph = build_link_graph("mesh", {2, 2});
  for (std::uint32_t r = 0; r < 4; ++r) spec.endpoints.push_back({EndpointKind::pe, RouterId(r), r});
  return spec;
}

TEST(NetworkCore, ALoneStreamCostsFewEvaluations) {
  NocSpec spec = small_mesh();
  const std::unique_ptr<RoutingFunction> routing = make_routing("xy", spec.graph);
  NetworkCore core(spec, *routing);
  Packet packet;
  packet.destination = EndpointId(1);
  packet.flits = 64;
  for (int i = 0; i < 100; ++i) core.inject(packet, 0);
  while (core.run_until(kLongRun)) continue;
  EXPECT_EQ(core.packets_in_flight(), 0u);
  EXPECT_LE(core.evaluations(), 100u * 2 * 10);
}

TEST(NetworkCore, RefusesTooFewVirtualChannels) {
  NocSpec spec = small_mesh();
  spec.virtual_channels = 2;
  EXPECT_EQ(refuse_network(spec, 2), "");
  EXPECT_NE(refuse_network(spec, 3).find("need 3"), std::string::npos);
  spec.graph = build_link_graph("torus", {2, 2});
  EXPECT_NE(refuse_network(spec, 3).find("need 6"), std::string::npos);
  spec.virtual_channels = 33;
  EXPECT_NE(refuse_network(spec, 1), "");
  spec = small_mesh();
  spec.routing = "zigzag";
  EXPECT_NE(refuse_network(spec, 1).find("zigzag"), std::string::npos);
  const std::unique_ptr<RoutingFunction> routing = make_routing("xy", spec.graph);
  EXPECT_THROW(NetworkCore(spec, *routing), SimulationError);
}

TEST(NetworkCore, RefusesPacketsThatCannotBeSent) {
  const NocSpec spec = small_mesh();
  const std::unique_ptr<RoutingFunction> routing = make_routing("xy", spec.graph);
  NetworkCore core(spec, *routing);
  Packet packet;
  packet.destination = EndpointId(4);
  EXPECT_THROW(core.inject(packet, 0), SimulationError);
  packet.destination = EndpointId(3);
  packet.flits = 0;
  EXPECT_THROW(core.inject(packet, 0), SimulationError);
  packet.flits = 1;
  core.inject(packet, 0);
  while (core.run_until(100)) continue;
  EXPECT_THROW(core.inject(packet, 3), SimulationError);  // the past
}

}  // namespace
}  // namespace dfsim::test
