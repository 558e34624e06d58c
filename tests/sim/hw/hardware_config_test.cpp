#include "sim/hw/hardware_config.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>

#include "sim/base/files.h"
#include "sim/noc/routing/routing.h"

namespace dfsim {
namespace {

const std::string kConfigs = std::string(DFSIM_SOURCE_DIR) + "/configs/";

std::vector<std::string> shipped() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kConfigs))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().string());
  return names;
}

KnownParts known_parts() {
  KnownParts known;
  known.routings.names = RoutingRegistry::instance().names();
  known.routings.refuse = [](const std::string& routing, const LinkGraph& graph) {
    return RoutingRegistry::instance().make(routing)->refuse(graph);
  };
  known.routings.classes = [](const std::string& routing, const LinkGraph& graph) {
    return RoutingRegistry::instance().make(routing)->routing_classes(graph);
  };
  return known;
}

/// All messages about `text`, as if it stood in configs/; "" if there is no mistake.
std::string mistakes(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  const auto config = load_hardware_text(text, kConfigs + "t.yaml", overrides, diagnostics, known_parts());
  EXPECT_EQ(config.has_value(), diagnostics.empty());
  try {
    diagnostics.throw_if_any<ConfigError>();
  } catch (const ConfigError& e) {
    for (const Diagnostic& d : e.diagnostics())
      EXPECT_TRUE(d.where.line > 0 || d.where.file.rfind("--set ", 0) == 0) << d.to_string();
    return e.what();
  }
  return {};
}

HardwareSpec spec_of(const std::string& text, const std::vector<std::string>& overrides = {}) {
  Diagnostics diagnostics;
  auto config = load_hardware_text(text, kConfigs + "t.yaml", overrides, diagnostics, known_parts());
  diagnostics.throw_if_any<ConfigError>();
  return config->spec;
}

const std::string kMesh = "extends: mesh8x8.yaml\n";

#define EXPECT_MISTAKE(part, ...)                                                                \
  do {                                                                                           \
    const std::string found = mistakes(__VA_ARGS__);                                             \
    EXPECT_NE(found.find(part), std::string::npos) << "expected: " << part << "\nin: " << found; \
  } while (false)

TEST(HardwareConfig, Mesh8x8IsWhatTheDocumentsSay) {
  const HardwareSpec spec = load_hardware(kConfigs + "mesh8x8.yaml");
  EXPECT_EQ(spec.name, "mesh8x8");
  EXPECT_EQ(spec.clock_period_ps, 1000u);
  EXPECT_EQ(spec.peak_macs_per_pe(), 1024u);
  EXPECT_EQ(spec.pe.matrix.dataflow, Dataflow::weight_stationary);
  EXPECT_EQ(spec.pe.matrix.folds, FoldMode::pipelined);
  EXPECT_EQ(spec.pe.vector.lanes, 64u);
  EXPECT_EQ(spec.pe.scratchpad.bytes, Bytes(1 << 20));
  EXPECT_EQ(spec.pe.scratchpad.banks, 16u);
  ASSERT_EQ(spec.nocs.size(), 1u);
  const NocSpec& noc = spec.nocs[0];
  EXPECT_EQ(noc.virtual_channels, 4u);
  EXPECT_EQ(noc.buffer_flits, 8u);
  EXPECT_EQ(noc.link_width_bytes, 32u);
  EXPECT_EQ(noc.max_packet_flits, 64u);
  EXPECT_EQ(noc.preset, RouterPreset::base);
  EXPECT_EQ(noc.arbitration, SwitchArbitration::packet_hold);
  EXPECT_EQ(spec.pes.size(), 64u);
  ASSERT_EQ(spec.memory.size(), 16u);
  EXPECT_EQ(spec.peak_dram_bytes_per_cycle(), 256.0);
  for (const MemoryPortSpec& port : spec.memory) {
    const std::uint32_t x = noc.graph.coordinates(port.router)[0];
    EXPECT_TRUE(x == 0 || x == 7);
    EXPECT_EQ(port.controller.device.capacity(), Bytes(1ull << 30));
  }
}

