#include "sim/host/core/roofline.h"

#include <gtest/gtest.h>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

ProcessorSpec processor() {
  ProcessorSpec spec;
  spec.name = "gpu";
  spec.kind = ProcessorKind::gpu;
  spec.units = 10;
  spec.clock_mhz = 1000;
  spec.matrix_operations = {{DataType::fp16, 100}};  // 1000 operations per ns in all
  spec.vector_operations = {{DataType::fp16, 10}};
  spec.memory_bytes_per_ns = 50;
  spec.launch_ns = 7;
  return spec;
}

KernelWork kernel(std::uint64_t operations, std::uint64_t bytes) {
  return {"matmul", DataType::fp16, true, operations, bytes, 1000};
}

TEST(Roofline, IsBoundByComputingOrByMemory) {
  EXPECT_DOUBLE_EQ(kernel_time(processor(), kernel(5000, 100)).work_ps, 5000);    // 5 ns against 2
  EXPECT_DOUBLE_EQ(kernel_time(processor(), kernel(5000, 1000)).work_ps, 20000);  // 20 ns of memory
  EXPECT_EQ(kernel_time(processor(), kernel(1, 1)).launch_ps, 7000u);
}

TEST(Roofline, TakesVectorWorkAtTheVectorRate) {
  KernelWork work = kernel(5000, 100);
  work.matrix = false;
  EXPECT_DOUBLE_EQ(kernel_time(processor(), work).work_ps, 50000);
}

TEST(Roofline, TakesTheEfficiencyOfTheKindOrTheDefault) {
  ProcessorSpec spec = processor();
  spec.efficiency["default"] = {0.5, 1, "test"};
  EXPECT_DOUBLE_EQ(kernel_time(spec, kernel(5000, 100)).work_ps, 10000);
  spec.efficiency["matmul"] = {0.25, 1, "test"};
  EXPECT_DOUBLE_EQ(kernel_time(spec, kernel(5000, 100)).work_ps, 20000);
}

// 1000 elements in tiles of 50 are 20 tiles: 2 full waves on 10 units. In tiles of 90 they are 12: 2 waves,
// 12 of 20 places.
TEST(Roofline, RunsWholeWavesOfTiles) {
  ProcessorSpec spec = processor();
  spec.tile_elements = 50;
  EXPECT_DOUBLE_EQ(kernel_time(spec, kernel(5000, 100)).work_ps, 5000);
  spec.tile_elements = 90;
  const KernelTime time = kernel_time(spec, kernel(5000, 100));
  EXPECT_DOUBLE_EQ(time.work_ps, 5000 / 0.6);
  EXPECT_DOUBLE_EQ(time.share, 0.6);
}

TEST(Roofline, RefusesATypeWithoutARate) {
  KernelWork work = kernel(5000, 100);
  work.type = DataType::int8;
  EXPECT_THROW(kernel_time(processor(), work), SimulationError);
}

}  // namespace
}  // namespace dfsim
