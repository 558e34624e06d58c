#include "sim/pe/pe.h"

namespace dfsim {

Pe::Pe(sc_core::sc_module_name name, RunContext& context, PeId pe)
    : sc_module(name),
      noc("noc"),
      pe_(pe),
      scratchpad_("scratchpad", context.hardware.pe.scratchpad),
      dma_("dma", context, context.hardware.pe.dma, scratchpad_, pe),
      sequencer_("sequencer", context, scratchpad_, dma_, pe),
      matrix_("matrix_unit", context, sequencer_),
      vector_("vector_unit", context, sequencer_) {
  sequencer_.connect(matrix_, vector_);
}

PeMeasurement Pe::measure(std::uint64_t end) {
  sequencer_.close(end);
  const StallAccount& account = sequencer_.account();
  PeMeasurement measurement;
  measurement.pe = pe_;
  measurement.busy_cycles = account.busy_cycles();
  measurement.stall_cycles = account.stall_cycles();
  measurement.matrix_busy_cycles = matrix_.busy_cycles();
  measurement.vector_busy_cycles = vector_.busy_cycles();
  measurement.bytes_sent = dma_.bytes_sent();
  measurement.bytes_received = sequencer_.bytes_received();
  measurement.bytes_loaded = sequencer_.bytes_loaded();
  measurement.bytes_stored = dma_.bytes_stored();
  return measurement;
}

}  // namespace dfsim