TEST(HardwareConfig, EndpointsAreInDocumentedOrder) {
  const HardwareSpec spec = load_hardware(kConfigs + "two_nocs_8x8.yaml");
  ASSERT_EQ(spec.nocs.size(), 2u);
  EXPECT_EQ(spec.pes.size(), 128u);
  EXPECT_EQ(spec.memory.size(), 32u);
  EXPECT_EQ(spec.ethernet_ports.size(), 4u);
  EXPECT_EQ(spec.ethernet_links.size(), 2u);
  for (std::uint32_t n = 0; n < 2; ++n) {
    const std::vector<EndpointSpec>& endpoints = spec.nocs[n].endpoints;
    ASSERT_EQ(endpoints.size(), 64u + 16 + 2);
    for (std::uint32_t i = 0; i < 64; ++i)
      EXPECT_EQ(endpoints[i], (EndpointSpec{EndpointKind::pe, RouterId(i), n * 64 + i}));
    for (std::uint32_t i = 0; i < 16; ++i) {
      EXPECT_EQ(endpoints[64 + i].kind, EndpointKind::memory_port);
      EXPECT_EQ(endpoints[64 + i].index, n * 16 + i);
    }
    EXPECT_EQ(endpoints[80].kind, EndpointKind::ethernet_port);
    EXPECT_EQ(endpoints[80].index, 2 * n);
  }
  for (std::uint32_t id = 0; id < spec.pes.size(); ++id) {
    const PePlace& place = spec.pes[id];
    EXPECT_EQ(spec.nocs[place.noc.value()].endpoints[place.endpoint.value()].index, id);
  }
  for (const MemoryPortSpec& port : spec.memory)
    EXPECT_EQ(spec.nocs[port.noc.value()].endpoints[port.endpoint.value()].router, port.router);
  EXPECT_EQ(spec.ethernet_links[1].port_a, 1u);
  EXPECT_EQ(spec.ethernet_links[1].port_b, 3u);
  EXPECT_EQ(spec.ethernet_links[1].rate_gbps, 100.0);
}

TEST(HardwareConfig, ShippedFilesLoadAndTheirResolvedTextGivesAnEqualSpec) {
  ASSERT_GE(shipped().size(), 6u);
  for (const std::string& path : shipped()) {
    SCOPED_TRACE(path);
    Diagnostics diagnostics;
    const auto config = load_hardware_config(path, {}, diagnostics);
    diagnostics.throw_if_any<ConfigError>();
    ASSERT_TRUE(config);
    EXPECT_EQ(config->spec.name, std::filesystem::path(path).stem().string());
    const auto again =
        load_hardware_text(config->resolved_text, "/nowhere/config.resolved.yaml", {}, diagnostics);
    diagnostics.throw_if_any<ConfigError>();
    EXPECT_EQ(again->spec, config->spec);
    EXPECT_EQ(again->resolved_text, config->resolved_text);
    EXPECT_EQ(again->spec.fingerprint(), config->spec.fingerprint());
  }
}

TEST(HardwareConfig, SmallestFileResolvesToAnEqualSpec) {
  Diagnostics diagnostics;
  const auto config = load_hardware_text("noc: {dims: 3}\n", "tiny.yaml", {}, diagnostics);
  ASSERT_TRUE(config);
  EXPECT_EQ(config->spec.name, "tiny");
  EXPECT_EQ(config->spec.pes.size(), 3u);
  EXPECT_NE(config->resolved_text.find("link_latency_cycles: 1"), std::string::npos);
  const auto again = load_hardware_text(config->resolved_text, "other.yaml", {}, diagnostics);
  ASSERT_TRUE(again);
  EXPECT_EQ(again->spec, config->spec);
}

