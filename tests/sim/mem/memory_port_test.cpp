#include "sim/mem/memory_port.h"

#include <gtest/gtest.h>

#include "sim/base/errors.h"
#include "tests/sim/mem/core/memory_fixture.h"
#include "tests/sim/noc/planned_network.h"

namespace dfsim {
namespace {

using test::kPeriodPs;
using test::PlannedNetwork;

const NocSpec& network_spec() {
  static const NocSpec spec;
  return spec;
}

// One port for all tests: the kernel elaborates once per process.
struct Chip {
  static MemoryPortSpec spec() {
    MemoryPortSpec port;
    port.endpoint = EndpointId(9);
    port.controller = test::controller_for(test::hbm2_device());
    return port;
  }
  Chip() : network("network"), port("port", spec(), network_spec(), kPeriodPs) {
    network.sink = &port;
    port.noc(network);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  PlannedNetwork network;
  MemoryPort port;
};

Chip& chip() {
  static Chip chip;
  return chip;
}

Packet load(std::uint64_t address, std::uint32_t bytes, std::uint32_t reply_to = 3) {
  Packet packet;
  packet.source = EndpointId(reply_to);
  packet.message_class = MessageClass::to_memory;
  packet.message.kind = MessageKind::load_request;
  packet.message.address = address;
  packet.message.bytes = bytes;
  packet.message.reply_to = EndpointId(reply_to);
  packet.message.transfer = TransferId(17);
  packet.message.instance = 4;
  packet.message.final_endpoint = EndpointId(5);
  return packet;
}

Packet store(std::uint64_t address, std::uint32_t bytes) {
  Packet packet = load(address, bytes);
  packet.message.kind = MessageKind::store_data;
  packet.flits = ceil_div(bytes, 32u);
  return packet;
}

class Port : public testing::Test {
 protected:
  void SetUp() override { network.clear(); }
  void restart() {
    chip().port.reset();
    network.start();
  }
  std::uint64_t run() {
    restart();
    const sc_core::sc_time start = sc_core::sc_time_stamp();
    sc_core::sc_start();
    return (sc_core::sc_time_stamp() - start).value() / kPeriodPs;
  }
  PlannedNetwork& network = chip().network;
  MemoryPort& port = chip().port;
};

TEST_F(Port, AnswersALoadWhenItsBurstsAreThere) {
  network.deliver_at(100, load(4096, 32));
  run();
  ASSERT_EQ(network.sent.size(), 1u);
  const auto& [packet, cycle] = network.sent[0];
  EXPECT_EQ(cycle, 100u + 1 + 14 + 14 + 2);
  EXPECT_EQ(packet.source, EndpointId(9));
  EXPECT_EQ(packet.destination, EndpointId(3));
  EXPECT_EQ(packet.flits, 1u);
  EXPECT_EQ(packet.message_class, MessageClass::sinkable);
  EXPECT_EQ(packet.message.kind, MessageKind::load_data);
  EXPECT_EQ(packet.message.transfer, TransferId(17));
  EXPECT_EQ(packet.message.instance, 4u);
  EXPECT_EQ(packet.message.final_endpoint, EndpointId(5));
}

TEST_F(Port, AnswersAMulticastLoadToAllInPacketsThatFitIntoABuffer) {
  const std::vector<EndpointId> all{EndpointId(1), EndpointId(3), EndpointId(6)};
  Packet request = load(4096, 3000);
  request.message.reply_to_all = all;
  network.deliver_at(0, request);
  run();
  ASSERT_EQ(network.sent.size(), 12u);
  std::uint64_t address = 4096;
  for (const auto& [packet, cycle] : network.sent) {
    EXPECT_EQ(std::vector(packet.destinations.begin(), packet.destinations.end()), all);
    EXPECT_EQ(packet.message.address, address);
    EXPECT_EQ(packet.flits, (packet.message.bytes + 31) / 32);
    EXPECT_LE(packet.flits, network_spec().buffer_flits);
    address += packet.message.bytes;
  }
  EXPECT_EQ(address, 4096u + 3000);
  EXPECT_EQ(port.counters(10'000).bytes_read, 3000u);  // once
}

TEST_F(Port, CutsALongLoadIntoPacketsInOrder) {
  network.deliver_at(0, load(4096, 5000));
  run();
  ASSERT_EQ(network.sent.size(), 3u);
  std::uint64_t address = 4096;
  for (const auto& [packet, cycle] : network.sent) {
    EXPECT_EQ(packet.message.address, address);
    EXPECT_EQ(packet.flits, (packet.message.bytes + 31) / 32);
    address += packet.message.bytes;
  }
  EXPECT_EQ(address, 4096u + 5000);
  EXPECT_EQ(port.coverage(), (std::vector<AddressRange>{{4096, 9096}}));
}

TEST_F(Port, AcknowledgesEachStorePacketOnceItIsWritten) {
  network.deliver_at(10, store(0, 2048));
  network.deliver_at(74, store(2048, 1000));
  run();
  ASSERT_EQ(network.sent.size(), 2u);
  EXPECT_EQ(network.sent[0].packet.message.kind, MessageKind::store_ack);
  EXPECT_EQ(network.sent[0].packet.flits, 1u);
  EXPECT_EQ(network.sent[0].packet.message.bytes, 2048u);
  EXPECT_EQ(network.sent[1].packet.message.bytes, 1000u);
  EXPECT_GE(network.sent[0].cycle, 10u + 12 + 5 + 64 * 2);
  EXPECT_EQ(port.counters(1000).bytes_written, 3048u);
  EXPECT_TRUE(port.coverage().empty());
  EXPECT_TRUE(port.idle());
}

TEST_F(Port, RepeatsARunAfterResetAndAfterAnAbortedRun) {
  for (std::uint32_t i = 0; i < 20; ++i)
    network.deliver_at(i * 40, i % 3 ? load(i * 9000, 3000, i % 5) : store(i * 7000, 2048));
  const std::uint64_t cycles = run();
  const auto first = network.sent;
  const MemoryCounters counters = port.counters(cycles);
  for (std::uint64_t abort_at : {1u, 50u, 331u, 700u}) {
    restart();
    sc_core::sc_start(sc_core::sc_time::from_value(abort_at * kPeriodPs));
    port.set_draining(true);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
    EXPECT_EQ(run(), cycles);
    ASSERT_EQ(network.sent.size(), first.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      EXPECT_EQ(network.sent[i].cycle, first[i].cycle);
      EXPECT_EQ(network.sent[i].packet.message.address, first[i].packet.message.address);
    }
    EXPECT_EQ(port.counters(cycles), counters);
  }
}

TEST_F(Port, RefusesMessagesThatAreNotForAMemory) {
  Packet packet = load(0, 32);
  packet.message.kind = MessageKind::ready;
  EXPECT_THROW(port.packet_arrived(packet, 0), SimulationError);
}

}  // namespace
}  // namespace dfsim
