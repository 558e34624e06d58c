// All matrix products of BERT-base (sequence 128) on an array of 128 x 128 cells, one after another on the
// matrix unit of a PE, as a program that the SystemC kernel runs. Run `ninja pe_bench && ./pe_bench`.
#include <benchmark/benchmark.h>

#include "tests/sim/pe/pe_fixture.h"
#include "tests/sim/pe/reference_rows.h"

namespace dfsim {
namespace {

Program bert() {
  ProgramBuilder b;
  for (const ReferenceRow& row : pe_reference("cycles.csv")) {
    if (!row.at("network_layer").starts_with("bert_base_s128") || row.at("array_rows") != "128" ||
        row.at("dataflow") != "os")
      continue;
    for (std::uint32_t i = 0; i < whole(row, "repeat_in_network"); ++i) {
      const MatmulWork work = work_of(row);
      const std::uint32_t op = b.matmul(0, work.m, work.n, work.k);
      b.at(0).ops[op].matmul = work;
    }
  }
  return b.program;
}

void bert_base_on_128x128(benchmark::State& state) {
  PeWorld& world = pe_world();
  world.hardware.pe.matrix.rows = world.hardware.pe.matrix.columns = 128;
  world.hardware.pe.matrix.dataflow = Dataflow::output_stationary;
  world.hardware.pe.matrix.folds = FoldMode::serial;
  world.hardware.pe.scratchpad.banks = world.hardware.pe.scratchpad.bank_width_bytes = 1024;
  const Program program = bert();
  std::uint64_t cycles = 0;
  for (auto _ : state) cycles = world.run(program);
  if (cycles != 935076) state.SkipWithError("not the cycles of tests/data/pe/network_totals.csv");
  state.counters["products"] = static_cast<double>(program.pes.at(0).ops.size());
  state.counters["array_cycles"] = static_cast<double>(cycles);
}
BENCHMARK(bert_base_on_128x128)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace dfsim

extern "C" int sc_main(int, char**) { return 0; }

BENCHMARK_MAIN();
