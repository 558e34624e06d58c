#include "sim/pe/matmul_timing.h"

#include <gtest/gtest.h>

namespace dfsim {
namespace {

MatrixUnitSpec unit(std::uint32_t rows, std::uint32_t columns, Dataflow dataflow, FoldMode folds) {
  MatrixUnitSpec spec;
  spec.rows = rows;
  spec.columns = columns;
  spec.dataflow = dataflow;
  spec.folds = folds;
  return spec;
}

TEST(MatmulTiming, OverlapsWeightLoadsWhenPipelined) {
  // F = 576 folds of T = 1 on 32x32: R + (F - 1) max(T, R) + T + R + C - 2.
  const MatmulTiming ws = matmul_timing(unit(32, 32, Dataflow::weight_stationary, FoldMode::pipelined),
                                        {1, 768, 768, 1, DataType::fp16, false});
  EXPECT_EQ(ws.folds, 576u);
  EXPECT_EQ(ws.total_cycles, 32u + 575 * 32 + 1 + 32 + 32 - 2);
  EXPECT_EQ(ws.issue_cycles, 576u * 32);
  const MatmulTiming os = matmul_timing(unit(8, 8, Dataflow::output_stationary, FoldMode::pipelined),
                                        {64, 64, 64, 2, DataType::fp16, false});
  EXPECT_EQ(os.total_cycles, 127u * 64 + 64 + 8 + 8 - 2);
}

TEST(MatmulTiming, ScalesWithTheElementType) {
  const MatrixUnitSpec spec = unit(32, 32, Dataflow::weight_stationary, FoldMode::pipelined);
  const MatmulTiming half = matmul_timing(spec, {128, 32, 32, 1, DataType::fp16, false});
  const MatmulTiming full = matmul_timing(spec, {128, 32, 32, 1, DataType::fp32, false});
  EXPECT_EQ(full.total_cycles, 2 * half.total_cycles);
  EXPECT_EQ(full.issue_cycles, 2 * half.issue_cycles);
}

TEST(MatmulTiming, MovesTheWordsOfTheReference) {
  const MatmulWork work{128, 64, 96, 1, DataType::fp16, false};
  const auto ws = matmul_traffic(unit(32, 32, Dataflow::weight_stationary, FoldMode::pipelined), work);
  // Inputs twice (2 column folds), weights once; 3 row folds: partial sums written 3 times, read again twice.
  EXPECT_EQ(ws.read_bytes, (2u * 128 * 96 + 96 * 64) * 2 + 2 * 128 * 64 * 4);
  EXPECT_EQ(ws.write_bytes, 3u * 128 * 64 * 4);
  MatmulWork more = work;
  more.accumulate = true;
  EXPECT_EQ(matmul_traffic(unit(32, 32, Dataflow::weight_stationary, FoldMode::pipelined), more).read_bytes,
            ws.read_bytes + 128 * 64 * 4);
  const auto os = matmul_traffic(unit(32, 32, Dataflow::output_stationary, FoldMode::serial), work);
  EXPECT_EQ(os.read_bytes, (2u * 128 * 96 + 4 * 96 * 64) * 2);
  EXPECT_EQ(os.write_bytes, 128u * 64 * 4);
}

TEST(VectorCycles, RoundsUpGroupsAndCycles) {
  VectorUnitSpec spec;
  spec.lanes = 64;
  spec.startup_cycles = 8;
  EXPECT_EQ(vector_cycles(spec, 2.0, 65), 12u);
  EXPECT_EQ(vector_cycles(spec, 1.5, 64), 10u);
  spec.startup_cycles = 0;
  EXPECT_EQ(vector_cycles(spec, 2.0, 0), 1u);
}

}  // namespace
}  // namespace dfsim
