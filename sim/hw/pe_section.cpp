// The sections `pe`, with matrix unit, vector unit, scratchpad and DMA.
#include <cstdint>

#include "sim/hw/sections.h"

namespace dfsim {
namespace {

// Limits far beyond anything built; they turn a slip of the pen into a message instead of an overflow.
constexpr std::int64_t kMaxArray = 65'536;
constexpr double kMaxCycles = 1e6;
constexpr std::int64_t kMaxScratchpadBytes = 1ll << 31;  // addresses are 32-bit numbers

MatrixUnitSpec read_matrix(const YamlValue& matrix) {
  MatrixUnitSpec spec;
  spec.rows = static_cast<std::uint32_t>(matrix["rows"].integer(1, kMaxArray, spec.rows));
  spec.columns = static_cast<std::uint32_t>(matrix["columns"].integer(1, kMaxArray, spec.columns));
  spec.dataflow = matrix["dataflow"].choice<Dataflow>({{"output_stationary", Dataflow::output_stationary},
                                                       {"weight_stationary", Dataflow::weight_stationary},
                                                       {"input_stationary", Dataflow::input_stationary}},
                                                      spec.dataflow);
  spec.folds = matrix["folds"].choice<FoldMode>(
      {{"serial", FoldMode::serial}, {"pipelined", FoldMode::pipelined}}, spec.folds);
  const YamlValue rates = matrix["cycles_per_step"];
  for (const DataType type : {DataType::int8, DataType::fp16, DataType::bf16, DataType::fp32}) {
    const YamlValue rate = rates[to_string(type)];
    spec.cycles_per_step[type] = rate.number(1.0 / 64, kMaxCycles, spec.cycles_per_step.at(type));
  }
  return spec;
}

VectorUnitSpec read_vector(const YamlValue& vector) {
  VectorUnitSpec spec;
  spec.lanes = static_cast<std::uint32_t>(vector["lanes"].integer(1, kMaxArray, spec.lanes));
  spec.startup_cycles =
      static_cast<std::uint32_t>(vector["startup_cycles"].integer(0, 1'000'000, spec.startup_cycles));
  for (const YamlNamedValue& function : vector["cycles_per_group"].entries())
    spec.cycles_per_group[function.key] = function.value.number(1.0 / 1024, kMaxCycles, 1);
  return spec;
}

}  // namespace

PeSpec read_pe(const YamlValue& pe) {
  PeSpec spec;
  spec.matrix = read_matrix(pe["matrix"]);
  spec.vector = read_vector(pe["vector"]);
  ScratchpadSpec& scratchpad = spec.scratchpad;
  scratchpad.bytes = Bytes(static_cast<std::uint64_t>(pe["scratchpad_bytes"].integer(
      1, kMaxScratchpadBytes, static_cast<std::int64_t>(scratchpad.bytes.count()))));
  scratchpad.banks = static_cast<std::uint32_t>(pe["scratchpad_banks"].integer(1, 4096, scratchpad.banks));
  scratchpad.bank_width_bytes = static_cast<std::uint32_t>(
      pe["scratchpad_bank_width_bytes"].integer(1, 4096, scratchpad.bank_width_bytes));
  const YamlValue dma = pe["dma"];
  spec.dma.channels = static_cast<std::uint32_t>(dma["channels"].integer(1, 64, spec.dma.channels));
  spec.dma.outstanding_transfers = static_cast<std::uint32_t>(
      dma["outstanding_transfers"].integer(1, 65'536, spec.dma.outstanding_transfers));
  return spec;
}

}  // namespace dfsim
