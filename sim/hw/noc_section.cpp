// The section `noc`, and each item of `nocs` on top of it.
#include <fmt/format.h>

#include <algorithm>

#include "sim/hw/sections.h"
#include "sim/hw/topology/topology.h"

namespace dfsim {
namespace {

std::uint32_t read_u32(const YamlValue& value, std::int64_t min, std::int64_t max, std::uint32_t fallback) {
  return static_cast<std::uint32_t>(value.integer(min, max, fallback));
}

/// The routings that can be used on the graph.
std::vector<std::string> fitting(const LinkGraph& graph, const KnownRoutings& known) {
  std::vector<std::string> names;
  for (const std::string& name : known.names)
    if (known.refuse(name, graph).empty()) names.push_back(name);
  return names;
}

}  // namespace

NocSection read_noc(const YamlValue& noc, const NocSection& base) {
  NocSection section = base;
  NocSpec& spec = section.spec;
  section.topology = noc["topology"].one_of(TopologyRegistry::instance().names(), base.topology);
  const YamlValue dims = noc["dims"];
  if (dims) section.dims_at = dims;
  // Another topology may refuse the template's extent, so it is asked as well.
  if (dims || (section.dims_at && section.topology != base.topology))
    section.extent = read_extent(*section.dims_at, section.topology);
  section.routing_at = noc["routing"] || !base.routing_at ? noc["routing"] : *base.routing_at;
  spec.routing = noc["routing"].string(spec.routing);
  if (const YamlValue faults = noc["faults"]) section.faults = faults;
  spec.router_model = noc["router_model"].choice<RouterModel>(
      {{"fast", RouterModel::fast}, {"textbook", RouterModel::textbook}}, spec.router_model);
  spec.preset = noc["preset"].choice<RouterPreset>({{"base", RouterPreset::base},
                                                    {"lookahead", RouterPreset::lookahead},
                                                    {"spec", RouterPreset::spec},
                                                    {"shallow", RouterPreset::shallow}},
                                                   spec.preset);
  spec.arbitration = noc["arbitration"].choice<SwitchArbitration>(
      {{"islip", SwitchArbitration::islip}, {"packet_hold", SwitchArbitration::packet_hold}},
      spec.arbitration);
  section.vcs_at = noc["virtual_channels"] || !base.vcs_at ? noc["virtual_channels"] : *base.vcs_at;
  spec.virtual_channels = read_u32(noc["virtual_channels"], 1, 32, spec.virtual_channels);
  spec.buffer_flits = read_u32(noc["buffer_flits"], 1, 1024, spec.buffer_flits);
  spec.link_latency_cycles = read_u32(noc["link_latency_cycles"], 1, 1000, spec.link_latency_cycles);
  spec.credit_latency_cycles = read_u32(noc["credit_latency_cycles"], 1, 1000, spec.credit_latency_cycles);
  spec.credit_processing_cycles =
      read_u32(noc["credit_processing_cycles"], 0, 100, spec.credit_processing_cycles);
  spec.link_width_bytes = read_u32(noc["link_width_bytes"], 1, 4096, spec.link_width_bytes);
  spec.max_packet_flits = read_u32(noc["max_packet_flits"], 1, 64, spec.max_packet_flits);
  return section;
}

void read_faults(const YamlValue& faults, LinkGraph& graph) {
  for (const YamlValue& fault : faults.items()) {
    const std::optional<RouterId> from = read_place(fault.require("from"), graph);
    const std::optional<RouterId> to = read_place(fault.require("to"), graph);
    const bool one_way = fault["one_way"].boolean(false);
    if (!from || !to) continue;
    const bool forth = remove_links(graph, *from, *to);
    const bool back = !one_way && remove_links(graph, *to, *from);
    if (!forth && !back)
      fault.error(
          fmt::format("{}: there is no link between these routers, or it is dead already", fault.path()),
          "a link joins neighbours: {from: [1, 1], to: [2, 1]}");
  }
}

bool check_routing(const NocSection& section, const LinkGraph& graph, const KnownRoutings& known) {
  if (known.names.empty()) return true;
  const std::string& routing = section.spec.routing;
  const LinkGraph whole = build_link_graph(section.topology, section.extent);
  const auto complain = [&](const YamlValue& where, const std::string& what, const LinkGraph& fit) {
    where.error(what,
                fmt::format("known for {}: {}", section.topology, fmt::join(fitting(fit, known), ", ")));
    return false;
  };
  if (std::find(known.names.begin(), known.names.end(), routing) == known.names.end())
    return complain(*section.routing_at,
                    fmt::format("unknown routing '{}' for topology '{}'", routing, section.topology), whole);
  if (const std::string reason = known.refuse(routing, whole); !reason.empty())
    return complain(*section.routing_at, fmt::format("routing '{}': {}", routing, reason), whole);
  if (const std::string reason = known.refuse(routing, graph); !reason.empty()) {
    const std::vector<std::string> others = fitting(graph, known);
    section.faults->error(fmt::format("{}: routing '{}': {}", section.faults->path(), routing, reason),
                          others.empty()
                              ? "no routing reaches every router without these links"
                              : fmt::format("routings that reach every router: {}", fmt::join(others, ", ")));
    return false;
  }
  return true;
}

}  // namespace dfsim