TEST(HardwareConfig, OverridesChangeEveryKindOfValue) {
  const HardwareSpec spec =
      spec_of(kMesh, {"noc.dims=4x4", "noc.link_latency_cycles=20", "pe.scratchpad_banks=8",
                      "pe.scratchpad_bytes=524288", "memory.device.timing.CL=20",
                      "pe.vector.cycles_per_group.gelu=9.5", "energy.picojoules.link_flit=1"});
  EXPECT_EQ(spec.pes.size(), 16u);
  EXPECT_EQ(spec.memory.size(), 8u);
  EXPECT_EQ(spec.nocs[0].link_latency_cycles, 20u);
  EXPECT_EQ(spec.pe.scratchpad.banks, 8u);
  EXPECT_EQ(spec.pe.scratchpad.bytes, Bytes(524288));
  EXPECT_EQ(spec.memory[0].controller.device.timing.at("CL"), 20u);
  EXPECT_EQ(spec.pe.vector.cycles_per_group.at("gelu"), 9.5);
  EXPECT_EQ(spec.energy.picojoules.at("link_flit"), 1.0);
  const HardwareSpec ideal = spec_of(kMesh, {"memory.device=memory/ideal.yaml", "noc.dims=[3, 5]"});
  EXPECT_TRUE(ideal.memory[0].controller.device.ideal);
  EXPECT_EQ(ideal.memory.size(), 10u);
  EXPECT_EQ(ideal.peak_dram_bytes_per_cycle(), 160.0);
}

TEST(HardwareConfig, PortsFollowTheExtent) {
  EXPECT_EQ(spec_of(kMesh, {"noc.dims=1x4"}).memory.size(), 4u);  // west is east
  const HardwareSpec list =
      spec_of(kMesh + "memory: {ports: [[east, north], [0, 3], [center_west, center_south]]}\n");
  ASSERT_EQ(list.memory.size(), 3u);
  EXPECT_EQ(list.memory[0].router, RouterId(63));
  EXPECT_EQ(list.memory[1].router, RouterId(24));
  EXPECT_EQ(list.memory[2].router, RouterId(3 * 8 + 3));
  EXPECT_EQ(spec_of(kMesh + "memory: {ports: {rows: [south], columns: [2]}}\n").memory.size(), 15u);
  EXPECT_EQ(spec_of(kMesh + "noc: {topology: ring, dims: 5}\nmemory: {ports: [0, [4]]}\n").memory.size(), 2u);
  EXPECT_EQ(spec_of(kMesh + "noc: {dims: 2x2x2}\nmemory: {ports: [[0, 1, top]]}\n").memory[0].router,
            RouterId(6));
}

TEST(HardwareConfig, NocsOverrideTheTemplate) {
  const HardwareSpec spec = spec_of(
      kMesh +
      "nocs:\n  - {}\n  - {dims: 4x4, link_latency_cycles: 3, memory: {ports: [[0, 0]], read_queue: 8}}\n"
      "  - {topology: torus, memory: {device: memory/ideal.yaml}}\n");
  ASSERT_EQ(spec.nocs.size(), 3u);
  EXPECT_EQ(spec.pes.size(), 64u + 16 + 64);
  EXPECT_EQ(spec.nocs[1].link_latency_cycles, 3u);
  EXPECT_EQ(spec.nocs[2].link_latency_cycles, 1u);
  EXPECT_EQ(spec.nocs[2].graph.topology, "torus");
  EXPECT_EQ(spec.memory.size(), 16u + 1 + 16);
  EXPECT_EQ(spec.memory[16].controller.read_queue, 8u);
  EXPECT_TRUE(spec.memory[17].controller.device.ideal);
  EXPECT_EQ(spec_of(kMesh, {"chips=3"}).nocs.size(), 3u);
}

TEST(HardwareConfig, AnswersFitIntoAPacket) {
  EXPECT_EQ(spec_of(kMesh, {"noc.link_width_bytes=16"}).memory[0].controller.answer_packet_bytes, 1024u);
  EXPECT_MISTAKE("4096 bytes do not fit into a packet of 64 flits of 32 bytes", kMesh,
                 {"memory.answer_packet_bytes=4096"});
}

