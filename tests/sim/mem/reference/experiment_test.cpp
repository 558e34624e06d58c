// `dfsim dram` against rows measured with umd-memsys/DRAMsim3 (2021-04-05) and CMU-SAFARI/ramulator2
// (version 2.1).
#include "sim/mem/reference/experiment.h"

#include <gtest/gtest.h>

#include "sim/mem/core/address_map.h"
#include "sim/mem/reference/device_file.h"
#include "sim/mem/reference/pattern.h"

namespace dfsim {
namespace {

/// load 0: saturating (or idle, by the pattern). Bandwidth in GB/s, mean read latency in clocks, 0 where not
/// measured.
struct Row {
  const char* device;
  const char* scheduler;
  const char* address_map;
  const char* pattern;
  double load;
  std::uint64_t requests;
  double bandwidth_gb_s;
  double latency;
};

const Row kRows[] = {
    {"DDR4_8Gb_x8_2400", "", "shipped", "idle_row_closed", 0, 1, 0, 39.00},
    {"DDR4_8Gb_x8_2400", "", "shipped", "idle_row_hit", 0, 1, 0, 22.00},
    {"DDR4_8Gb_x8_2400", "", "shipped", "idle_row_conflict", 0, 1, 0, 56.00},
    {"DDR4_8Gb_x8_2400", "", "shipped", "seqread", 0, 50000, 14.928, 244.75},
    {"DDR4_8Gb_x8_2400", "", "shipped", "twostreammix", 0, 50000, 12.650, 474.22},
    {"DDR4_8Gb_x8_2400", "", "shipped", "randread", 0, 50000, 16.890, 527.87},
    {"DDR4_8Gb_x8_2400", "", "shipped", "randread", 0.10, 10000, 1.928, 67.72},
    {"DDR4_8Gb_x8_2400", "", "bankgroup_low", "idle_row_closed", 0, 1, 0, 39.00},
    {"DDR4_8Gb_x8_2400", "", "bankgroup_low", "idle_row_hit", 0, 1, 0, 22.00},
    {"DDR4_8Gb_x8_2400", "", "bankgroup_low", "idle_row_conflict", 0, 1, 0, 56.00},
    {"DDR4_8Gb_x8_2400", "", "bankgroup_low", "seqread", 0, 50000, 18.410, 303.32},
    {"DDR4_8Gb_x8_2400", "", "bankgroup_low", "twostreammix", 0, 50000, 17.063, 487.46},
    {"DDR4_8Gb_x8_2400", "", "bankgroup_low", "randread", 0, 50000, 16.700, 515.58},
    {"DDR4_8Gb_x8_2400", "", "bankgroup_low", "randread", 0.10, 10000, 1.928, 67.72},
    {"DDR4_8Gb_x16_2666", "", "shipped", "idle_row_closed", 0, 1, 0, 43.00},
    {"DDR4_8Gb_x16_2666", "", "shipped", "idle_row_hit", 0, 1, 0, 24.00},
    {"DDR4_8Gb_x16_2666", "", "shipped", "idle_row_conflict", 0, 1, 0, 62.00},
    {"DDR4_8Gb_x16_2666", "", "shipped", "seqread", 0, 50000, 15.517, 260.47},
    {"DDR4_8Gb_x16_2666", "", "shipped", "twostreammix", 0, 50000, 12.438, 528.07},
    {"DDR4_8Gb_x16_2666", "", "shipped", "randread", 0, 50000, 15.060, 540.80},
    {"DDR4_8Gb_x16_2666", "", "shipped", "randread", 0.10, 10000, 2.133, 78.01},
    {"LPDDR4_8Gb_x16_2400", "", "shipped", "idle_row_closed", 0, 1, 0, 41.00},
    {"LPDDR4_8Gb_x16_2400", "", "shipped", "idle_row_hit", 0, 1, 0, 26.00},
    {"LPDDR4_8Gb_x16_2400", "", "shipped", "idle_row_conflict", 0, 1, 0, 56.00},
    {"LPDDR4_8Gb_x16_2400", "", "shipped", "seqread", 0, 50000, 18.411, 434.08},
    {"LPDDR4_8Gb_x16_2400", "", "shipped", "twostreammix", 0, 50000, 17.660, 708.09},
    {"LPDDR4_8Gb_x16_2400", "", "shipped", "randread", 0, 50000, 19.032, 944.34},
    {"LPDDR4_8Gb_x16_2400", "", "shipped", "randread", 0.10, 10000, 1.928, 66.15},
    {"HBM2_8Gb_x128", "", "shipped", "idle_row_closed", 0, 1, 0, 31.00},
    {"HBM2_8Gb_x128", "", "shipped", "idle_row_hit", 0, 1, 0, 17.00},
    {"HBM2_8Gb_x128", "", "shipped", "idle_row_conflict", 0, 1, 0, 45.00},
    {"HBM2_8Gb_x128", "", "shipped", "seqread", 0, 50000, 237.248, 84.02},
    {"HBM2_8Gb_x128", "", "shipped", "twostreammix", 0, 50000, 168.217, 163.68},
    {"HBM2_8Gb_x128", "", "shipped", "randread", 0, 50000, 60.702, 454.04},
    {"HBM2_8Gb_x128", "", "shipped", "randread", 0.10, 10000, 25.523, 67.69},
    {"HBM2_4Gb_x128", "", "shipped", "idle_row_closed", 0, 1, 0, 31.00},
    {"HBM2_4Gb_x128", "", "shipped", "idle_row_hit", 0, 1, 0, 17.00},
    {"HBM2_4Gb_x128", "", "shipped", "idle_row_conflict", 0, 1, 0, 45.00},
    {"HBM2_4Gb_x128", "", "shipped", "seqread", 0, 50000, 237.248, 84.02},
    {"HBM2_4Gb_x128", "", "shipped", "twostreammix", 0, 50000, 168.217, 163.68},
    {"HBM2_4Gb_x128", "", "shipped", "randread", 0, 50000, 60.637, 464.49},
    {"HBM2_4Gb_x128", "", "shipped", "randread", 0.10, 10000, 25.523, 67.68},
    {"DDR3_4Gb_x8_1600", "", "shipped", "idle_row_closed", 0, 1, 0, 27.00},
    {"DDR3_4Gb_x8_1600", "", "shipped", "idle_row_hit", 0, 1, 0, 16.00},
    {"DDR3_4Gb_x8_1600", "", "shipped", "idle_row_conflict", 0, 1, 0, 38.00},
    {"DDR3_4Gb_x8_1600", "", "shipped", "seqread", 0, 50000, 12.488, 194.11},
    {"DDR3_4Gb_x8_1600", "", "shipped", "twostreammix", 0, 50000, 11.805, 337.65},
    {"DDR3_4Gb_x8_1600", "", "shipped", "randread", 0, 50000, 11.580, 430.65},
    {"DDR3_4Gb_x8_1600", "", "shipped", "randread", 0.10, 10000, 1.280, 41.52},
    {"DDR4_2400", "FRFCFS", "RoBaRaCoCh", "idle_row_closed", 0, 1, 0, 37},
    {"DDR4_2400", "FRFCFS", "RoBaRaCoCh", "idle_row_hit", 0, 1, 0, 21},
    {"DDR4_2400", "FRFCFS", "RoBaRaCoCh", "idle_row_conflict", 0, 1, 0, 53},
    {"DDR4_2400", "FRFCFS", "RoBaRaCoCh", "seqread", 0, 50000, 14.359, 191.28},
    {"DDR4_2400", "FRFCFS", "RoBaRaCoCh", "twostreammix", 0, 50000, 12.395, 416.78},
    {"DDR4_2400", "FRFCFS", "RoBaRaCoCh", "randread", 0, 50000, 11.227, 254.88},
    {"DDR4_2400", "FRFCFS", "RoBaRaCoCh", "randread", 0.10, 10000, 1.921, 67.53},
    {"DDR4_2400", "FRFCFS", "MOP4CLXOR", "idle_row_closed", 0, 1, 0, 37},
    {"DDR4_2400", "FRFCFS", "MOP4CLXOR", "idle_row_conflict", 0, 1, 0, 53},
    {"DDR4_2400", "FRFCFS", "MOP4CLXOR", "seqread", 0, 50000, 17.959, 159.10},
    {"DDR4_2400", "FRFCFS", "MOP4CLXOR", "twostreammix", 0, 50000, 14.994, 356.36},
    {"DDR4_2400", "FRFCFS", "MOP4CLXOR", "randread", 0, 50000, 11.226, 254.89},
    {"DDR4_2400", "FRFCFS", "MOP4CLXOR", "randread", 0.10, 10000, 1.921, 67.08},
    {"DDR4_2400", "RowHit", "RoBaRaCoCh", "idle_row_closed", 0, 1, 0, 37},
    {"DDR4_2400", "RowHit", "RoBaRaCoCh", "idle_row_hit", 0, 1, 0, 21},
    {"DDR4_2400", "RowHit", "RoBaRaCoCh", "idle_row_conflict", 0, 1, 0, 53},
    {"DDR4_2400", "RowHit", "RoBaRaCoCh", "seqread", 0, 50000, 14.359, 191.28},
    {"DDR4_2400", "RowHit", "RoBaRaCoCh", "twostreammix", 0, 50000, 12.395, 416.78},
    {"DDR4_2400", "RowHit", "RoBaRaCoCh", "randread", 0, 50000, 11.227, 254.88},
    {"DDR4_2400", "RowHit", "RoBaRaCoCh", "randread", 0.10, 10000, 1.921, 67.53},
    {"DDR4_3200", "FRFCFS", "RoBaRaCoCh", "idle_row_closed", 0, 1, 0, 49},
    {"DDR4_3200", "FRFCFS", "RoBaRaCoCh", "idle_row_hit", 0, 1, 0, 27},
    {"DDR4_3200", "FRFCFS", "RoBaRaCoCh", "idle_row_conflict", 0, 1, 0, 71},
    {"DDR4_3200", "FRFCFS", "RoBaRaCoCh", "seqread", 0, 50000, 15.735, 234.34},
    {"DDR4_3200", "FRFCFS", "RoBaRaCoCh", "twostreammix", 0, 50000, 13.107, 526.11},
    {"DDR4_3200", "FRFCFS", "RoBaRaCoCh", "randread", 0, 50000, 11.120, 342.54},
    {"DDR4_3200", "FRFCFS", "RoBaRaCoCh", "randread", 0.10, 10000, 2.558, 93.39},
    {"LPDDR5_6400", "FRFCFS", "RoBaRaCoCh", "idle_row_closed", 0, 1, 0, 36},
    {"LPDDR5_6400", "FRFCFS", "RoBaRaCoCh", "idle_row_hit", 0, 1, 0, 21},
    {"LPDDR5_6400", "FRFCFS", "RoBaRaCoCh", "idle_row_conflict", 0, 1, 0, 51},
    {"LPDDR5_6400", "FRFCFS", "RoBaRaCoCh", "seqread", 0, 50000, 10.328, 98.53},
    {"LPDDR5_6400", "FRFCFS", "RoBaRaCoCh", "twostreammix", 0, 50000, 6.886, 257.11},
    {"LPDDR5_6400", "FRFCFS", "RoBaRaCoCh", "randread", 0, 50000, 5.704, 177.45},
    {"LPDDR5_6400", "FRFCFS", "RoBaRaCoCh", "randread", 0.10, 10000, 1.278, 61.94},
    {"LPDDR5_6400", "FRFCFS", "MOP4CLXOR", "idle_row_closed", 0, 1, 0, 36},
    {"LPDDR5_6400", "FRFCFS", "MOP4CLXOR", "idle_row_conflict", 0, 1, 0, 51},
    {"LPDDR5_6400", "FRFCFS", "MOP4CLXOR", "seqread", 0, 50000, 11.786, 89.81},
    {"LPDDR5_6400", "FRFCFS", "MOP4CLXOR", "twostreammix", 0, 50000, 7.403, 246.39},
    {"LPDDR5_6400", "FRFCFS", "MOP4CLXOR", "randread", 0, 50000, 5.705, 177.39},
    {"LPDDR5_6400", "FRFCFS", "MOP4CLXOR", "randread", 0.10, 10000, 1.280, 61.54},
    {"HBM2_2000", "FRFCFS", "RoBaRaCoCh", "idle_row_closed", 0, 1, 0, 32},
    {"HBM2_2000", "FRFCFS", "RoBaRaCoCh", "idle_row_hit", 0, 1, 0, 17},
    {"HBM2_2000", "FRFCFS", "RoBaRaCoCh", "idle_row_conflict", 0, 1, 0, 45},
    {"HBM2_2000", "FRFCFS", "RoBaRaCoCh", "seqread", 0, 50000, 16.175, 79.77},
    {"HBM2_2000", "FRFCFS", "RoBaRaCoCh", "twostreammix", 0, 50000, 11.223, 198.99},
    {"HBM2_2000", "FRFCFS", "RoBaRaCoCh", "randread", 0, 50000, 9.639, 137.16},
    {"HBM2_2000", "FRFCFS", "RoBaRaCoCh", "randread", 0.10, 10000, 3.199, 73.02},
    {"HBM2_2000", "FRFCFS", "MOP4CLXOR", "idle_row_closed", 0, 1, 0, 32},
    {"HBM2_2000", "FRFCFS", "MOP4CLXOR", "idle_row_conflict", 0, 1, 0, 45},
    {"HBM2_2000", "FRFCFS", "MOP4CLXOR", "seqread", 0, 50000, 27.966, 53.26},
    {"HBM2_2000", "FRFCFS", "MOP4CLXOR", "twostreammix", 0, 50000, 15.018, 157.22},
    {"HBM2_2000", "FRFCFS", "MOP4CLXOR", "randread", 0, 50000, 9.634, 137.22},
    {"HBM2_2000", "FRFCFS", "MOP4CLXOR", "randread", 0.10, 10000, 3.199, 73.17},
    {"GDDR6_14000", "FRFCFS", "RoBaRaCoCh", "idle_row_closed", 0, 1, 0, 54},
    {"GDDR6_14000", "FRFCFS", "RoBaRaCoCh", "idle_row_hit", 0, 1, 0, 27},
    {"GDDR6_14000", "FRFCFS", "RoBaRaCoCh", "idle_row_conflict", 0, 1, 0, 81},
    {"GDDR6_14000", "FRFCFS", "RoBaRaCoCh", "seqread", 0, 50000, 20.435, 114.31},
    {"GDDR6_14000", "FRFCFS", "RoBaRaCoCh", "twostreammix", 0, 50000, 13.195, 298.67},
    {"GDDR6_14000", "FRFCFS", "RoBaRaCoCh", "randread", 0, 50000, 6.421, 332.54},
    {"GDDR6_14000", "FRFCFS", "RoBaRaCoCh", "randread", 0.10, 10000, 2.798, 112.75},
};

DramExperimentResult run(const Row& row) {
  const NamedDevice named =
      load_reference_device(std::string(DFSIM_SOURCE_DIR "/configs/memory/") +
                            (row.scheduler[0] ? "ramulator2/" : "dramsim3/") + row.device + ".yaml");
  DramExperiment e;
  e.device = named.device;
  e.source = row.scheduler[0] ? DramSource::ramulator2 : DramSource::dramsim3;
  e.channels = reference_channels(e.device, e.source);
  e.device.ranks = reference_ranks(e.device, e.source);
  e.scheduler = row.scheduler;
  e.address_map = reference_address_map(row.address_map, e.device);
  e.requests = row.requests;
  e.pattern = row.pattern;
  if (row.load > 0) e.load = row.load;
  return run_dram_experiment(e);
}

class ReferenceRow : public testing::TestWithParam<Row> {};

// Unloaded latencies to a clock; streams to 5 %, random and mixed traffic to 10 %, latency at 10 % load to 10
// %.
TEST_P(ReferenceRow, Agrees) {
  const Row& row = GetParam();
  const DramExperimentResult result = run(row);
  if (is_idle_pattern(row.pattern)) {
    EXPECT_NEAR(result.mean_read_latency_cycles, row.latency, 1);
    return;
  }
  const double tolerance = std::string(row.pattern) == "seqread" ? 0.05 : 0.10;
  EXPECT_NEAR(result.bandwidth_gb_s, row.bandwidth_gb_s, tolerance * row.bandwidth_gb_s);
  if (row.load > 0) {
    EXPECT_NEAR(result.mean_read_latency_cycles, row.latency, 0.10 * row.latency);
  }
}

INSTANTIATE_TEST_SUITE_P(Dram, ReferenceRow, testing::ValuesIn(kRows));

TEST(DramPattern, FollowsItsDefinition) {
  PatternSpace space{1 << 20, 64, 8192, 131072};
  const auto at = [&](const char* name, std::uint64_t i) {
    const auto pattern = make_pattern(name, space);
    PatternRequest request;
    for (std::uint64_t k = 0; k <= i; ++k) request = pattern->next(k);
    return request;
  };
  EXPECT_EQ(at("seqread", 5).burst, 5u);
  EXPECT_TRUE(at("seqwrite", 5).write);
  EXPECT_EQ(at("twostreammix", 3).burst, (1u << 19) + 3 * 128 + 1);
  EXPECT_EQ(at("stridepage", 2).burst, 256u);
  EXPECT_EQ(at("stridesamebank", 2).burst, 4096u);
  EXPECT_EQ(at("strided4k", 3).burst, 192u);
  EXPECT_EQ(at("streams4", 7).burst, 3u * (1 << 18) + 977 * 3 + 1);
  EXPECT_EQ(at("randread", 0).burst, 8748534153485358512ull % (1 << 20));  // first value of xorshift64
}

}  // namespace
}  // namespace dfsim
