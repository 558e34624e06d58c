#include "sim/host/core/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/base/errors.h"

namespace dfsim {

namespace {

const OperatorEfficiency& efficiency_of(const ProcessorSpec& processor, const std::string& kind) {
  static const OperatorEfficiency full;
  auto it = processor.efficiency.find(kind);
  if (it == processor.efficiency.end()) it = processor.efficiency.find("default");
  return it == processor.efficiency.end() ? full : it->second;
}

double fill(const ProcessorSpec& processor, const KernelWork& kernel) {
  if (processor.tile_elements == 0 || kernel.output_elements == 0) return 1;
  const std::uint64_t tiles = ceil_div<std::uint64_t>(kernel.output_elements, processor.tile_elements);
  const std::uint64_t waves = ceil_div<std::uint64_t>(tiles, processor.units);
  return static_cast<double>(tiles) / static_cast<double>(waves * processor.units);
}

}  // namespace

double peak_operations_per_ns(const ProcessorSpec& processor, DataType type, bool matrix) {
  const auto& rates = matrix ? processor.matrix_operations : processor.vector_operations;
  const auto it = rates.find(type);
  return it == rates.end() ? 0 : it->second * processor.units * processor.clock_mhz / 1000;
}

KernelTime kernel_time(const ProcessorSpec& processor, const KernelWork& kernel) {
  const OperatorEfficiency& efficiency = efficiency_of(processor, kernel.kind);
  const double filled = fill(processor, kernel);
  double compute_ns = 0;
  if (kernel.operations > 0) {
    const double peak = peak_operations_per_ns(processor, kernel.type, kernel.matrix);
    if (peak <= 0)
      throw SimulationError(fmt::format("{}: no {} rate for {}", processor.name,
                                        kernel.matrix ? "matrix" : "vector", to_string(kernel.type)));
    compute_ns = static_cast<double>(kernel.operations) / (peak * efficiency.compute * filled);
  }
  const double memory_ns =
      static_cast<double>(kernel.bytes) / (processor.memory_bytes_per_ns * efficiency.memory);
  const bool computes = compute_ns > memory_ns;
  return {processor.launch_ns * 1000, std::max(compute_ns, memory_ns) * 1000,
          computes ? std::max(filled, memory_ns / compute_ns) : 1.0};
}

}  // namespace dfsim
