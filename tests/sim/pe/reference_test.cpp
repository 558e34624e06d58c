// Every row of tests/data/pe through the matrix unit of a PE, as a program that the kernel runs.
#include <algorithm>
#include <cmath>

#include "sim/base/rng.h"
#include "sim/pe/matmul_timing.h"
#include "tests/sim/pe/pe_fixture.h"
#include "tests/sim/pe/reference_rows.h"

namespace dfsim {
namespace {

/// Cycles of `works`, one after another on PE 0, whose scratchpad is wide enough never to slow the unit.
std::uint64_t cycles_on_a_pe(const MatrixUnitSpec& unit, const std::vector<MatmulWork>& works) {
  PeWorld& world = pe_world();
  const PeSpec before = world.hardware.pe;
  world.hardware.pe.matrix = unit;
  world.hardware.pe.scratchpad.banks = 1024;
  world.hardware.pe.scratchpad.bank_width_bytes = 1024;
  ProgramBuilder b;
  for (const MatmulWork& work : works) {
    const std::uint32_t op = b.matmul(0, work.m, work.n, work.k);
    b.at(0).ops[op].matmul = work;
  }
  const std::uint64_t cycles = world.run(b.program);
  EXPECT_EQ(world.reason, "");
  EXPECT_EQ(world.measured[0].matrix_busy_cycles, cycles) << "the unit never waits";
  world.hardware.pe = before;
  return cycles;
}

TEST(MatrixUnitReference, EqualsEveryRowWithSerialFolds) {
  const std::vector<ReferenceRow> rows = pe_reference("cycles.csv");
  ASSERT_EQ(rows.size(), 750u);
  for (const ReferenceRow& row : rows) {
    const MatmulWork work = work_of(row);
    const MatmulTiming timing = matmul_timing(unit_of(row), work);
    EXPECT_EQ(timing.folds, whole(row, "folds")) << name_of(row);
    EXPECT_EQ(timing.cycles_per_fold, whole(row, "cycles_per_fold")) << name_of(row);
    EXPECT_NEAR(timing.mapping_util, std::stod(row.at("mapping_util")), 1e-6) << name_of(row);
    const std::uint64_t cycles = cycles_on_a_pe(unit_of(row), {work});
    EXPECT_EQ(cycles, std::stoull(row.at("compute_cycles"))) << name_of(row);
    const double cells = static_cast<double>(whole(row, "array_rows") * whole(row, "array_cols"));
    EXPECT_NEAR(static_cast<double>(work.macs()) / (cells * static_cast<double>(cycles)),
                std::stod(row.at("compute_util")), 1e-6)
        << name_of(row);
  }
}

/// One product per group, sizes rounded down.
MatmulWork work_of_convolution(const ReferenceRow& row) {
  const auto outputs = [&](const char* input, const char* filter) {
    return (whole(row, input) + 2 * whole(row, "pad") - whole(row, filter)) / whole(row, "stride") + 1;
  };
  MatmulWork work;
  work.m = outputs("ifmap_h", "filt_h") * outputs("ifmap_w", "filt_w");
  work.n = whole(row, "out_ch") / whole(row, "groups");
  work.k = whole(row, "filt_h") * whole(row, "filt_w") * whole(row, "in_ch") / whole(row, "groups");
  work.count = whole(row, "groups");
  return work;
}

/// All products of a network, layer after layer. cycles.csv holds every layer of BERT-base; of ResNet-50 the
/// layers are known from its structure.
std::vector<MatmulWork> products_of(const std::string& network) {
  std::vector<MatmulWork> works;
  if (network == "resnet50") {
    for (const ReferenceRow& row : pe_reference("resnet50_layers.csv"))
      works.insert(works.end(), whole(row, "repeat_in_network"), work_of_convolution(row));
    return works;
  }
  for (const ReferenceRow& row : pe_reference("cycles.csv"))
    if (row.at("network_layer").starts_with(network) && row.at("array_rows") == "32" &&
        row.at("dataflow") == "os")
      works.insert(works.end(), whole(row, "repeat_in_network"), work_of(row));
  return works;
}

TEST(MatrixUnitReference, EqualsTheTotalsOfWholeNetworksRunAsOneProgram) {
  const std::vector<ReferenceRow> totals = pe_reference("network_totals.csv");
  ASSERT_EQ(totals.size(), 18u);
  for (const ReferenceRow& total : totals) {
    const std::string name =
        total.at("network") + " on " + total.at("array_rows") + " " + total.at("dataflow");
    const std::vector<MatmulWork> works = products_of(total.at("network"));
    std::uint64_t macs = 0;
    for (const MatmulWork& work : works) macs += work.macs();
    EXPECT_EQ(macs, std::stoull(total.at("macs"))) << name;
    EXPECT_EQ(cycles_on_a_pe(unit_of(total), works), std::stoull(total.at("compute_cycles"))) << name;
  }
}

TEST(MatrixUnitReference, KnowsConvolutionsOfEveryRowByTheirImages) {
  for (const ReferenceRow& row : pe_reference("cycles.csv")) {
    if (row.at("kind") == "gemm") continue;
    EXPECT_EQ(work_of_convolution(row), work_of(row)) << name_of(row);
  }
}

// ---------------------------------------------------------------- pipelined folds

/// The stated form of docs/hardware.md, written out once more: R + (F - 1) max(T, R) + T + R + C - 2, without
/// the first R if outputs stay.
std::uint64_t pipelined_bound(const MatrixUnitSpec& unit, const MatmulTiming& timing) {
  const std::uint64_t load = unit.dataflow == Dataflow::output_stationary ? 0 : unit.rows;
  return load + (timing.folds - 1) * std::max<std::uint64_t>(timing.streamed, unit.rows) + timing.streamed +
         unit.rows + unit.columns - 2;
}

TEST(MatrixUnitReference, IsNeverSlowerPipelinedAndNeverBelowItsBoundInAnyRow) {
  for (const ReferenceRow& row : pe_reference("cycles.csv")) {
    const MatrixUnitSpec unit = unit_of(row, FoldMode::pipelined);
    const MatmulWork work = work_of(row);
    const std::uint64_t cycles = cycles_on_a_pe(unit, {work});
    EXPECT_LE(cycles, std::stoull(row.at("compute_cycles"))) << name_of(row);
    EXPECT_EQ(cycles, pipelined_bound(unit, matmul_timing(unit, work))) << name_of(row);
  }
}

// Random arrays and products, whole and cut into micro-ops of one operator along what the folds are counted
// by: the pipeline runs on from one micro-op to the next, so the cut costs nothing where it falls between
// folds.
TEST(MatrixUnitReference, IsNeverSlowerPipelinedAndNeverBelowItsBoundForRandomWork) {
  Rng rng(20);
  const auto size = [&](std::uint32_t most) { return static_cast<std::uint32_t>(1 + rng.below(most)); };
  for (int i = 0; i < 400; ++i) {
    MatrixUnitSpec unit;
    unit.rows = size(64);
    unit.columns = size(64);
    unit.dataflow = static_cast<Dataflow>(rng.below(3));
    unit.folds = FoldMode::pipelined;
    MatmulWork work;
    work.m = size(300);
    work.n = unit.columns * size(4);
    work.k = size(300);
    const std::uint64_t pipelined = cycles_on_a_pe(unit, {work});
    const std::uint64_t bound = pipelined_bound(unit, matmul_timing(unit, work));
    MatrixUnitSpec serial = unit;
    serial.folds = FoldMode::serial;
    EXPECT_LE(pipelined, cycles_on_a_pe(serial, {work}));
    EXPECT_EQ(pipelined, bound);
    EXPECT_GE(pipelined * unit.rows * unit.columns, work.macs()) << "faster than every cell in every cycle";
    if (unit.dataflow == Dataflow::input_stationary) continue;
    std::vector<MatmulWork> tiles(work.n / unit.columns, work);
    for (MatmulWork& tile : tiles) tile.n = unit.columns;
    EXPECT_EQ(cycles_on_a_pe(unit, tiles), bound) << "back to back";
  }
}

}  // namespace
}  // namespace dfsim
