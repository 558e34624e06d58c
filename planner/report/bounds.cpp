#include "planner/report/bounds.h"

#include <algorithm>

#include "planner/ops/operator.h"

namespace dfsim {

namespace {

/// Cycles that the matrix units of all PEs need for one sample, each of their cells busy in every cycle.
double matrix_cycles_per_sample(const Graph& graph, const HardwareSpec& hardware) {
  const double peak =
      static_cast<double>(hardware.peak_macs_per_pe()) * static_cast<double>(hardware.pes.size());
  if (peak <= 0) return 0;
  double cycles = 0;
  for (std::uint32_t op = 0; op < graph.operators().size(); ++op) {
    const std::uint64_t macs = macs_per_sample(graph, OpId(op));
    if (macs == 0) continue;
    const DataType type = graph.tensor(graph.op(OpId(op)).inputs.front()).type;
    const auto rate = hardware.pe.matrix.cycles_per_step.find(type);
    const double steps = rate == hardware.pe.matrix.cycles_per_step.end() ? 1.0 : rate->second;
    cycles += static_cast<double>(macs) * steps / peak;
  }
  return cycles;
}

PeriodBound bound(const Graph& graph, const HardwareSpec& hardware, std::uint32_t samples,
                  std::uint64_t weight_bytes) {
  PeriodBound result;
  result.compute_cycles = samples * matrix_cycles_per_sample(graph, hardware);
  const double peak = hardware.peak_dram_bytes_per_cycle();
  if (peak > 0)
    result.dram_cycles =
        (static_cast<double>(samples) * static_cast<double>(dram_bytes_per_sample(graph, hardware)) +
         static_cast<double>(weight_bytes)) /
        peak;
  return result;
}

}  // namespace

std::uint64_t dram_bytes_per_sample(const Graph& graph, const HardwareSpec& hardware) {
  const bool inputs = !hardware.host || !hardware.host->inputs;
  const bool outputs = !hardware.host || !hardware.host->outputs;
  std::uint64_t bytes = 0;
  for (const Tensor& tensor : graph.tensors())
    if ((inputs && tensor.role == TensorRole::input) || (outputs && tensor.role == TensorRole::output))
      bytes += tensor.bytes();
  for (const Operator& op : graph.operators())
    for (const TensorId input : op.inputs)
      // Every element of the output is an element of a gathered row.
      if (graph.tensor(input).role == TensorRole::embedding)
        bytes += graph.tensor(op.outputs.front()).elements() * bytes_of(graph.tensor(input).type).count();
  return bytes;
}

PeriodBound period_bound(const Graph& graph, const HardwareSpec& hardware, std::uint32_t samples) {
  const std::uint64_t on_chip = hardware.pes.size() * hardware.pe.scratchpad.bytes.count();
  const std::uint64_t weights = graph.weight_bytes();
  return bound(graph, hardware, samples, weights - std::min(weights, on_chip));
}

PeriodBound cold_bound(const Graph& graph, const HardwareSpec& hardware, std::uint32_t samples) {
  return bound(graph, hardware, samples, graph.weight_bytes());
}

}  // namespace dfsim
