#include "sim/trace/traffic.h"

#include <gtest/gtest.h>

#include "sim/trace/labels.h"
#include "tests/sim/pe/program_builder.h"

namespace dfsim {
namespace {

ObservedPacket packet(std::uint32_t source, std::uint32_t destination, std::uint32_t transfer,
                      std::uint32_t instance, std::uint32_t bytes, std::uint64_t wait = 0) {
  ObservedPacket packet;
  packet.source = EndpointId(source);
  packet.destination = EndpointId(destination);
  packet.transfer = TransferId(transfer);
  packet.instance = instance;
  packet.data = true;
  packet.bytes = bytes;
  packet.flits = 4;
  packet.hops = 1;
  packet.created = 100;
  packet.arrived = 100 + 2 + 5 * 2 + 3 + wait;
  return packet;
}

TEST(Traffic, ALonePacketTakesTheDocumentedTime) {
  NocSpec noc;
  EXPECT_EQ(lone_packet_cycles(noc, 0, 1), 7u);
  EXPECT_EQ(lone_packet_cycles(noc, 3, 10), 2u + 20 + 9);
  noc.preset = RouterPreset::lookahead;
  EXPECT_EQ(lone_packet_cycles(noc, 3, 10), 2u + 16 + 9);
  noc.preset = RouterPreset::spec;
  noc.link_latency_cycles = 3;
  EXPECT_EQ(lone_packet_cycles(noc, 3, 10), 2u + 12 + 9 + 6);
}

TEST(Traffic, AddsUpPerWay) {
  const HardwareSpec hardware = line_hardware(2);
  TrafficCounter counter(hardware);
  counter.packet(packet(0, 1, 5, 0, 128));
  counter.packet(packet(0, 1, 5, 0, 128, 10));
  counter.packet(packet(0, 1, 6, 0, 64, 20));
  counter.packet(packet(0, 1, 5, 0, 1));
  counter.packet(packet(0, 1, 5, 1, 128));
  counter.packet(packet(2, 1, 7, 0, 32));
  ObservedPacket grant = packet(1, 0, 5, 0, 0);
  grant.data = false;
  counter.packet(grant);
  const std::vector<TrafficRow> rows = counter.rows();
  ASSERT_EQ(rows.size(), 2u) << "grants carry no payload";
  EXPECT_EQ(rows[0].bytes, 128u * 3 + 64 + 1);
  EXPECT_EQ(rows[0].packets, 5u);
  EXPECT_EQ(rows[0].messages, 3u) << "transfer 5 in two periods, and transfer 6";
  EXPECT_EQ(rows[0].wait_cycles, 30u);
  EXPECT_EQ(rows[1].bytes, 32u);
  EXPECT_EQ(traffic_csv(hardware, rows),
            "source,destination,bytes,messages,packets,mean_wait_cycles\n"
            "\"chip0 pe 0,0\",\"chip0 pe 1,0\",449,3,5,6.00\n"
            "\"chip0 memory 0\",\"chip0 pe 1,0\",32,1,1,0.00\n");
}

TEST(Labels, NamePlacesAsPeopleDo) {
  HardwareSpec hardware = line_hardware(2);
  hardware.nocs[0].endpoints.push_back({EndpointKind::ethernet_port, RouterId(1), 0});
  EXPECT_EQ(pe_label(hardware, PeId(1)), "chip0 pe 1,0");
  EXPECT_EQ(endpoint_label(hardware, NocId(0), EndpointId(2)), "chip0 memory 0");
  EXPECT_EQ(endpoint_label(hardware, NocId(0), EndpointId(3)), "chip0 ethernet 0");
  EXPECT_EQ(link_label(hardware, NocId(0), 1), "1,0 > 0,0");
}

}  // namespace
}  // namespace dfsim
