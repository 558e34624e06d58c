#include "sim/trace/labels.h"

#include <fmt/format.h>

namespace dfsim {

namespace {

std::string place(const LinkGraph& graph, RouterId router) {
  const auto at = graph.coordinates(router);
  if (graph.dimensions > 2) return fmt::format("{},{},{}", at[0], at[1], at[2]);
  return fmt::format("{},{}", at[0], at[1]);
}

}  // namespace

std::string pe_label(const HardwareSpec& hardware, PeId pe) {
  const PePlace& at = hardware.pes.at(pe.value());
  return fmt::format("chip{} pe {}", at.noc.value(),
                     place(hardware.nocs.at(at.noc.value()).graph, at.router));
}

std::string endpoint_label(const HardwareSpec& hardware, NocId noc, EndpointId endpoint) {
  const EndpointSpec& spec = hardware.nocs.at(noc.value()).endpoints.at(endpoint.value());
  switch (spec.kind) {
    case EndpointKind::pe:
      return pe_label(hardware, PeId(spec.index));
    case EndpointKind::memory_port:
      return fmt::format("chip{} memory {}", noc.value(), spec.index);
    case EndpointKind::ethernet_port:
      return fmt::format("chip{} ethernet {}", noc.value(), spec.index);
    case EndpointKind::host_bridge:
      return fmt::format("chip{} host {}", noc.value(), spec.index);
  }
  return "?";
}

std::string link_label(const HardwareSpec& hardware, NocId noc, std::uint32_t link) {
  const LinkGraph& graph = hardware.nocs.at(noc.value()).graph;
  return fmt::format("{} > {}", place(graph, graph.links.at(link).from), place(graph, graph.links[link].to));
}

}  // namespace dfsim
