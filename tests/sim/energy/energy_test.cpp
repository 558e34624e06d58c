#include "sim/energy/energy.h"

#include <gtest/gtest.h>

namespace dfsim {
namespace {

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

}  // namespace
}  // namespace dfsim