TEST(HardwareConfig, ReportsUnknownKeysAndWrongTypes) {
  EXPECT_MISTAKE(
      "t.yaml:2:7: error: unknown key 'virtual_chanels' in 'noc'\n  did you mean 'virtual_channels'?",
      kMesh + "noc: {virtual_chanels: 4}\n");
  EXPECT_MISTAKE("--set noc.dim: error: unknown key 'dim' in 'noc'\n  did you mean 'dims'?", kMesh,
                 {"noc.dim=4x4"});
  EXPECT_MISTAKE("t.yaml:2:24: error: pe.scratchpad_bytes: expected an integer from 1",
                 kMesh + "pe: {scratchpad_bytes: 1 MiB}\n");
  EXPECT_MISTAKE("expected a mapping, found 'fast'", kMesh + "noc: fast\n");
}

TEST(HardwareConfig, ReportsMissingFilesAndSections) {
  Diagnostics diagnostics;
  EXPECT_FALSE(load_hardware_config(kConfigs + "none.yaml", {}, diagnostics));
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].where.line, 1);
  EXPECT_THROW(load_hardware(kConfigs + "none.yaml"), ConfigError);
  EXPECT_MISTAKE("t.yaml:1:10: error: cannot read", "extends: gone.yaml\n");
  EXPECT_MISTAKE("missing key 'noc'", "name: x\n");
  EXPECT_MISTAKE("missing key 'dims' in 'noc'", "noc: {topology: mesh}\n");
  EXPECT_MISTAKE("missing key 'device' in 'memory'", "noc: {dims: 2}\nmemory: {ports: [0]}\n");
  EXPECT_MISTAKE("missing key 'timing' in 'memory.device'",
                 "noc: {dims: 2}\nmemory: {ports: [0], device: {name: x}}\n");
}

TEST(HardwareConfig, RefusesImpossibleGrids) {
  EXPECT_MISTAKE("noc.dims = 0x8: a dimension of 0 routers leaves no PE", kMesh, {"noc.dims=0x8"});
  EXPECT_MISTAKE("more than 65536 routers", kMesh, {"noc.dims=100000x10000"});
  EXPECT_MISTAKE("more than 65536 PEs in all", kMesh, {"noc.dims=256x256", "chips=2"});
  EXPECT_MISTAKE("expected the routers per dimension", kMesh, {"noc.dims=8y8"});
  EXPECT_MISTAKE("expected the routers per dimension", kMesh, {"noc.dims=-8x8"});
  EXPECT_MISTAKE("expected the routers per dimension", kMesh, {"noc.dims=99999999999x8"});
  EXPECT_MISTAKE("found 4", kMesh, {"noc.dims=[2, 2, 2, 2]"});
  EXPECT_MISTAKE("a ring has one dimension", kMesh, {"noc.topology=ring"});
  EXPECT_MISTAKE("noc.topology: unknown value 'mehs'\n  did you mean 'mesh'? known: mesh, ring, torus", kMesh,
                 {"noc.topology=mehs"});
  EXPECT_MISTAKE(
      "unknown routing 'xyz' for topology 'mesh'\n  known for mesh: o1turn, odd_even, up_down, west_first, "
      "xy, "
      "yx",
      kMesh, {"noc.routing=xyz"});
  EXPECT_MISTAKE(
      "routing 'odd_even': its turns are those of a mesh of at most two dimensions\n  known for torus: "
      "o1turn, up_down, xy, yx",
      "extends: torus8x8.yaml\nnoc: {virtual_channels: 8}\n", {"noc.routing=odd_even"});
  EXPECT_MISTAKE("pe.matrix.rows: expected an integer from 1", kMesh, {"pe.matrix.rows=0"});
}

