// sim/api/program_runner.h: the one door between planner and simulator. Compiles without SystemC.
#pragma once

#include "sim/api/hardware.h"
#include "sim/api/measurement.h"
#include "sim/api/program.h"

namespace dfsim {

class Observer;

class ProgramRunner {
 public:
  virtual ~ProgramRunner() = default;
  /// Runs `program` on cold, idle hardware until it drains or `limit` is reached; equal programs give equal
  /// measurements, in any order. A deadlock (cycle, blocked units), an overflow and a reached limit are
  /// outcomes, not exceptions. `observer` (may be null) sees what happens, for traces; it never changes the
  /// result.
  virtual RunOutcome run(const Program& program, const RunLimit& limit, Observer* observer = nullptr) = 0;
  virtual const HardwareSpec& hardware() const = 0;
};

}  // namespace dfsim
