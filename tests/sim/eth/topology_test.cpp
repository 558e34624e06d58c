// Rings and switches: hand-counted latencies, fair shares, nothing lost, no deadlock.
#include <map>

#include "sim/base/rng.h"
#include "tests/sim/eth/topology_bench.h"

namespace dfsim {
namespace {

using test::FakeNetwork;
using test::TopologyBench;

constexpr EthernetBufferSpec kSmallBuffers{6000, 4500};

/// All of them, since modules must exist before the kernel first runs.
struct Benches {
  TopologyBench ring{"ring", test::ring_of(5)};
  TopologyBench tight{"tight", test::ring_of(6, kSmallBuffers)};
  TopologyBench whole_frames{"whole", test::star_of(4, SwitchForwarding::store_and_forward)};
  TopologyBench cut_through{"cut", test::star_of(4, SwitchForwarding::cut_through)};
};

class Topology : public testing::Test {
 protected:
  static Benches& all() {
    static Benches* benches = new Benches;
    return *benches;
  }
  void SetUp() override {
    for (TopologyBench* bench : {&all().ring, &all().tight, &all().whole_frames, &all().cut_through}) {
      bench->clear();
      bench->restart();
    }
  }
  /// Nothing is left anywhere.
  static void expect_all_taken(const TopologyBench& bench, std::size_t packets) {
    std::size_t taken = 0;
    for (const auto& network : bench.networks) taken += network->taken.size();
    EXPECT_EQ(taken, packets);
    EXPECT_TRUE(bench.idle());
  }
};

// 10 ns + 1526 bytes at 80 ps + 500 ns, and the same again from chip 1: 1254.16 ns, cycle 1255; then the fake
// network needs a cycle to enter and one per flit.
TEST_F(Topology, RingForwardsInsideThePortsWhenTheWholePacketIsThere) {
  TopologyBench& ring = all().ring;
  ring.send(10, 0, 2, 1500, 0);
  ring.run();
  ASSERT_EQ(ring.networks[2]->taken.size(), 1u);
  EXPECT_EQ(ring.networks[2]->taken[0].cycle, 1255u + 1 + 47);
  EXPECT_EQ(ring.networks[1]->taken.size(), 0u) << "it does not enter the network between";
  std::uint64_t forwarded = 0;
  for (const auto& port : ring.ports) forwarded += port->forwarded_packets();
  EXPECT_EQ(forwarded, 1u);
}

TEST_F(Topology, RingUsesTheSecondBufferSetBehindTheDateline) {
  TopologyBench& ring = all().ring;
  ring.send(0, 3, 0, 1500, 0);  // 3, 4, 0: the link from 4 to 0 is the dateline
  ring.send(0, 1, 3, 1500, 1);  // 1, 2, 3: it stays before it
  ring.run();
  std::map<std::uint32_t, std::pair<std::uint64_t, std::uint64_t>> most;  // by NoC: in set 0 and 1
  for (std::size_t p = 0; p < ring.ports.size(); ++p) {
    auto& [first, second] = most[ring.hardware.ethernet_ports[p].noc.value()];
    first += ring.ports[p]->most_buffered_bytes(0);
    second += ring.ports[p]->most_buffered_bytes(1);
  }
  using Sets = std::pair<std::uint64_t, std::uint64_t>;
  EXPECT_EQ(most[4], Sets(1500, 0));
  EXPECT_EQ(most[0], Sets(0, 1500));
  EXPECT_EQ(most[2], Sets(1500, 0));
  EXPECT_EQ(most[3], Sets(1500, 0));
}

// Every buffer is small, every chip sends half way round in the same direction, and the networks are slower
// than the lines: without a dateline the six buffers would wait for each other in a circle.
TEST_F(Topology, RingDoesNotDeadlockWithBuffersFullEverywhere) {
  TopologyBench& ring = all().tight;
  for (auto& network : ring.networks) network->cycles_per_flit = 6;
  constexpr std::uint32_t kPackets = 200;
  for (std::uint32_t chip = 0; chip < 6; ++chip)
    for (std::uint32_t i = 0; i < kPackets; ++i) ring.send(10 * i, chip, (chip + 3) % 6, 1500, chip);
  ring.run();
  expect_all_taken(ring, 6 * kPackets);
  std::uint64_t pauses = 0;
  for (const auto& link : ring.links)
    pauses += link->a_to_b.counters().pause_frames + link->b_to_a.counters().pause_frames;
  EXPECT_GT(pauses, 100u) << "the test means nothing if no buffer ever fills";
}

TEST_F(Topology, RingTakesTheShorterWayAndKeepsTheOrderOfATransfer) {
  TopologyBench& ring = all().ring;
  Rng rng(3);
  std::size_t packets = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> sent;  // sizes, by way
  for (std::uint64_t cycle = 0; cycle < 20000; cycle += rng.below(60)) {
    const auto from = static_cast<std::uint32_t>(rng.below(5)), to = static_cast<std::uint32_t>(rng.below(5));
    if (from == to) continue;
    const auto bytes = static_cast<std::uint32_t>(rng.below(2000));
    ring.send(cycle, from, to, bytes, from * 5 + to);
    sent[{from, to}].push_back(bytes);
    ++packets;
  }
  ring.run();
  expect_all_taken(ring, packets);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> taken;
  for (std::uint32_t n = 0; n < 5; ++n)
    for (const FakeNetwork::Taken& item : ring.networks[n]->taken)
      taken[{item.packet.message.transfer.value() / 5, n}].push_back(item.packet.message.bytes);
  EXPECT_EQ(taken, sent);
}

// Line, switch, line: 10 + 622.08 + 300 + 622.08 = 1554.16 ns.
TEST_F(Topology, SwitchStoresAndForwards) {
  TopologyBench& star = all().whole_frames;
  star.send(10, 0, 2, 1500, 0);
  star.run();
  ASSERT_EQ(star.networks[2]->taken.size(), 1u);
  EXPECT_EQ(star.networks[2]->taken[0].cycle, 1555u + 1 + 47);
  EXPECT_EQ(star.switches[0]->forwarded_frames(), 1u);
}

// The header of 22 bytes is there after 10 + 1.76 + 500 ns, and leaves 300 ns later: 811.76 + 622.08 =
// 1433.84 ns.
TEST_F(Topology, SwitchCutsThrough) {
  TopologyBench& star = all().cut_through;
  star.send(10, 0, 2, 1500, 0);
  star.run();
  ASSERT_EQ(star.networks[2]->taken.size(), 1u);
  EXPECT_EQ(star.networks[2]->taken[0].cycle, 1434u + 1 + 47);
}

// Two senders, 512 KiB each, to one receiver. At any time their shares differ by no more than two packets of
// 2048 bytes (a packet ends in one of two frames, and a frame in each way may be the next); the receiver's
// line never idles from the first frame on, and nothing is lost though the buffers pause the senders.
TEST_F(Topology, SwitchSharesAnOutputFairlyBetweenTwoSendersAndLosesNothing) {
  for (TopologyBench* star : {&all().whole_frames, &all().cut_through}) {
    constexpr std::uint32_t kPackets = 256, kBytes = 2048;
    for (std::uint32_t i = 0; i < kPackets; ++i)
      for (std::uint32_t sender : {0u, 1u}) star->send(64 * i, sender, 2, kBytes, sender);
    star->run();
    const auto& taken = star->networks[2]->taken;
    ASSERT_EQ(taken.size(), 2 * kPackets);
    EXPECT_TRUE(star->idle());
    std::int64_t bytes[2] = {0, 0};
    for (std::size_t i = 0; i + 1 < taken.size(); ++i) {
      bytes[taken[i].packet.message.transfer.value()] += kBytes;
      if (i + 2 < taken.size()) {
        EXPECT_LE(std::abs(bytes[0] - bytes[1]), 2 * std::int64_t{kBytes}) << "after packet " << i;
      }
    }
    const EthernetFraming framing(star->hardware.ethernet_links[0]);
    const double line_ns = static_cast<double>(framing.transfer_ps(2 * kPackets * kBytes)) / 1000;
    const double span = static_cast<double>(taken.back().cycle - taken.front().cycle);
    // The first packet is there after two of its frames, the last when the line has carried everything.
    EXPECT_NEAR(span, line_ns - 500, 4 * 123.1) << "the output was idle";
    EXPECT_GT(star->links[0]->b_to_a.counters().pause_frames, 0u);
    EXPECT_GT(star->links[1]->b_to_a.counters().pause_frames, 0u);
    for (std::size_t line : {0u, 1u})
      EXPECT_LE(star->switches[0]->most_buffered_bytes(line), 65536u + framing.headroom_bytes());
  }
}

// A slow receiver pauses the output of the switch, and the switch its sender; another way goes on at full
// rate.
TEST_F(Topology, SwitchPassesAPauseOnAndKeepsOtherWaysFree) {
  TopologyBench& star = all().whole_frames;
  star.networks[2]->cycles_per_flit = 20;
  for (std::uint32_t i = 0; i < 200; ++i) {
    star.send(64 * i, 0, 2, 2048, 0);
    star.send(64 * i, 1, 3, 2048, 1);
  }
  star.run();
  ASSERT_EQ(star.networks[2]->taken.size(), 200u);
  ASSERT_EQ(star.networks[3]->taken.size(), 200u);
  EXPECT_TRUE(star.idle());
  EXPECT_GT(star.links[2]->a_to_b.counters().pause_frames, 0u) << "the receiver pauses the switch";
  EXPECT_GT(star.links[0]->b_to_a.counters().pause_frames, 0u) << "the switch pauses the sender";
  EXPECT_EQ(star.links[1]->b_to_a.counters().pause_frames, 0u);
  const EthernetFraming framing(star.hardware.ethernet_links[0]);
  EXPECT_LE(star.networks[3]->taken.back().cycle,
            framing.transfer_ps(200 * 2048) / 1000 + 300 + 500 + 4 * 124 + 65);
}

TEST_F(Topology, RepeatsARunAfterAnAbortedOne) {
  for (TopologyBench* bench : {&all().tight, &all().whole_frames, &all().cut_through}) {
    const auto chips = static_cast<std::uint32_t>(bench->networks.size());
    Rng rng(5);
    for (std::uint32_t i = 0; i < 300; ++i) {
      const auto from = static_cast<std::uint32_t>(rng.below(chips));
      const auto to = static_cast<std::uint32_t>((from + 1 + rng.below(chips - 1)) % chips);
      bench->send(rng.below(3000), from, to, static_cast<std::uint32_t>(rng.below(1800)), from);
    }
    const auto taken_of = [&] {
      std::vector<std::pair<std::uint64_t, std::uint32_t>> all;
      for (const auto& network : bench->networks)
        for (const FakeNetwork::Taken& item : network->taken)
          all.emplace_back(item.cycle, item.packet.message.bytes);
      return all;
    };
    bench->run();
    const auto first = taken_of();
    EXPECT_EQ(first.size(), 300u);
    for (std::uint64_t abort_ns : {4u, 700u, 1234u, 5000u}) {
      bench->run_and_abort(abort_ns);
      bench->run();
      EXPECT_EQ(taken_of(), first);
    }
    bench->clear();
    bench->restart();
  }
}

}  // namespace
}  // namespace dfsim
