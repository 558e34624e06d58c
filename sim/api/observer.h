// sim/api/observer.h: what a trace writer is told. Calls come in order of `end`, once the interval is
// complete.
#pragma once

#include <cstdint>

#include "sim/api/measurement.h"
#include "sim/base/units.h"

namespace dfsim {

class Observer {
 public:
  virtual ~Observer() = default;
  /// Micro-op `op` (index in the list of `pe`), period `instance`, worked in [start, end). Loads, stores and
  /// sends start when they begin to move data; a receive lasts from its grant to the arrival of the last
  /// byte.
  virtual void micro_op(PeId pe, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                        std::uint64_t end) = 0;
  /// The PE computed nothing in [start, end), for this cause.
  virtual void stall(PeId pe, StallCause cause, std::uint64_t start, std::uint64_t end) = 0;
  /// Data of a transfer arrived whole at its destination.
  virtual void transfer(TransferId transfer, std::uint32_t instance, std::uint64_t start,
                        std::uint64_t end) = 0;
};

}  // namespace dfsim
