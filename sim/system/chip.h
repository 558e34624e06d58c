// sim/system/chip.h: one NoC with everything that is attached to it.
#pragma once

#include <memory>
#include <systemc>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/eth/ethernet_port.h"
#include "sim/host/bridge.h"
#include "sim/mem/memory_port.h"
#include "sim/noc/noc.h"
#include "sim/pe/pe.h"

namespace dfsim {

class Chip : public sc_core::sc_module {
 public:
  /// `routes` must outlive the chip.
  Chip(sc_core::sc_module_name name, RunContext& context, const EthernetRoutes& routes, NocId id);

  Noc& noc() { return *noc_; }
  /// By PeId, PortId, Ethernet port number, and PortId; null if it is on another chip or of another kind.
  Pe* pe(PeId id) { return pes_[id.value()].get(); }
  MemoryPort* memory(PortId id) { return memory_[id.value()].get(); }
  EthernetPort* ethernet(std::uint32_t port) { return ethernet_[port].get(); }
  HostBridge* bridge(PortId id) { return bridges_[id.value()].get(); }

 private:
  void attach(EndpointId endpoint, const EndpointSpec& spec);
  void join_ethernet_ports();

  RunContext& context_;
  const EthernetRoutes& routes_;
  const NocSpec& spec_;
  std::unique_ptr<Noc> noc_;
  std::vector<std::unique_ptr<Pe>> pes_;
  std::vector<std::unique_ptr<MemoryPort>> memory_;
  std::vector<std::unique_ptr<EthernetPort>> ethernet_;
  std::vector<std::unique_ptr<HostBridge>> bridges_;
};

}  // namespace dfsim
