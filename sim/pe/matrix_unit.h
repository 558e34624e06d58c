// sim/pe/matrix_unit.h: the systolic array of a PE. How long it works follows from matmul_timing.h.
#pragma once

#include "sim/pe/compute_unit.h"

namespace dfsim {

/// Takes the next micro-op when the pipeline is empty, or when the last fold of the one before has been
/// issued if both are of the same operator: then it continues the same pipeline, and its results come as long
/// after its start as they would alone.
class MatrixUnit : public ComputeUnit {
 public:
  using ComputeUnit::ComputeUnit;
};

}  // namespace dfsim
