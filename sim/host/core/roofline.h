// sim/host/core/roofline.h: how long a CPU or GPU takes for one operator.
#pragma once

#include <cstdint>

#include "sim/api/server.h"

namespace dfsim {

struct KernelTime {
  std::uint64_t launch_ps = 0;  ///< before it, whatever else runs
  double work_ps = 0;           ///< with the processor to itself
  double share = 1;             ///< of the processor that it can fill meanwhile
};

/// The larger of computing and moving (roofline: Williams, Waterman, Patterson, CACM 52(4), 2009):
///   compute = operations / (units x clock x operations per cycle x efficiency x fill)
///   memory  = bytes / (memory bandwidth x efficiency)
/// fill is the wave quantisation of a GPU (NVIDIA, Matrix Multiplication Background, section "Wave
/// quantization"): t tiles of the output on u units take ceil(t / u) waves, so t / (u ceil(t / u)) of the
/// units work. A kernel bound by memory fills the processor. Not modelled: caches that keep tensors between
/// operators, fusion of operators, splitting along the sum. Throws SimulationError if there is no rate for
/// the type.
KernelTime kernel_time(const ProcessorSpec& processor, const KernelWork& kernel);

/// Operations per nanosecond at the peak; 0 if the type has no rate.
double peak_operations_per_ns(const ProcessorSpec& processor, DataType type, bool matrix);

}  // namespace dfsim