TEST(HardwareConfig, RefusesTooFewVirtualChannelsAndNamesTheNumber) {
  EXPECT_MISTAKE("NoC 0: 1 virtual channels are too few: 2 message classes x 1 routing class need 2", kMesh,
                 {"noc.virtual_channels=1"});
  EXPECT_MISTAKE("3 virtual channels are too few: 2 message classes x 2 routing classes need 4",
                 "extends: torus8x8.yaml\nnoc: {virtual_channels: 3}\n");
  EXPECT_MISTAKE("2 virtual channels are too few: 3 message classes x 1 routing class need 3",
                 "extends: two_nocs_8x8.yaml\n", {"noc.virtual_channels=2"});
  EXPECT_EQ(mistakes(kMesh, {"noc.virtual_channels=2"}), "");
}

TEST(HardwareConfig, O1TurnNeedsVirtualChannelsForBothOrders) {
  EXPECT_MISTAKE("3 virtual channels are too few: 2 message classes x 2 routing classes need 4", kMesh,
                 {"noc.routing=o1turn", "noc.virtual_channels=3"});
  EXPECT_MISTAKE("4 virtual channels are too few: 2 message classes x 4 routing classes need 8",
                 "extends: torus8x8.yaml\n", {"noc.routing=o1turn"});
  EXPECT_EQ(mistakes(kMesh, {"noc.routing=o1turn"}), "");
}

TEST(HardwareConfig, DeadLinksAreRoutedAroundOrRefused) {
  const std::string dead = "noc:\n  faults:\n    - {from: [2, 1], to: [2, 2]}\n";
  const HardwareSpec spec = spec_of(kMesh + dead, {"noc.routing=west_first"});
  EXPECT_EQ(spec.nocs[0].graph.links.size(), spec_of(kMesh).nocs[0].graph.links.size() - 2);
  EXPECT_NE(spec.fingerprint(), spec_of(kMesh, {"noc.routing=west_first"}).fingerprint());
  EXPECT_MISTAKE(
      "noc.faults: routing 'xy': dimension order has one way between two routers, and its link from (2,1) "
      "to (2,2) is dead\n  routings that reach every router: odd_even, up_down, west_first",
      kMesh + dead);
  const std::string west = "noc:\n  faults: [{from: [3, 1], to: [2, 1], one_way: true}]\n";
  EXPECT_MISTAKE(
      "routing 'west_first': its legal turns leave no way from (3,1) to (0,0) around the dead links",
      kMesh + west, {"noc.routing=west_first"});
  EXPECT_EQ(mistakes(kMesh + west, {"noc.routing=up_down"}), "");
  EXPECT_MISTAKE("there is no link between these routers",
                 kMesh + "noc:\n  faults: [{from: [0, 0], to: [2, 0]}]\n");
  EXPECT_MISTAKE("is outside the grid", kMesh + "noc:\n  faults: [{from: [0, 0], to: [9, 0]}]\n");
  EXPECT_MISTAKE("to", kMesh + "noc:\n  faults: [{from: [0, 0]}]\n");
  EXPECT_MISTAKE("no routing reaches every router without these links",
                 kMesh +
                     "noc:\n  faults: [{from: [0, 0], "
                     "to: [1, 0]}, {from: [0, 0], to: [0, 1]}]\n");
}

TEST(HardwareConfig, RefusesPortsOutsideTheGrid) {
  EXPECT_MISTAKE("x = 8 is outside the grid of 8x8 routers", kMesh + "memory: {ports: [[8, 0]]}\n");
  EXPECT_MISTAKE("unknown position 'wset' along x\n  did you mean 'west'?",
                 kMesh + "memory: {ports: {columns: [wset]}}\n");
  EXPECT_MISTAKE("expected 2 coordinates for a mesh of 2 dimensions",
                 kMesh + "memory: {ports: [[1, 2, 3]]}\n");
  EXPECT_MISTAKE("a port is at this router already", kMesh + "memory: {ports: [[0, 0], [west, south]]}\n");
  EXPECT_MISTAKE("columns and rows mean nothing on a ring", kMesh, {"noc={topology: ring, dims: 8}"});
}

