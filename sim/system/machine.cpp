#include "sim/system/machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace dfsim {

Machine::Machine(const HardwareSpec& hardware)
    : hardware_(hardware), routes_(hardware_), context_{hardware_, 0,  false, nullptr, nullptr, {},
                                                        {},        {}, 0,     false,   {}} {
  for (std::uint32_t i = 0; i < hardware_.nocs.size(); ++i)
    chips_.push_back(std::make_unique<Chip>(fmt::format("chip{}", i).c_str(), context_, routes_, NocId(i)));
  build_switches();
  connect_ethernet();
  connect_host();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void Machine::build_switches() {
  for (std::uint32_t s = 0; s < hardware_.ethernet_switches.size(); ++s) {
    std::vector<std::uint32_t> ports;
    for (const EthernetLinkSpec& link : hardware_.ethernet_links)
      if (link.to_switch == s) ports.push_back(link.port_a);
    switches_.push_back(std::make_unique<EthernetSwitch>(fmt::format("ethernet_switch{}", s).c_str(),
                                                         hardware_.ethernet_switches[s], ports));
  }
}

void Machine::connect_ethernet() {
  std::vector<std::size_t> used(switches_.size(), 0);
  for (std::size_t i = 0; i < hardware_.ethernet_links.size(); ++i) {
    const EthernetLinkSpec& spec = hardware_.ethernet_links[i];
    links_.push_back(std::make_unique<EthernetLink>(fmt::format("ethernet_link{}", i).c_str(), spec));
    EthernetLink& link = *links_.back();
    ethernet_port(spec.port_a).line(link.a_to_b);
    link.b_to_a.receiver(ethernet_port(spec.port_a));
    if (spec.to_switch) {
      EthernetSwitch& node = *switches_[*spec.to_switch];
      const std::size_t line = used[*spec.to_switch]++;
      node.lines[line](link.b_to_a);
      link.a_to_b.receiver(node.input(line));
    } else {
      ethernet_port(spec.port_b).line(link.b_to_a);
      link.a_to_b.receiver(ethernet_port(spec.port_b));
    }
  }
}

void Machine::connect_host() {
  buses_.resize(hardware_.memory.size());
  std::uint32_t buses = 0, piece_bytes = 0;
  for (const MemoryPortSpec& port : hardware_.memory) {
    if (!port.host_bus) continue;
    // A piece must fit into a packet of every card.
    const std::uint32_t bytes = port.controller.answer_packet_bytes;
    piece_bytes = buses++ == 0 ? bytes : std::min(piece_bytes, bytes);
  }
  if (buses == 0) return;
  host_ = std::make_unique<Host>("host", hardware_.host.value_or(HostSpec{}), buses, piece_bytes);
  std::uint32_t number = 0;
  for (std::uint32_t i = 0; i < hardware_.memory.size(); ++i) {
    if (!is_bridge(PortId(i))) continue;
    buses_[i] = std::make_unique<HostBus>(fmt::format("host_bus{}", number).c_str(), number,
                                          *hardware_.memory[i].host_bus);
    bridge(PortId(i)).bus(buses_[i]->to_host);
    buses_[i]->to_host.receiver(*host_);
    host_->cards[number](buses_[i]->to_card);
    buses_[i]->to_card.receiver(bridge(PortId(i)));
    ++number;
  }
}

void Machine::reset_host() {
  if (!host_) return;
  host_->reset();
  for (std::uint32_t i = 0; i < buses_.size(); ++i) {
    if (!buses_[i]) continue;
    buses_[i]->reset();
    bridge(PortId(i)).reset();
  }
}

void Machine::set_host_draining(bool draining) {
  if (!host_) return;
  host_->set_draining(draining);
  for (std::uint32_t i = 0; i < buses_.size(); ++i) {
    if (!buses_[i]) continue;
    buses_[i]->set_draining(draining);
    bridge(PortId(i)).set_draining(draining);
  }
}

void Machine::reset() {
  context_.base_ps = sc_core::sc_time_stamp().value();
  context_.draining = false;
  for (auto& chip : chips_) chip->noc().reset();
  for (std::uint32_t i = 0; i < hardware_.memory.size(); ++i)
    if (!is_bridge(PortId(i))) memory(PortId(i)).reset();
  reset_host();
  for (std::uint32_t i = 0; i < hardware_.ethernet_ports.size(); ++i) ethernet_port(i).reset();
  for (auto& node : switches_) node->reset();
  for (auto& link : links_) link->reset();
}

void Machine::drain() {
  const auto set = [&](bool draining) {
    context_.draining = draining;
    for (std::uint32_t i = 0; i < hardware_.memory.size(); ++i)
      if (!is_bridge(PortId(i))) memory(PortId(i)).set_draining(draining);
    set_host_draining(draining);
    for (std::uint32_t i = 0; i < hardware_.ethernet_ports.size(); ++i)
      ethernet_port(i).set_draining(draining);
    for (auto& node : switches_) node->set_draining(draining);
    for (auto& link : links_) link->set_draining(draining);
  };
  set(true);
  for (auto& chip : chips_) chip->noc().reset();
  if (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  set(false);
}

}  // namespace dfsim
