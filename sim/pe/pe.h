// sim/pe/pe.h: a processing element: sequencer, matrix unit, vector unit, scratchpad, DMA, and its network
// interface.
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/api/measurement.h"
#include "sim/noc/ports.h"
#include "sim/pe/dma.h"
#include "sim/pe/matrix_unit.h"
#include "sim/pe/scratchpad.h"
#include "sim/pe/sequencer.h"
#include "sim/pe/vector_unit.h"

namespace dfsim {

/// Bind `noc` to the network, and the network's endpoint port to this module.
class Pe : public sc_core::sc_module, public PacketSink {
 public:
  sc_core::sc_port<PacketInjector> noc;

  Pe(sc_core::sc_module_name name, RunContext& context, PeId pe);

  /// Makes it ready to run `loaded` from cycle 0 on.
  void start(LoadedPe& loaded) { sequencer_.start(loaded); }
  void reset() { sequencer_.reset(); }
  /// After the run: books the cycles up to `end` and says what happened.
  PeMeasurement measure(std::uint64_t end);
  const Sequencer& sequencer() const { return sequencer_; }
  const Scratchpad& scratchpad() const { return scratchpad_; }

  void packet_arrived(const Packet& packet, std::uint64_t) override { sequencer_.packet_arrived(packet); }
  void packet_left(const Packet& packet, std::uint64_t) override { sequencer_.packet_left(packet); }

 private:
  void end_of_elaboration() override { sequencer_.bind(*noc[0]); }

  PeId pe_;
  Scratchpad scratchpad_;
  Dma dma_;
  Sequencer sequencer_;
  MatrixUnit matrix_;
  VectorUnit vector_;
};

}  // namespace dfsim