TEST(HardwareConfig, RefusesBadEthernet) {
  const std::string two = "extends: two_nocs_8x8.yaml\n";
  EXPECT_MISTAKE(
      "--set ethernet.links[1].ports[0]: error: ethernet.links[1].ports[0]: there is no Ethernet port 7", two,
      {"ethernet.links[1].ports[0]=7"});
  EXPECT_MISTAKE("Ethernet port 2 has a link already", two, {"ethernet.links[1].ports=[1, 2]"});
  EXPECT_MISTAKE("there is no NoC 5", two, {"ethernet.ports[0].noc=5"});
  EXPECT_MISTAKE("a link joins two ports, found 3", two, {"ethernet.links[0].ports=[0, 2, 1]"});
  EXPECT_MISTAKE("missing key 'at'", two + "ethernet: {ports: [{noc: 0}]}\n");
  EXPECT_MISTAKE("ethernet.rate_gbps: expected a number", two, {"ethernet.rate_gbps=-1"});
  EXPECT_MISTAKE("chips = 2, but 'nocs' lists 3", two + "nocs: [{}, {}, {}]\n");
}

TEST(HardwareConfig, BuildsATopologyOverAllChips) {
  const std::string base = "extends: mesh4x4.yaml\nchips: 4\nethernet:\n  at: [[0, 0], [3, 3]]\n";
  const HardwareSpec ring = spec_of(base + "  topology: ring\n  bundle: 2\n");
  EXPECT_EQ(ring.ethernet_ports.size(), 16u);
  EXPECT_EQ(ring.ethernet_links.size(), 8u);
  // The four ports of a chip take the two routers in turn, and every port has one link.
  std::map<std::uint32_t, std::map<std::uint32_t, int>> routers;
  std::vector<int> used(16, 0);
  for (const EthernetPortSpec& port : ring.ethernet_ports) ++routers[port.noc.value()][port.router.value()];
  for (const auto& [chip, at] : routers)
    EXPECT_EQ(at, (std::map<std::uint32_t, int>{{0, 2}, {15, 2}})) << chip;
  for (const EthernetLinkSpec& link : ring.ethernet_links) {
    ++used[link.port_a];
    ++used[link.port_b];
  }
  EXPECT_EQ(used, std::vector<int>(16, 1));
  const HardwareSpec mesh = spec_of(base + "  topology: full_mesh\n");
  EXPECT_EQ(mesh.ethernet_links.size(), 6u);
  const HardwareSpec star =
      spec_of(base + "  topology: switch\n  switch: {forwarding: cut_through, latency_ns: 250}\n");
  EXPECT_EQ(star.ethernet_links.size(), 4u);
  ASSERT_EQ(star.ethernet_switches.size(), 1u);
  EXPECT_EQ(star.ethernet_switches[0].forwarding, SwitchForwarding::cut_through);
  EXPECT_EQ(star.ethernet_switches[0].latency_ns, 250u);
  for (const EthernetLinkSpec& link : star.ethernet_links) EXPECT_EQ(link.to_switch, 0u);
}

TEST(HardwareConfig, ReadsSwitchesThatAreWrittenOut) {
  const HardwareSpec spec = spec_of(
      "extends: mesh2x2.yaml\nchips: 3\nethernet:\n  ports: [{noc: 0, at: [0, 0]}, {noc: 1, at: [0, 0]}, "
      "{noc: 2, at: [1, 1]}]\n"
      "  switches: [{latency_ns: 100}]\n  links: [{port: 0, switch: 0}, {port: 1, switch: 0}, {port: 2, "
      "switch: 0, rate_gbps: 200}]\n");
  ASSERT_EQ(spec.ethernet_links.size(), 3u);
  EXPECT_EQ(spec.ethernet_links[2].port_a, 2u);
  EXPECT_EQ(spec.ethernet_links[2].to_switch, 0u);
  EXPECT_EQ(spec.ethernet_links[2].rate_gbps, 200.0);
  EXPECT_EQ(spec.ethernet_switches[0].forwarding, SwitchForwarding::store_and_forward);
}

