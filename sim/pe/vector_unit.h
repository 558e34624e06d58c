// sim/pe/vector_unit.h: the vector unit of a PE. How long it works follows from vector_cycles() in
// matmul_timing.h.
#pragma once

#include "sim/pe/compute_unit.h"

namespace dfsim {

/// One micro-op at a time, with no overlap: the start-up is paid by each.
class VectorUnit : public ComputeUnit {
 public:
  using ComputeUnit::ComputeUnit;
};

}  // namespace dfsim
