// Host, bus and bridge: hand-counted times, shares, and what crosses.
#include "sim/host/host.h"

#include <gtest/gtest.h>

#include <memory>

#include "sim/base/errors.h"
#include "sim/host/bridge.h"
#include "tests/sim/noc/planned_network.h"

namespace dfsim {
namespace {

using test::kPeriodPs;
using test::PlannedNetwork;

Packet request(MessageKind kind, std::uint64_t address, std::uint32_t bytes) {
  Packet packet;
  packet.message.kind = kind;
  packet.message.address = address;
  packet.message.bytes = bytes;
  packet.message.reply_to = EndpointId(3);
  packet.message.transfer = TransferId(static_cast<std::uint32_t>(address));
  return packet;
}

// 10 bytes per ns, 100 ns one way, packets of 256 bytes and 20 more; memory of 40 bytes per ns and 50 ns.
MemoryPortSpec port_spec() {
  MemoryPortSpec spec;
  spec.endpoint = EndpointId(9);
  spec.host_bus = HostBusSpec{10, 100, 256, 20};
  return spec;
}

/// Two cards and their host, built once.
struct Cards {
  static constexpr std::uint32_t kCards = 2;
  Cards() {
    HostSpec spec;
    spec.memory_gb_s = 40;
    spec.memory_latency_ns = 50;
    host = std::make_unique<Host>("host", spec, kCards, 2048);
    for (std::uint32_t i = 0; i < kCards; ++i) {
      const std::string number = std::to_string(i);
      networks.push_back(std::make_unique<PlannedNetwork>(("noc" + number).c_str()));
      bridges.push_back(
          std::make_unique<HostBridge>(("bridge" + number).c_str(), port_spec(), NocSpec{}, kPeriodPs));
      buses.push_back(std::make_unique<HostBus>(("bus" + number).c_str(), i, *port_spec().host_bus));
      networks[i]->sink = bridges[i].get();
      bridges[i]->noc(*networks[i]);
      bridges[i]->bus(buses[i]->to_host);
      buses[i]->to_host.receiver(*host);
      host->cards[i](buses[i]->to_card);
      buses[i]->to_card.receiver(*bridges[i]);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  void restart() {
    host->reset();
    for (std::uint32_t i = 0; i < kCards; ++i) {
      buses[i]->reset();
      bridges[i]->reset();
      networks[i]->start();
    }
  }
  std::unique_ptr<Host> host;
  std::vector<std::unique_ptr<PlannedNetwork>> networks;
  std::vector<std::unique_ptr<HostBridge>> bridges;
  std::vector<std::unique_ptr<HostBus>> buses;
};

class HostMemory : public testing::Test {
 protected:
  static Cards& cards() {
    static Cards* cards = new Cards;
    return *cards;
  }
  void SetUp() override {
    for (auto& network : cards().networks) network->clear();
  }
  void run() {
    cards().restart();
    sc_core::sc_start();
  }
  PlannedNetwork& network(std::uint32_t card) { return *cards().networks[card]; }
};

// Request of 20 bytes: 2 ns, 100 ns; memory 1024 bytes: 25.6 ns, 50 ns; back 4 packets: 1104 bytes, 110.4 ns,
// 100 ns.
TEST_F(HostMemory, AnswersALoadAfterBusMemoryAndBus) {
  network(0).deliver_at(10, request(MessageKind::load_request, 4096, 1024));
  run();
  ASSERT_EQ(network(0).sent.size(), 1u);
  const auto& [packet, cycle] = network(0).sent[0];
  EXPECT_EQ(cycle, 398u);  // 10 + 2 + 100 + 25.6 + 50 + 110.4 + 100 = 398.0 ns
  EXPECT_EQ(packet.message.kind, MessageKind::load_data);
  EXPECT_EQ(packet.flits, 32u);
  EXPECT_EQ(packet.source, EndpointId(9));
  EXPECT_EQ(packet.destination, EndpointId(3));
  EXPECT_EQ(packet.message_class, MessageClass::sinkable);
  EXPECT_EQ(cards().bridges[0]->read_bytes(), 1024u);
  EXPECT_EQ(cards().bridges[0]->coverage(), (std::vector<AddressRange>{{4096, 5120}}));
  EXPECT_EQ(cards().buses[0]->to_host.wire_bytes(), 20u);
  EXPECT_EQ(cards().buses[0]->to_card.wire_bytes(), 1104u);
}

// 4 packets up, 110.4 ns, 100 ns; memory 25.6 + 50 ns; acknowledgement 2 + 100 ns: 390.0 ns in all from cycle
// 10 on.
TEST_F(HostMemory, AcknowledgesAStoreOnceItIsInMemory) {
  network(0).deliver_at(10, request(MessageKind::store_data, 0, 1024));
  run();
  ASSERT_EQ(network(0).sent.size(), 1u);
  EXPECT_EQ(network(0).sent[0].packet.message.kind, MessageKind::store_ack);
  EXPECT_EQ(network(0).sent[0].packet.flits, 1u);
  EXPECT_EQ(network(0).sent[0].cycle, 398u);
  EXPECT_EQ(cards().bridges[0]->write_bytes(), 1024u);
  EXPECT_EQ(cards().host->write_bytes(), 1024u);
}

// A long load comes in packets of 2 KiB at the rate of the bus, which is the slower part: 8 bus packets of
// 276 bytes are 220.8 ns for 2048 bytes.
TEST_F(HostMemory, StreamsALongLoadAtTheRateOfTheBus) {
  network(0).deliver_at(0, request(MessageKind::load_request, 0, 65536));
  run();
  const auto& sent = network(0).sent;
  ASSERT_EQ(sent.size(), 32u);
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(sent[i].packet.message.address, i * 2048);
  EXPECT_NEAR(static_cast<double>(sent.back().cycle - sent.front().cycle), 31 * 220.8, 1.0);
}

// Both cards ask for 256 KiB at once; their buses could take 2 x 9.3 bytes per ns and the memory gives 40:
// both run at the rate of their bus. With a memory of 10 bytes per ns they would share it piece by piece.
TEST_F(HostMemory, ServesTheCardsInTurn) {
  for (std::uint32_t card : {0u, 1u})
    for (std::uint32_t i = 0; i < 4; ++i)
      network(card).deliver_at(0, request(MessageKind::load_request, i * 65536, 65536));
  run();
  for (std::uint32_t card : {0u, 1u}) {
    ASSERT_EQ(network(card).sent.size(), 128u);
    EXPECT_NEAR(static_cast<double>(network(card).sent.back().cycle),
                128 * 220.8 + 2 + 100 + 50 + 2 * 51.2 + 100, 60);
  }
  EXPECT_LE(std::abs(static_cast<double>(network(0).sent.back().cycle) -
                     static_cast<double>(network(1).sent.back().cycle)),
            52.0);
  EXPECT_EQ(cards().host->read_bytes(), 2u * 4 * 65536);
}

TEST_F(HostMemory, RepeatsARunAfterAnAbortedOne) {
  for (std::uint32_t i = 0; i < 40; ++i)
    network(i % 2).deliver_at(i * 37, request(i % 3 ? MessageKind::load_request : MessageKind::store_data,
                                              i * 9000, 1000 + i * 50));
  const auto cycles = [&] {
    std::vector<std::uint64_t> all;
    for (std::uint32_t card : {0u, 1u})
      for (const auto& sent : network(card).sent) all.push_back(sent.cycle);
    return all;
  };
  run();
  const auto first = cycles();
  for (std::uint64_t abort_ns : {1u, 102u, 400u, 1111u}) {
    cards().restart();
    sc_core::sc_start(sc_core::sc_time::from_value(abort_ns * kPeriodPs));
    cards().host->set_draining(true);
    for (std::uint32_t card : {0u, 1u}) {
      cards().buses[card]->set_draining(true);
      cards().bridges[card]->set_draining(true);
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    run();
    EXPECT_EQ(cycles(), first);
  }
}

TEST_F(HostMemory, RefusesMessagesThatAreNotForAMemory) {
  Packet packet;
  packet.message.kind = MessageKind::ready;
  EXPECT_THROW(cards().bridges[0]->packet_arrived(packet, 0), SimulationError);
}

}  // namespace
}  // namespace dfsim