TEST(HardwareConfig, RefusesBadTopologies) {
  const std::string base = "extends: mesh4x4.yaml\nchips: 4\nethernet:\n  at: [[0, 0]]\n";
  EXPECT_MISTAKE("unknown value 'rnig'", base + "  topology: rnig\n");
  EXPECT_MISTAKE("ethernet: 'links' beside a topology", base + "  topology: ring\n  links: []\n");
  EXPECT_MISTAKE("a topology joins two or more chips",
                 "extends: mesh4x4.yaml\nethernet: {topology: ring, at: [[0, 0]]}\n");
  EXPECT_MISTAKE("missing key 'at'", "extends: mesh4x4.yaml\nchips: 2\nethernet: {topology: ring}\n");
  EXPECT_MISTAKE("is outside the grid", base + "  topology: ring\n", {"ethernet.at=[[9, 9]]"});
  EXPECT_MISTAKE("resume_bytes 4096 of port 0 is too small: parts of 2 packets of 2048 bytes may wait",
                 base + "  topology: ring\n  resume_bytes: 4096\n");
  EXPECT_MISTAKE("resume_bytes 6000 of port 0 is too small: parts of 3 packets of 2048 bytes may wait",
                 base + "  topology: switch\n  resume_bytes: 6000\n");
  EXPECT_MISTAKE("resume_bytes 70000 lies above pause_bytes 65536",
                 base + "  topology: ring\n  resume_bytes: 70000\n");
  EXPECT_MISTAKE(
      "there is no Ethernet switch 1",
      "extends: mesh2x2.yaml\nchips: 2\nethernet:\n  ports: [{noc: 0, at: [0, 0]}]\n  switches: [{}]\n"
      "  links: [{port: 0, switch: 1}]\n");
}

TEST(HardwareConfig, PutsAHostBehindABridgeOnEveryChip) {
  const HardwareSpec spec = load_hardware(kConfigs + "four_chips_ring.yaml");
  ASSERT_TRUE(spec.host);
  EXPECT_TRUE(spec.host->inputs && spec.host->outputs);
  std::uint32_t bridges = 0;
  for (std::uint32_t p = 0; p < spec.memory.size(); ++p) {
    const MemoryPortSpec& port = spec.memory[p];
    if (!port.host_bus) continue;
    EXPECT_EQ(port.noc, NocId(bridges++)) << "bridges come last, chip by chip";
    const EndpointSpec& endpoint = spec.nocs[port.noc.value()].endpoints[port.endpoint.value()];
    EXPECT_EQ(endpoint.kind, EndpointKind::host_bridge);
    EXPECT_EQ(endpoint.index, p);
  }
  EXPECT_EQ(bridges, 4u);
  const HardwareSpec without = load_hardware(kConfigs + "four_chips_switch.yaml");
  EXPECT_EQ(spec.peak_dram_bytes_per_cycle(), without.peak_dram_bytes_per_cycle());
  EXPECT_MISTAKE("missing key 'bridge'", kMesh + "host: {rate_gb_s: 10}\n");
  EXPECT_MISTAKE("is outside the grid", kMesh + "host: {bridge: [8, 0]}\n");
  EXPECT_MISTAKE("host.rate_gb_s: expected a number", kMesh + "host: {bridge: [0, 0], rate_gb_s: 0}\n");
}

// Every device file with a timing table can be the memory of a chip.
TEST(HardwareConfig, TakesEveryDeviceFileAsTheMemoryOfAChip) {
  std::size_t files = 0;
  for (const char* folder : {"memory/dramsim3", "memory/ramulator2"})
    for (const auto& entry : std::filesystem::directory_iterator(kConfigs + folder)) {
      const std::string file = folder + ("/" + entry.path().filename().string());
      EXPECT_EQ(mistakes(kMesh, {"memory.device=" + file, "memory.channels=2",
                                 "memory.channel_interleave_bytes=512"}),
                "")
          << file;
      ++files;
    }
  EXPECT_GE(files, 18u);
}

