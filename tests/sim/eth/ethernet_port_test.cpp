#include "sim/eth/ethernet_port.h"

#include <gtest/gtest.h>

#include "sim/base/errors.h"
#include "sim/eth/ethernet_link.h"

namespace dfsim {
namespace {

constexpr std::uint64_t kPeriodPs = 1000;

// Stands for a network with one Ethernet port: sends planned packets to the port, takes one flit per
// `cycles_per_flit` from it, and records what arrived.
class FakeNetwork : public sc_core::sc_module, public PacketInjector {
 public:
  struct Taken {
    Packet packet;
    std::uint64_t cycle;
  };
  explicit FakeNetwork(sc_core::sc_module_name name) : sc_module(name) {
    SC_METHOD(deliver);
    sensitive << next_;
    dont_initialize();
    SC_METHOD(take);
    sensitive << left_;
    dont_initialize();
  }
  void inject(const Packet& packet, std::uint64_t now) override {
    EXPECT_EQ(now * kPeriodPs, (sc_core::sc_time_stamp() - base_).value());
    const std::uint64_t begin = std::max(now + 1, free_);
    free_ = begin + packet.flits * cycles_per_flit;
    queue_.push({packet, free_});
    if (queue_.size() == 1) left_.notify(sc_core::sc_time::from_value((free_ - now) * kPeriodPs));
  }
  std::uint64_t blocked_cycles(EndpointId, std::uint64_t) const override { return 0; }

  void send_at(std::uint64_t cycle, std::uint32_t bytes, std::uint32_t to_noc) {
    Packet packet;
    packet.flits = std::max(1u, ceil_div(bytes, 32u));
    packet.message_class = MessageClass::outbound;
    packet.message.kind = bytes == 0 ? MessageKind::ready : MessageKind::data;
    packet.message.bytes = bytes;
    packet.message.final_noc = NocId(to_noc);
    packet.message.final_endpoint = EndpointId(7);
    packet.message.transfer = TransferId(static_cast<std::uint32_t>(plan_.size()));
    plan_.push_back({packet, cycle});
  }
  void start() {
    taken.clear();
    position_ = 0;
    free_ = 0;
    queue_.clear();
    next_.cancel();
    left_.cancel();
    base_ = sc_core::sc_time_stamp();
    arm(0);
  }
  void clear() {
    plan_.clear();
    cycles_per_flit = 1;
  }

  EthernetPort* port = nullptr;
  std::uint32_t cycles_per_flit = 1;
  std::vector<Taken> taken;  ///< with the cycle in which the tail left the port

 private:
  SC_HAS_PROCESS(FakeNetwork);
  std::uint64_t now() const { return (sc_core::sc_time_stamp() - base_).value() / kPeriodPs; }
  void arm(std::uint64_t now) {
    if (position_ < plan_.size())
      next_.notify(sc_core::sc_time::from_value((plan_[position_].cycle - now) * kPeriodPs));
  }
  void deliver() {
    for (; position_ < plan_.size() && plan_[position_].cycle == now(); ++position_)
      port->packet_arrived(plan_[position_].packet, now());
    arm(now());
  }
  void take() {
    const Taken item = queue_.front();
    queue_.pop();
    taken.push_back(item);
    if (!queue_.empty())
      left_.notify(sc_core::sc_time::from_value((queue_.front().cycle - item.cycle) * kPeriodPs));
    port->packet_left(item.packet, item.cycle);
  }
  std::vector<Taken> plan_;
  RingQueue<Taken> queue_;
  std::size_t position_ = 0;
  std::uint64_t free_ = 0;
  sc_core::sc_event next_, left_;
  sc_core::sc_time base_;
};

EthernetLinkSpec link_spec() { return EthernetLinkSpec{}; }  // 100 Gbit/s, 500 ns, MTU 1500

const NocSpec& network_spec() {
  static const NocSpec spec;
  return spec;
}

// Two networks and a link, built once: the kernel elaborates once per process.
struct Pair {
  Pair()
      : a("noc_a"),
        b("noc_b"),
        port_a("port_a", {NocId(0), RouterId(0), EndpointId(3)}, network_spec(), kPeriodPs),
        port_b("port_b", {NocId(1), RouterId(0), EndpointId(4)}, network_spec(), kPeriodPs),
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
