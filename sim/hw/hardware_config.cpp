#include "sim/hw/hardware_config.h"

#include <fmt/format.h>

#include <filesystem>

#include "sim/hw/sections.h"
#include "sim/hw/topology/topology.h"

namespace dfsim {
namespace {

constexpr std::uint64_t kMaxPes = 65'536;  // over all NoCs
constexpr std::int64_t kMaxNocs = 64;
constexpr std::uint32_t kMaxLocalPorts = 8;  // endpoints of one router

YamlOptions options_for(const std::vector<std::string>& overrides) {
  YamlOptions options;
  options.overrides = overrides;
  options.file_paths = {
      "energy", "memory",   "memory.device", "nocs[*].memory", "nocs[*].memory.device", "pe",
      "noc",    "ethernet", "host"};
  return options;
}

/// Reads one document; everything is checked, also after a mistake, so that one run reports them all.
class Builder {
 public:
  Builder(const YamlDocument& document, Diagnostics& diagnostics, const KnownParts& known)
      : root_(document.root()), file_(document.files().front()), diagnostics_(diagnostics), known_(known) {}

  HardwareSpec build() {
    spec_.name = root_["name"].string(std::filesystem::path(file_).stem().string());
    spec_.clock_period_ps = static_cast<std::uint64_t>(
        root_["clock_period_ps"].integer(1, 1'000'000, static_cast<std::int64_t>(spec_.clock_period_ps)));
    spec_.pe = read_pe(root_["pe"]);
    read_nocs();
    read_energy_and_cost();
    root_["server"].accept_all();  // processors around this chip: sim/host reads them
    const bool grids = std::all_of(sections_.begin(), sections_.end(),
                                   [](const NocSection& section) { return !section.extent.empty(); });
    if (!grids) {  // places cannot be judged without a grid, but are not unknown either
      root_["ethernet"].accept_all();
      root_["host"].accept_all();
      for (const NocSection& section : sections_)
        if (section.faults) section.faults->accept_all();
      for (const MemorySection& memory : memories_)
        if (memory.ports) memory.ports->accept_all();
      return std::move(spec_);
    }
    build_graphs();
    place_pes();
    for (std::size_t i = 0; i < sections_.size(); ++i) place_memory(i);
    place_ethernet();
    place_host();
    for (std::size_t n = 0; n < sections_.size(); ++n)
      if (check_routing(sections_[n], spec_.nocs[n].graph, known_.routings)) check_virtual_channels(n);
    check_local_ports();
    return std::move(spec_);
  }

 private:
  void read_nocs() {
    const YamlValue noc = root_.require("noc");
    const NocSection base = read_noc(noc, {});
    if (noc.is_mapping()) noc.require("dims");
    const MemorySection memory = read_memory(root_["memory"], MemorySection{}, spec_.clock_period_ps, known_);
    const YamlValue list = root_["nocs"], chips = root_["chips"];
    std::size_t count = 1;
    if (chips) count = static_cast<std::size_t>(chips.integer(1, kMaxNocs, 1));
    const std::vector<YamlValue> items = list.items();
    if (list.is_list() && (items.empty() || items.size() > static_cast<std::size_t>(kMaxNocs)))
      list.error(fmt::format("nocs: expected 1 to {} NoCs, found {}", kMaxNocs, items.size()));
    if (list && chips && items.size() != count)
      chips.error(fmt::format("chips = {}, but 'nocs' lists {}", count, items.size()),
                  "leave one of the two out");
    if (!items.empty()) count = items.size();
    for (std::size_t i = 0; i < count && i < static_cast<std::size_t>(kMaxNocs); ++i) {
      const bool own = i < items.size() && !items[i].is_null();
      sections_.push_back(own ? read_noc(items[i].quiet(), base) : base);
      memories_.push_back(own ? read_memory(items[i].quiet()["memory"], memory, spec_.clock_period_ps, known_)
                              : memory);
    }
  }

  void build_graphs() {
    std::uint64_t pes = 0;
    for (NocSection& section : sections_) {
      std::uint64_t routers = 1;
      for (const std::uint32_t size : section.extent) routers *= size;
      pes += routers;
      if (pes > kMaxPes) {
        section.dims_at->error(fmt::format("more than {} PEs in all", kMaxPes));
        section.extent = {1};  // go on small
      }
      section.spec.graph = build_link_graph(section.topology, section.extent);
      if (section.faults) read_faults(*section.faults, section.spec.graph);
      spec_.nocs.push_back(section.spec);
    }
  }

  EndpointId add_endpoint(NocId noc, EndpointKind kind, RouterId router, std::size_t index) {
    std::vector<EndpointSpec>& endpoints = spec_.nocs[noc.value()].endpoints;
    endpoints.push_back({kind, router, static_cast<std::uint32_t>(index)});
    return EndpointId(static_cast<std::uint32_t>(endpoints.size() - 1));
  }

  void place_pes() {
    for (std::uint32_t n = 0; n < spec_.nocs.size(); ++n) {
      const LinkGraph& graph = spec_.nocs[n].graph;
      for (std::uint32_t id = 0; id < graph.router_count(); ++id) {
        const auto [x, y, z] = graph.coordinates(RouterId(id));
        const EndpointId endpoint = add_endpoint(NocId(n), EndpointKind::pe, RouterId(id), spec_.pes.size());
        spec_.pes.push_back({NocId(n), RouterId(id), endpoint, x, y, z});
      }
    }
  }

