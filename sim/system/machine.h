// sim/system/machine.h: all modules of one HardwareSpec, elaborated once.
#pragma once

#include <memory>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/eth/ethernet_link.h"
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
  EthernetLink& link(std::size_t i) { return *links_[i]; }
  /// "chip0.pe_3_4"
  std::string name(PeId id) { return pe(id).name(); }

  /// Cold and idle, with cycle 0 at the kernel's present time. Networks and controllers clear what was
  /// touched; PEs are reset by whoever started them.
  void reset();
  /// Lets the processes that an aborted run left runnable return without doing anything (see reset()).
  void drain();

 private:
  void connect_ethernet();

  HardwareSpec hardware_;
  RunContext context_;
  std::vector<std::unique_ptr<Chip>> chips_;
  std::vector<std::unique_ptr<EthernetLink>> links_;
};

}  // namespace dfsim
