// sim/pe/run_context.h: what all PEs share during a run.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/observer.h"
#include "sim/pe/loaded_program.h"
#include "sim/pe/run_progress.h"

namespace dfsim {

struct RunContext {
  const HardwareSpec& hardware;
  std::uint64_t base_ps = 0;  ///< kernel time at cycle 0 of the run
  bool draining = false;      ///< an aborted run is being cleared: processes return at once
  Observer* observer = nullptr;
  const LoadedProgram* loaded = nullptr;
  RunProgress progress;
  std::vector<std::uint64_t> primitive_bytes;  ///< delivered
  std::vector<std::uint8_t> transfer_done;     ///< at least once
  /// Pause the kernel when this many periods are done (0: never), so that a limit can be set from there.
  std::uint32_t pause_after_period = 0;
  bool paused = false;  ///< for that reason
  /// First packet of a transfer, [transfer * periods + instance]; only with an observer.
  std::vector<std::uint64_t> transfer_start;

  /// Cycles since the start of the run, of the clock of NoC and PEs.
  std::uint64_t now() const {
    return (sc_core::sc_time_stamp().value() - base_ps) / hardware.clock_period_ps;
  }
  /// Kernel time of a cycle, from now.
  sc_core::sc_time until(std::uint64_t cycle) const {
    return sc_core::sc_time::from_value(base_ps + cycle * hardware.clock_period_ps -
                                        sc_core::sc_time_stamp().value());
  }
};

}  // namespace dfsim
