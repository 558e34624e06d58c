// The section `noc`, and each item of `nocs` on top of it.
#include <fmt/format.h>

#include "sim/hw/sections.h"
#include "sim/hw/topology/topology.h"

namespace dfsim {
namespace {

std::uint32_t read_u32(const YamlValue& value, std::int64_t min, std::int64_t max, std::uint32_t fallback) {
  return static_cast<std::uint32_t>(value.integer(min, max, fallback));
}

void read_routing(const YamlValue& value, const std::string& topology, std::string& routing) {
  const std::vector<std::string> known = TopologyRegistry::instance().make(topology)->routings();
  const bool inherited_fits = std::find(known.begin(), known.end(), routing) != known.end();
  routing = value.string(inherited_fits ? routing : known.front());
  if (std::find(known.begin(), known.end(), routing) != known.end()) return;
  value.error(fmt::format("unknown routing '{}' for topology '{}'", routing, topology),
              fmt::format("known for {}: {}", topology, fmt::join(known, ", ")));
  routing = known.front();
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
  read_routing(noc["routing"], section.topology, spec.routing);
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

}  // namespace dfsim
