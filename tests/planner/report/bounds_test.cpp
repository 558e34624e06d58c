#include "planner/report/bounds.h"

#include <gtest/gtest.h>

#include "planner/ops/operator.h"
#include "tests/planner/report/fixture.h"

namespace dfsim {
namespace {

TEST(Bounds, CountWorkOverThePeakOfAllUnits) {
  const Graph graph = small_graph();
  const HardwareSpec chip = small_chip();
  ASSERT_EQ(macs_per_sample(graph), 64u * 32 + 32 * 16);
  // 4 PEs of 32 x 32 cells: 4096 MACs a cycle.
  EXPECT_DOUBLE_EQ(period_bound(graph, chip, 8).compute_cycles, 8 * 2560.0 / 4096.0);
}

TEST(Bounds, LeaveOutWeightsThatFitOnTheChip) {
  const Graph graph = small_graph();
  const HardwareSpec chip = small_chip();
  EXPECT_EQ(dram_bytes_per_sample(graph, HardwareSpec{}), (64u + 16u) * 2);
  const double peak = chip.peak_dram_bytes_per_cycle();
  EXPECT_DOUBLE_EQ(period_bound(graph, chip, 8).dram_cycles, 8 * 160.0 / peak);
  EXPECT_DOUBLE_EQ(cold_bound(graph, chip, 8).dram_cycles,
                   (8 * 160.0 + static_cast<double>(graph.weight_bytes())) / peak);
}

TEST(Bounds, CountWeightsBeyondAllScratchpads) {
  const Graph graph = small_graph();
  const HardwareSpec chip = small_chip({"pe.scratchpad_bytes=1024"});
  ASSERT_GT(graph.weight_bytes(), 4u * 1024);
  EXPECT_DOUBLE_EQ(
      period_bound(graph, chip, 1).dram_cycles,
      (160.0 + static_cast<double>(graph.weight_bytes()) - 4096.0) / chip.peak_dram_bytes_per_cycle());
}

TEST(Bounds, OfBertAreThoseOfItsPublishedShapes) {
  const Graph bert = load_model(std::string(DFSIM_SOURCE_DIR) + "/models/bert.yaml");
  const HardwareSpec chip = load_hardware(std::string(DFSIM_SOURCE_DIR) + "/configs/mesh8x8.yaml");
  EXPECT_EQ(macs_per_sample(bert), 11'174'215'680u);
  const PeriodBound bound = period_bound(bert, chip, 8);
  EXPECT_DOUBLE_EQ(bound.cycles(), 8 * 11'174'215'680.0 / 65'536.0);
  EXPECT_GT(cold_bound(bert, chip, 8).dram_cycles, bound.dram_cycles);
}

}  // namespace
}  // namespace dfsim