TEST(HardwareConfig, RefusesBadChannelsAndRefresh) {
  EXPECT_MISTAKE("blocks of 48 bytes in each channel are not a whole number of bursts of 32 bytes", kMesh,
                 {"memory.channels=2", "memory.channel_interleave_bytes=48"});
  EXPECT_MISTAKE("per-bank refresh, but 'DDR4_2400' has no timing parameter 'RFCPB'", kMesh,
                 {"memory.device=memory/ramulator2/DDR4_2400.yaml", "memory.refresh=per_bank"});
  EXPECT_MISTAKE("memory.refresh: unknown value 'per_bnak'", kMesh, {"memory.refresh=per_bnak"});
  EXPECT_EQ(mistakes(kMesh, {"memory.refresh=per_bank", "memory.device.timing.CCD_L_WR=5"}), "");
}

TEST(HardwareConfig, RefusesBadMemory) {
  EXPECT_MISTAKE("timing parameter 'CL' is missing",
                 "noc: {dims: 2}\nmemory: {ports: [0], device: {name: x, timing: {BL: 2}}}\n");
  EXPECT_MISTAKE("unknown key 'CLL' in 'memory.device.timing'\n  did you mean 'CL'?", kMesh,
                 {"memory.device.timing.CLL=3"});
  EXPECT_MISTAKE("not a whole number of bursts", kMesh, {"memory.device.burst_bytes=48"});
  EXPECT_MISTAKE("longer than the refresh interval", kMesh, {"memory.device.timing.RFC=4000"});
  EXPECT_MISTAKE("expected a device file such as memory/hbm2.yaml", kMesh, {"memory.device=hbm9"});
  EXPECT_MISTAKE("cannot read", kMesh, {"memory.device=memory/hbm9.yaml"});
  EXPECT_MISTAKE("write_low_watermark 0.9 lies above write_high_watermark 0.8", kMesh,
                 {"memory.write_low_watermark=0.9"});
  Diagnostics diagnostics;
  KnownParts known;
  known.schedulers = {"fr_fcfs", "fifo"};
  load_hardware_text(kMesh, kConfigs + "t.yaml", {"memory.scheduler=fr_fcsf"}, diagnostics, known);
  ASSERT_EQ(diagnostics.list().size(), 1u);
  EXPECT_EQ(diagnostics.list()[0].to_string(),
            "--set memory.scheduler: error: memory.scheduler: unknown value 'fr_fcsf'\n  did you mean "
            "'fr_fcfs'? known: "
            "fr_fcfs, fifo");
}

TEST(HardwareConfig, ReportsAllMistakesAtOnce) {
  Diagnostics diagnostics;
  load_hardware_text(
      kMesh + "noc:\n  dims: 0x4\n  preset: bse\npe: {scratchpad_banks: none}\nchips: 0\nextra: 1\n",
      kConfigs + "t.yaml", {"memory.read_queue=x"}, diagnostics);
  EXPECT_EQ(diagnostics.list().size(), 6u);
}

TEST(HardwareConfig, FingerprintChangesWithWhatCanMoveAMeasurement) {
  const HardwareSpec base = spec_of(kMesh);
  for (const char* change :
       {"clock_period_ps=900", "pe.matrix.rows=16", "pe.matrix.cycles_per_step.int8=0.5",
        "pe.vector.lanes=32", "pe.vector.cycles_per_group.add=2", "pe.scratchpad_banks=8",
        "pe.dma.channels=2", "noc.dims=8x7", "noc.topology=torus", "noc.preset=shallow",
        "noc.arbitration=islip", "noc.virtual_channels=6", "noc.credit_processing_cycles=2",
        "memory.ports=[[0, 0]]", "memory.device.timing.RP=15", "memory.read_queue=8",
        "memory.page_policy=closed", "energy.picojoules.link_flit=2", "chips=2"})
    EXPECT_NE(spec_of(kMesh, {change}).fingerprint(), base.fingerprint()) << change;
  EXPECT_EQ(spec_of(kMesh, {"name=other", "cost.per_cycle=3"}).fingerprint(), base.fingerprint());
}

}  // namespace
}  // namespace dfsim
