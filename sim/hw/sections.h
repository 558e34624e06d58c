// sim/hw/sections.h: the sections of a hardware file, read one by one. Part of hardware_config.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/yaml.h"
#include "sim/hw/hardware_config.h"

namespace dfsim {

/// Whether the typed value was given, and where to report what is wrong with it.
struct NocSection {
  std::string topology = "mesh";
  std::vector<std::uint32_t> extent;
  NocSpec spec;  ///< graph and endpoints are filled when the chip is put together
  /// Where those are given or, if not, their section.
  std::optional<YamlValue> dims_at, vcs_at, routing_at;
  std::optional<YamlValue> faults;  ///< read once the grid is known
};

/// Memory ports of one NoC and the controller behind each.
struct MemorySection {
  std::optional<YamlValue> ports;  ///< read once the grid is known; none: no memory ports
  MemoryControllerSpec controller;
  std::optional<YamlValue> answer_at;  ///< answer_packet_bytes, if given
};

PeSpec read_pe(const YamlValue& pe);
/// `base` gives what is not said; for the template that is a default-constructed one.
NocSection read_noc(const YamlValue& noc, const NocSection& base);
MemorySection read_memory(const YamlValue& memory, const MemorySection& base, std::uint64_t noc_clock_ps,
                          const KnownParts& known);
/// Ports and links; the routers of the ports are filled in, their endpoints not. `nocs` has the graphs.
void read_ethernet(const YamlValue& ethernet, HardwareSpec& spec);
/// The host and, behind the memory ports, a bridge on every NoC; their endpoints are not filled in.
void read_host(const YamlValue& host, HardwareSpec& spec);

/// Takes the dead links of a `faults` value out of `graph`.
void read_faults(const YamlValue& faults, LinkGraph& graph);
/// Reports a routing that is unknown, does not fit the topology, or leaves routers cut off by the dead links.
/// False if it cannot be used.
bool check_routing(const NocSection& section, const LinkGraph& graph, const KnownRoutings& known);

/// Extent written as 8x8, [8, 8] or 8. Reports and gives nothing if it is not that or `topology` refuses it.
std::vector<std::uint32_t> read_extent(const YamlValue& value, const std::string& topology);
/// Routers of a `ports` value: {columns: [west, east], rows: [...]} or a list of coordinates; ascending resp.
/// as listed.
std::vector<RouterId> read_places(const YamlValue& ports, const LinkGraph& graph);
/// The router at coordinates [x, y] with numbers or names (west, center_east, ...), or at a number in one
/// dimension.
std::optional<RouterId> read_place(const YamlValue& place, const LinkGraph& graph);

}  // namespace dfsim
