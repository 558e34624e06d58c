// Hand-counted: where every flit is in every cycle, from the pipeline of docs/noc.md.
#include <gtest/gtest.h>

#include <optional>

#include "sim/hw/topology/topology.h"
#include "sim/noc/core/network_core.h"

namespace dfsim::test {
namespace {

/// A chain of routers with one endpoint each.
struct Chain {
  NocSpec spec;
  std::unique_ptr<RoutingFunction> routing;
  std::optional<NetworkCore> core;

  explicit Chain(std::uint32_t routers, RouterPreset preset = RouterPreset::base, std::uint32_t vcs = 4,
                 std::uint32_t buffer = 8) {
    spec.graph = build_link_graph("mesh", {routers});
    spec.preset = preset;
    spec.virtual_channels = vcs;
    spec.buffer_flits = buffer;
    spec.arbitration = SwitchArbitration::islip;
    for (std::uint32_t r = 0; r < routers; ++r) spec.endpoints.push_back({EndpointKind::pe, RouterId(r), r});
  }
  NetworkCore& start(std::uint32_t message_classes = 1) {
    routing = make_routing(spec.routing, spec.graph);
    core.emplace(spec, *routing, NetworkCore::Options{.message_classes = message_classes});
    return *core;
  }
  void send(std::uint32_t from, std::uint32_t to, std::uint32_t flits, std::uint64_t cycle,
            std::uint64_t name = 0, MessageClass message_class = MessageClass::sinkable) {
    Packet packet;
    packet.source = EndpointId(from);
    packet.destination = EndpointId(to);
    packet.flits = flits;
    packet.message_class = message_class;
    packet.message.address = name;
    core->inject(packet, cycle);
  }
  /// Arrival cycle of each packet, by name.
  std::map<std::uint64_t, std::uint64_t> arrivals(std::uint64_t last = 100'000) {
    std::map<std::uint64_t, std::uint64_t> result;
    while (core->run_until(last))
      for (const NocEvent& event : core->events())
        if (event.kind == NocEvent::Kind::arrived) result[event.packet.message.address] = core->event_cycle();
    return result;
  }
};

using Arrivals = std::map<std::uint64_t, std::uint64_t>;

// Sent 0, in the buffer 2, RC 2, VA 3, SA 4, ST 5, ejection channel 6, sink 7.
TEST(Router, AHeadTakesSevenCyclesToItsOwnEndpoint) {
  Chain chain(1);
  chain.start();
  chain.send(0, 0, 1, 0);
  EXPECT_TRUE(chain.arrivals(6).empty());
  EXPECT_EQ(chain.arrivals(7), (Arrivals{{0, 7}}));
}

TEST(Router, PipelinesDifferByTheirStages) {
  const std::pair<RouterPreset, std::uint64_t> expected[] = {
      {RouterPreset::base, 5}, {RouterPreset::lookahead, 4}, {RouterPreset::spec, 3}};
  for (const auto& [preset, per_router] : expected) {
    Chain chain(4, preset);
    chain.start();
    chain.send(0, 3, 5, 10);
    EXPECT_EQ(chain.arrivals(), (Arrivals{{0, 10 + 2 + 4 * per_router + 4}}));
  }
}

// Channels between routers take `link_latency_cycles` on the wire, those of endpoints always one.
TEST(Router, LongLinksDelayTheHeadOnly) {
  Chain chain(3);
  chain.spec.link_latency_cycles = 4;
  chain.spec.buffer_flits = 16;
  chain.start();
  chain.send(0, 2, 8, 0);
  EXPECT_EQ(chain.arrivals(), (Arrivals{{0, 2 + 5 * 3 + 2 * 3 + 7}}));
}

// Two bubbles per packet and input VC: the tail wins the switch in c, the next head has RC in c+1, VA in c+2,
// SA in c+3.
TEST(Router, TheNextPacketOfAVcFollowsThreeCyclesAfterTheTail) {
  Chain chain(1, RouterPreset::base, 1);
  chain.start();
  chain.send(0, 0, 2, 0, 1);
  chain.send(0, 0, 2, 0, 2);
  EXPECT_EQ(chain.arrivals(), (Arrivals{{1, 8}, {2, 8 + 3 + 1}}));
}

// With one slot per VC each flit waits for the credit of the one before: a head keeps its slot from its
// arrival to SA two cycles later, the credit needs two more to come home, a body flit goes at once.
TEST(Router, CreditsLimitAShallowBuffer) {
  Chain chain(1, RouterPreset::base, 1, 1);
  chain.start();
  chain.send(0, 0, 3, 0);
  // Sent 0; SA 4; credit used by the source in 6; arrives 8; the ejection VC's slot was taken in 4 and is
  // usable in 10. SA 10, credit at the source 12, arrives 14; SA 16 (credit of 10), sink 19.
  EXPECT_EQ(chain.arrivals(18).size(), 0u);
  EXPECT_EQ(chain.arrivals(19), (Arrivals{{0, 19}}));
}

TEST(Router, CountsTheCyclesInWhichASourceCouldNotSend) {
  Chain chain(1, RouterPreset::base, 1, 1);
  chain.start();
  chain.send(0, 0, 3, 0);
  // Flits leave the source in 0, 6 and 12; in the cycles between it has one and cannot.
  for (std::uint64_t cycle = 1; cycle < 16; ++cycle) {
    while (chain.core->run_until(cycle)) continue;
    const std::uint64_t sent = 1 + (cycle > 6 ? 1 : 0) + (cycle > 12 ? 1 : 0);
    EXPECT_EQ(chain.core->blocked_cycles(EndpointId(0), cycle), std::min<std::uint64_t>(cycle, 13) - sent)
        << cycle;
  }
}

// Flits of two packets interleave on a channel under islip; under packet_hold the first goes through
// undisturbed.
TEST(Router, PacketHoldKeepsPacketsTogether) {
  for (const SwitchArbitration arbitration : {SwitchArbitration::islip, SwitchArbitration::packet_hold}) {
    Chain chain(3);
    chain.spec.arbitration = arbitration;
    chain.start();
    chain.send(0, 1, 40, 0, 1);
    chain.send(2, 1, 40, 0, 2);
    const Arrivals arrivals = chain.arrivals();
    const std::uint64_t first = std::min(arrivals.at(1), arrivals.at(2));
    const std::uint64_t last = std::max(arrivals.at(1), arrivals.at(2));
    const std::uint64_t alone = 2 + 2 * 5 + 39;
    // 80 flits through one ejection channel, one per cycle.
    EXPECT_EQ(last, alone + 40);
    EXPECT_EQ(first, arbitration == SwitchArbitration::packet_hold ? alone : last - 1);
  }
}

TEST(Router, PacketHoldLetsOthersPassWhileItWaits) {
  // Packet 1 fills router 1 on its way to a slow chain of one-slot buffers; packet 2 shares its first channel
  // only.
  Chain chain(3, RouterPreset::base, 2, 2);
  chain.spec.arbitration = SwitchArbitration::packet_hold;
  chain.start();
  chain.send(0, 2, 64, 0, 1);
  chain.send(0, 1, 4, 0, 2);
  const Arrivals arrivals = chain.arrivals();
  EXPECT_LT(arrivals.at(1), 64u * 4 + 40);
  EXPECT_GT(arrivals.at(2), 0u);
}

// Two endpoints on one router have ports of their own.
TEST(Router, EndpointsOfOneRouterShareNoChannel) {
  Chain chain(2);
  for (std::uint32_t r = 0; r < 2; ++r)
    chain.spec.endpoints.push_back({EndpointKind::memory_port, RouterId(r), r});
  chain.start();
  chain.send(0, 2, 20, 0, 1);  // both on router 0
  chain.send(2, 0, 20, 0, 2);
  chain.send(1, 3, 20, 0, 3);
  EXPECT_EQ(chain.arrivals(), (Arrivals{{1, 7 + 19}, {2, 7 + 19}, {3, 7 + 19}}));
}

// A class without credits does not block another: class 0 is stuck behind a long packet, class 1 goes on.
TEST(Router, MessageClassesDoNotBlockEachOther) {
  Chain chain(2, RouterPreset::base, 2, 2);
  chain.start(2);
  for (std::uint64_t i = 0; i < 10; ++i) chain.send(0, 1, 64, 0, i);
  chain.send(0, 1, 1, 0, 99, MessageClass::to_memory);
  const Arrivals arrivals = chain.arrivals();
  EXPECT_LT(arrivals.at(99), arrivals.at(0));
}

TEST(Router, TellsWhenATailHasLeftItsSource) {
  Chain chain(2);
  chain.start();
  Packet packet;
  packet.destination = EndpointId(1);
  packet.flits = 5;
  packet.notify_left = true;
  chain.core->inject(packet, 3);
  ASSERT_TRUE(chain.core->run_until(100));
  EXPECT_EQ(chain.core->event_cycle(), 8u);  // sent in 3 to 7
  EXPECT_EQ(chain.core->events()[0].kind, NocEvent::Kind::left);
}

/// Sends everything clockwise with all VCs, which closes a circle of waiting packets.
class Clockwise : public RoutingFunction {
 public:
  std::string refuse(const LinkGraph&) const override { return {}; }
  std::uint32_t routing_classes(const LinkGraph&) const override { return 1; }
  void bind(const LinkGraph&) override {}
  void route(const RouteRequest& request, RouteOptions& options) const override {
    options.add(0, vc_mask(request.first_vc, request.vc_count));
  }
};

TEST(Router, ReportsTheCircleOfADeadlock) {
  Chain ring(4, RouterPreset::base, 1, 2);
  ring.spec.graph = build_link_graph("torus", {4});
  ring.spec.virtual_channels = 2;
  const Clockwise clockwise;
  ring.core.emplace(ring.spec, clockwise);
  for (std::uint32_t r = 0; r < 4; ++r)
    for (std::uint64_t i = 0; i < 4; ++i) ring.send(r, (r + 3) % 4, 64, 0);
  while (ring.core->run_until(100'000)) continue;
  ASSERT_GT(ring.core->packets_in_flight(), 0u);
  EXPECT_EQ(ring.core->next_activity(), kNever);
  const std::string report = ring.core->deadlock_report();
  EXPECT_NE(report.find("router 0 input 1"), std::string::npos) << report;
  EXPECT_NE(report.find("waits for"), std::string::npos) << report;
  ring.core->reset();
  EXPECT_EQ(ring.core->deadlock_report(), "");
}

}  // namespace
}  // namespace dfsim::test
