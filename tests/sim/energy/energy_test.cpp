#include "sim/energy/energy.h"

#include <gtest/gtest.h>

#include "sim/hw/hardware_config.h"

namespace dfsim {
namespace {

double sum(const std::map<std::string, double>& parts) {
  double total = 0;
  for (const auto& [name, energy] : parts)
    if (name != "total") total += energy;
  return total;
}

TEST(Energy, AddsUpToTheTotal) {
  Measurement m;
  m.events = {{"mac_fp16", 1000}, {"router_flit", 3}, {"odd", 5}};
  const EnergySpec table{{{"mac_fp16", 2.0}, {"router_flit", 55.0}, {"link_flit", 31.0}}};
  add_energy(m, table);
  EXPECT_DOUBLE_EQ(m.energy_pj.at("mac_fp16"), 2000.0);
  EXPECT_DOUBLE_EQ(m.energy_pj.at("router_flit"), 165.0);
  EXPECT_DOUBLE_EQ(m.energy_pj.at("link_flit"), 0.0);
  EXPECT_DOUBLE_EQ(m.energy_pj.at("odd"), 0.0);
  EXPECT_DOUBLE_EQ(m.energy_pj.at("total"), 2165.0);
  EXPECT_EQ(unpriced_events(m, table), std::vector<std::string>{"odd"});
  add_energy(m, table);  // again: the same
  EXPECT_DOUBLE_EQ(m.energy_pj.at("total"), 2165.0);
}

TEST(Energy, SplitsTheTotalByBlock) {
  Measurement m;
  m.events = {{"mac_fp16", 1000},   {"mac_int8", 10},    {"router_flit", 3},     {"link_flit", 2},
              {"dram_activate", 1}, {"dram_refresh", 1}, {"dram_standby_ns", 4}, {"ethernet_byte", 2}};
  EnergySpec table;
  for (const auto& [name, count] : m.events) table.picojoules[name] = 10.0;
  add_energy(m, table);
  const std::map<std::string, double> expected{
      {"matrix_unit", 10100}, {"noc", 50}, {"dram", 10}, {"static", 50}, {"ethernet", 20}};
  EXPECT_EQ(m.energy_blocks_pj, expected);
  EXPECT_DOUBLE_EQ(sum(m.energy_blocks_pj), m.energy_pj.at("total"));
  EXPECT_DOUBLE_EQ(sum(m.energy_pj), m.energy_pj.at("total"));
}

// Every line of the shipped table belongs to a block, and has its source and technology beside it.
TEST(Energy, ShippedTableNamesBlockAndSourceOfEveryLine) {
  const HardwareSpec hardware = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh2x2.yaml");
  ASSERT_GE(hardware.energy.picojoules.size(), 17u);
  for (const auto& [name, price] : hardware.energy.picojoules) EXPECT_NE(energy_block(name), "other") << name;
}

}  // namespace
}  // namespace dfsim
