#include "sim/system/machine.h"

#include <fmt/format.h>

namespace dfsim {

Machine::Machine(const HardwareSpec& hardware)
    : hardware_(hardware), context_{hardware_, 0, false, nullptr, nullptr, {}, {}, {}, 0, false, {}} {
  for (std::uint32_t i = 0; i < hardware_.nocs.size(); ++i)
    chips_.push_back(std::make_unique<Chip>(fmt::format("chip{}", i).c_str(), context_, NocId(i)));
  connect_ethernet();
  sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

void Machine::connect_ethernet() {
  const auto port = [&](std::uint32_t number) -> EthernetPort& {
    return *chips_[hardware_.ethernet_ports[number].noc.value()]->ethernet(number);
  };
  for (std::size_t i = 0; i < hardware_.ethernet_links.size(); ++i) {
    const EthernetLinkSpec& spec = hardware_.ethernet_links[i];
    links_.push_back(std::make_unique<EthernetLink>(fmt::format("ethernet_link{}", i).c_str(), spec));
    EthernetLink& link = *links_.back();
    port(spec.port_a).line(link.a_to_b);
    port(spec.port_b).line(link.b_to_a);
    link.a_to_b.receiver(port(spec.port_b));
    link.b_to_a.receiver(port(spec.port_a));
  }
}

void Machine::reset() {
  context_.base_ps = sc_core::sc_time_stamp().value();
  context_.draining = false;
  for (auto& chip : chips_) chip->noc().reset();
  for (std::uint32_t i = 0; i < hardware_.memory.size(); ++i) memory(PortId(i)).reset();
  for (std::uint32_t i = 0; i < hardware_.ethernet_ports.size(); ++i)
    chips_[hardware_.ethernet_ports[i].noc.value()]->ethernet(i)->reset();
  for (auto& link : links_) link->reset();
}

void Machine::drain() {
  const auto set = [&](bool draining) {
    context_.draining = draining;
    for (std::uint32_t i = 0; i < hardware_.memory.size(); ++i) memory(PortId(i)).set_draining(draining);
    for (std::uint32_t i = 0; i < hardware_.ethernet_ports.size(); ++i)
      chips_[hardware_.ethernet_ports[i].noc.value()]->ethernet(i)->set_draining(draining);
    for (auto& link : links_) link->set_draining(draining);
  };
  set(true);
  for (auto& chip : chips_) chip->noc().reset();
  if (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
  set(false);
}

}  // namespace dfsim
