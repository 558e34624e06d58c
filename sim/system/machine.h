// sim/system/machine.h: all modules of one HardwareSpec, elaborated once.
#pragma once

#include <memory>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/eth/core/routes.h"
#include "sim/eth/ethernet_link.h"
#include "sim/eth/ethernet_switch.h"
#include "sim/host/bus.h"
#include "sim/host/host.h"
#include "sim/pe/run_context.h"
#include "sim/system/chip.h"

namespace dfsim {

class Machine {
 public:
  explicit Machine(const HardwareSpec& hardware);

  const HardwareSpec& hardware() const { return hardware_; }
  RunContext& context() { return context_; }
  Noc& noc(NocId id) { return chips_[id.value()]->noc(); }
  Pe& pe(PeId id) { return *chips_[hardware_.pes[id.value()].noc.value()]->pe(id); }
  MemoryPort& memory(PortId id) { return *chips_[hardware_.memory[id.value()].noc.value()]->memory(id); }
  /// The port is a bridge to the host, not a memory port.
  bool is_bridge(PortId id) const { return hardware_.memory[id.value()].host_bus.has_value(); }
  HostBridge& bridge(PortId id) { return *chips_[hardware_.memory[id.value()].noc.value()]->bridge(id); }
  /// Of a bridge.
  HostBus& bus(PortId id) { return *buses_[id.value()]; }
  EthernetLink& link(std::size_t i) { return *links_[i]; }
  const EthernetRoutes& routes() const { return routes_; }
  /// "chip0.pe_3_4"
  std::string name(PeId id) { return pe(id).name(); }

  /// Cold and idle, with cycle 0 at the kernel's present time. Networks and controllers clear what was
  /// touched; PEs are reset by whoever started them.
  void reset();
  /// Lets the processes that an aborted run left runnable return without doing anything (see reset()).
  void drain();

 private:
  void build_switches();
  void connect_ethernet();
  void connect_host();
  void reset_host();
  void set_host_draining(bool draining);
  EthernetPort& ethernet_port(std::uint32_t number) {
    return *chips_[hardware_.ethernet_ports[number].noc.value()]->ethernet(number);
  }

  HardwareSpec hardware_;
  EthernetRoutes routes_;
  RunContext context_;
  std::vector<std::unique_ptr<Chip>> chips_;
  std::vector<std::unique_ptr<EthernetLink>> links_;
  std::vector<std::unique_ptr<EthernetSwitch>> switches_;
  std::unique_ptr<Host> host_;
  std::vector<std::unique_ptr<HostBus>> buses_;  ///< by PortId; null for memory ports
};

}  // namespace dfsim
