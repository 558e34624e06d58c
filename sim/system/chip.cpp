#include "sim/system/chip.h"

#include <fmt/format.h>

namespace dfsim {

namespace {

std::string module_name(const NocSpec& noc, const PePlace& place) {
  if (noc.graph.dimensions > 2) return fmt::format("pe_{}_{}_{}", place.x, place.y, place.z);
  return fmt::format("pe_{}_{}", place.x, place.y);
}

/// Only a NoC with Ethernet ports carries outbound packets.
std::uint32_t message_classes(const NocSpec& noc) {
  for (const EndpointSpec& endpoint : noc.endpoints)
    if (endpoint.kind == EndpointKind::ethernet_port) return 3;
  return 2;
}

}  // namespace

Chip::Chip(sc_core::sc_module_name name, RunContext& context, const EthernetRoutes& routes, NocId id)
    : sc_module(name), context_(context), routes_(routes), spec_(context.hardware.nocs[id.value()]) {
  const HardwareSpec& hardware = context.hardware;
  pes_.resize(hardware.pes.size());
  memory_.resize(hardware.memory.size());
  ethernet_.resize(hardware.ethernet_ports.size());
  bridges_.resize(hardware.memory.size());
  noc_ = std::make_unique<Noc>("noc", spec_, hardware.clock_period_ps, message_classes(spec_));
  for (std::uint32_t e = 0; e < spec_.endpoints.size(); ++e) attach(EndpointId(e), spec_.endpoints[e]);
  join_ethernet_ports();
}

/// Each forwards to all others.
void Chip::join_ethernet_ports() {
  for (std::uint32_t from = 0; from < ethernet_.size(); ++from)
    for (std::uint32_t to = 0; to < ethernet_.size(); ++to)
      if (from != to && ethernet_[from] && ethernet_[to]) ethernet_[from]->bind_sibling(to, *ethernet_[to]);
}

void Chip::attach(EndpointId endpoint, const EndpointSpec& at) {
  const HardwareSpec& hardware = context_.hardware;
  auto& socket = noc_->endpoints[endpoint.value()];
  switch (at.kind) {
    case EndpointKind::pe: {
      auto& pe = pes_[at.index];
      pe = std::make_unique<Pe>(module_name(spec_, hardware.pes[at.index]).c_str(), context_, PeId(at.index));
      pe->noc(noc_->injector);
      socket(*pe);
      return;
    }
    case EndpointKind::memory_port: {
      auto& port = memory_[at.index];
      port = std::make_unique<MemoryPort>(fmt::format("memory_{}", at.index).c_str(),
                                          hardware.memory[at.index], spec_, hardware.clock_period_ps);
      port->noc(noc_->injector);
      socket(*port);
      return;
    }
    case EndpointKind::ethernet_port: {
      auto& port = ethernet_[at.index];
      port = std::make_unique<EthernetPort>(fmt::format("ethernet_{}", at.index).c_str(), at.index,
                                            hardware.ethernet_ports[at.index], spec_,
                                            hardware.clock_period_ps, routes_);
      port->noc(noc_->injector);
      socket(*port);
      return;
    }
    case EndpointKind::host_bridge: {
      auto& bridge = bridges_[at.index];
      bridge = std::make_unique<HostBridge>(fmt::format("host_bridge_{}", at.index).c_str(),
                                            hardware.memory[at.index], spec_, hardware.clock_period_ps);
      bridge->noc(noc_->injector);
      socket(*bridge);
      return;
    }
  }
}

}  // namespace dfsim