  void place_memory(std::size_t n) {
    const MemorySection& memory = memories_[n];
    if (!memory.ports) return;
    const NocSpec& noc = spec_.nocs[n];
    MemoryControllerSpec controller = memory.controller;
    const std::uint32_t most = noc.max_packet_flits * noc.link_width_bytes;
    if (!memory.answer_at)
      controller.answer_packet_bytes = std::min(controller.answer_packet_bytes, most);
    else if (controller.answer_packet_bytes > most)
      memory.answer_at->error(fmt::format("{} = {} bytes do not fit into a packet of {} flits of {} bytes",
                                          memory.answer_at->path(), controller.answer_packet_bytes,
                                          noc.max_packet_flits, noc.link_width_bytes),
                              fmt::format("at most {}", most));
    const NocId id(static_cast<std::uint32_t>(n));
    for (const RouterId router : read_places(*memory.ports, noc.graph)) {
      const EndpointId endpoint = add_endpoint(id, EndpointKind::memory_port, router, spec_.memory.size());
      spec_.memory.push_back({id, router, endpoint, controller});
    }
  }

  void place_ethernet() {
    read_ethernet(root_["ethernet"], spec_);
    for (std::size_t i = 0; i < spec_.ethernet_ports.size(); ++i) {
      EthernetPortSpec& port = spec_.ethernet_ports[i];
      port.endpoint = add_endpoint(port.noc, EndpointKind::ethernet_port, port.router, i);
    }
  }

  void place_host() {
    const std::size_t first = spec_.memory.size();
    read_host(root_["host"], spec_);
    for (std::size_t i = first; i < spec_.memory.size(); ++i) {
      MemoryPortSpec& port = spec_.memory[i];
      port.endpoint = add_endpoint(port.noc, EndpointKind::host_bridge, port.router, i);
    }
  }

  /// Message classes (to memory, always sinkable, and outbound towards Ethernet ports) times the groups that
  /// the routing needs against deadlock.
  void check_virtual_channels(std::size_t n) {
    if (known_.routings.names.empty()) return;
    const NocSpec& noc = spec_.nocs[n];
    const bool ethernet = std::any_of(
        noc.endpoints.begin(), noc.endpoints.end(),
        [](const EndpointSpec& endpoint) { return endpoint.kind == EndpointKind::ethernet_port; });
    const std::uint32_t classes = ethernet ? 3 : 2;
    const std::uint32_t groups = known_.routings.classes(noc.routing, noc.graph);
    if (noc.virtual_channels >= classes * groups) return;
    sections_[n].vcs_at->error(
        fmt::format(
            "NoC {}: {} virtual channels are too few: {} message classes x {} routing class{} need {}", n,
            noc.virtual_channels, classes, groups, groups == 1 ? "" : "es", classes * groups),
        fmt::format("virtual_channels: {}", classes * groups));
  }

  void check_local_ports() {
    for (std::size_t n = 0; n < spec_.nocs.size(); ++n) {
      std::vector<std::uint32_t> ports(spec_.nocs[n].graph.router_count(), 0);
      for (const EndpointSpec& endpoint : spec_.nocs[n].endpoints)
        if (++ports[endpoint.router.value()] == kMaxLocalPorts + 1)
          root_["ethernet"].error(fmt::format("NoC {}: router {} has more than {} endpoints", n,
                                              endpoint.router.value(), kMaxLocalPorts));
    }
  }

  void read_energy_and_cost() {
    for (const YamlNamedValue& event : root_["energy"]["picojoules"].entries())
      spec_.energy.picojoules[event.key] = event.value.number(0, 1e12);
    const YamlValue cost = root_["cost"];
    spec_.cost.per_pe_cycle = cost["per_pe_cycle"].number(0, 1e12, spec_.cost.per_pe_cycle);
    spec_.cost.per_cycle = cost["per_cycle"].number(0, 1e12, spec_.cost.per_cycle);
    spec_.cost.per_joule = cost["per_joule"].number(0, 1e12, spec_.cost.per_joule);
  }

  YamlValue root_;
  std::string file_;
  Diagnostics& diagnostics_;
  const KnownParts& known_;
  HardwareSpec spec_;
  std::vector<NocSection> sections_;
  std::vector<MemorySection> memories_;
};

std::optional<HardwareConfig> read(YamlDocument document, std::size_t mistakes_before,
                                   Diagnostics& diagnostics, const KnownParts& known) {
  if (diagnostics.list().size() != mistakes_before) return std::nullopt;
  HardwareConfig config;
  config.spec = Builder(document, diagnostics, known).build();
  document.finish();
  if (diagnostics.list().size() != mistakes_before) return std::nullopt;
  config.resolved_text = document.resolved_text();
  config.annotated_text = document.annotated_text();
  config.files = document.files();
  return config;
}

}  // namespace

std::optional<HardwareConfig> load_hardware_config(const std::string& path,
                                                   const std::vector<std::string>& overrides,
                                                   Diagnostics& diagnostics, const KnownParts& known) {
  const std::size_t before = diagnostics.list().size();
  return read(load_yaml(path, options_for(overrides), diagnostics), before, diagnostics, known);
}

std::optional<HardwareConfig> load_hardware_text(const std::string& text, const std::string& file,
                                                 const std::vector<std::string>& overrides,
                                                 Diagnostics& diagnostics, const KnownParts& known) {
  const std::size_t before = diagnostics.list().size();
  return read(load_yaml_text(text, file, options_for(overrides), diagnostics), before, diagnostics, known);
}

HardwareSpec load_hardware(const std::string& path, const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  std::optional<HardwareConfig> config = load_hardware_config(path, overrides, diagnostics);
  diagnostics.throw_if_any<ConfigError>();
  return std::move(config->spec);
}

}  // namespace dfsim
