#include "sim/eth/ethernet_port.h"

#include "sim/base/errors.h"
#include "sim/eth/ethernet_link.h"
#include "tests/sim/eth/fake_network.h"

namespace dfsim {
namespace {

using test::FakeNetwork;
using test::kPeriodPs;

EthernetLinkSpec link_spec() { return EthernetLinkSpec{}; }  // 100 Gbit/s, 500 ns, MTU 1500

const NocSpec& network_spec() {
  static const NocSpec spec;
  return spec;
}

/// Two NoCs, a port each, and a link.
const HardwareSpec& pair_of_nocs() {
  static const HardwareSpec hardware = [] {
    HardwareSpec spec;
    spec.nocs.resize(2);
    spec.ethernet_ports = {{NocId(0), RouterId(0), EndpointId(3)}, {NocId(1), RouterId(0), EndpointId(4)}};
    spec.ethernet_links = {link_spec()};
    spec.ethernet_links[0].port_b = 1;
    return spec;
  }();
  return hardware;
}

// Two networks and a link, built once: the kernel elaborates once per process.
struct Pair {
  Pair()
      : a("noc_a"),
        b("noc_b"),
        routes(pair_of_nocs()),
        port_a("port_a", 0, pair_of_nocs().ethernet_ports[0], network_spec(), kPeriodPs, routes),
        port_b("port_b", 1, pair_of_nocs().ethernet_ports[1], network_spec(), kPeriodPs, routes),
        link("link", link_spec()) {
    a.port = &port_a;
    b.port = &port_b;
    port_a.noc(a);
    port_b.noc(b);
    port_a.line(link.a_to_b);
    port_b.line(link.b_to_a);
    link.a_to_b.receiver(port_b);
    link.b_to_a.receiver(port_a);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  FakeNetwork a, b;
  EthernetRoutes routes;
  EthernetPort port_a, port_b;
  EthernetLink link;
};

Pair& both() {
  static Pair instance;
  return instance;
}

class Ethernet : public testing::Test {
 protected:
  void SetUp() override {
    a.clear();
    b.clear();
  }
  void restart() {
    both().port_a.reset();
    both().port_b.reset();
    link.reset();
    a.start();
    b.start();
  }
  void run() {
    restart();
    sc_core::sc_start();
  }
  FakeNetwork& a = both().a;
  FakeNetwork& b = both().b;
  EthernetLink& link = both().link;
};

TEST_F(Ethernet, CarriesATokenInALeastFrame) {
  a.send_at(10, 0, 1);
  run();
  ASSERT_EQ(b.taken.size(), 1u);
  // 10 ns + 72 bytes at 80 ps + 500 ns = 515.76 ns: cycle 516; the fake network needs 1 cycle to enter and 1
  // per flit.
  EXPECT_EQ(b.taken[0].cycle, 516u + 2);
  EXPECT_EQ(b.taken[0].packet.destination, EndpointId(7));
  EXPECT_EQ(b.taken[0].packet.source, EndpointId(4));
  EXPECT_EQ(b.taken[0].packet.message_class, MessageClass::sinkable);
  EXPECT_EQ(link.a_to_b.counters(), (EthernetCounters{1, 8, 84, 0}));
}

TEST_F(Ethernet, MovesAMebibyteAtTheGoodputOfTheClosedForm) {
  for (std::uint32_t i = 0; i < 512; ++i) a.send_at(1 + 64 * i, 2048, 1);  // one flit per cycle
  run();
  ASSERT_EQ(b.taken.size(), 512u);
  const EthernetFraming framing(link_spec());
  const double closed_ns = static_cast<double>(framing.transfer_ps(1 << 20)) / 1000;
  // One frame of 1538 bytes (124 ns) of slack for the first, short frame; 64 flits of the last packet enter
  // the NoC.
  EXPECT_NEAR(static_cast<double>(b.taken.back().cycle), closed_ns + 1 + 65, 124);
  EXPECT_EQ(link.a_to_b.counters().payload_bytes, 1u << 20);
  EXPECT_LE(link.a_to_b.counters().frames, framing.frames(1 << 20) + 1);
  for (std::uint32_t i = 0; i < 512; ++i) EXPECT_EQ(b.taken[i].packet.message.transfer, TransferId(i));
}

// All of it waits when the line is first free, so that every frame but the last is full: the closed form
// exactly, to the cycle in which the last packet enters the network.
TEST_F(Ethernet, MovesAMebibyteInFullFramesInTheTimeOfTheClosedForm) {
  for (std::uint32_t i = 0; i < 512; ++i) a.send_at(0, 2048, 1);
  run();
  const EthernetFraming framing(link_spec());
  EXPECT_EQ(link.a_to_b.counters().frames, framing.frames(1 << 20));
  const std::uint64_t last_bit_cycle = ceil_div<std::uint64_t>(framing.transfer_ps(1 << 20), kPeriodPs);
  EXPECT_EQ(b.taken.back().cycle, last_bit_cycle + 1 + 64);
}

TEST_F(Ethernet, IsFullDuplex) {
  for (std::uint32_t i = 0; i < 64; ++i) a.send_at(1 + 64 * i, 2048, 1);
  run();
  const std::uint64_t alone = b.taken.back().cycle;
  for (std::uint32_t i = 0; i < 64; ++i) b.send_at(1 + 64 * i, 2048, 0);
  run();
  EXPECT_EQ(b.taken.back().cycle, alone);
  EXPECT_EQ(a.taken.back().cycle, alone);
}

TEST_F(Ethernet, PausesTheSenderOfASlowNetworkAndLosesNothing) {
  b.cycles_per_flit = 10;  // 3.2 bytes per ns against 12.2 on the line
  for (std::uint32_t i = 0; i < 256; ++i) a.send_at(1 + 64 * i, 2048, 1);
  run();
  EXPECT_EQ(b.taken.size(), 256u);
  EXPECT_GE(link.b_to_a.counters().pause_frames, 2u);
  EXPECT_GT(both().port_b.most_buffered_bytes(), 65536u);
  EXPECT_LE(both().port_b.most_buffered_bytes(), 65536u + EthernetFraming(link_spec()).headroom_bytes());
  // The slow network never starves: it works without a gap from the first packet on.
  EXPECT_EQ(b.taken.back().cycle - b.taken.front().cycle, 255u * 640);
  EXPECT_TRUE(both().port_a.idle());
  EXPECT_TRUE(both().port_b.idle());
}

TEST_F(Ethernet, RepeatsARunAfterAnAbortedOne) {
  b.cycles_per_flit = 7;
  for (std::uint32_t i = 0; i < 100; ++i) a.send_at(1 + 50 * i, i % 5 == 0 ? 0 : 1700, 1);
  for (std::uint32_t i = 0; i < 50; ++i) b.send_at(1 + 90 * i, 900, 0);
  run();
  const auto taken_a = a.taken, taken_b = b.taken;
  const EthernetCounters counters = link.a_to_b.counters();
  for (std::uint64_t abort_ns : {5u, 300u, 617u, 4000u}) {
    restart();
    sc_core::sc_start(sc_core::sc_time::from_value(abort_ns * kPeriodPs));
    both().port_a.set_draining(true);
    both().port_b.set_draining(true);
    link.set_draining(true);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    run();
    ASSERT_EQ(a.taken.size(), taken_a.size());
    ASSERT_EQ(b.taken.size(), taken_b.size());
    for (std::size_t i = 0; i < taken_a.size(); ++i) EXPECT_EQ(a.taken[i].cycle, taken_a[i].cycle);
    for (std::size_t i = 0; i < taken_b.size(); ++i) EXPECT_EQ(b.taken[i].cycle, taken_b[i].cycle);
    EXPECT_EQ(link.a_to_b.counters(), counters);
  }
}

}  // namespace
}  // namespace dfsim
