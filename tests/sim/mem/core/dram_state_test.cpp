// A probe for each timing constraint: refused one clock early, allowed on time.
#include "sim/mem/core/dram_state.h"

#include <gtest/gtest.h>

#include "sim/base/errors.h"
#include "tests/sim/mem/core/timing_monitor.h"

namespace dfsim {
namespace {

using C = DramCommand;

// Two ranks, two groups of two banks: bank 0 and 1 share a group, 2 is in the other group, 4 in the other
// rank.
DramDeviceSpec probe_device() {
  DramDeviceSpec device = test::small_device();
  device.ranks = 2;
  device.timing["FAW"] = 20;
  device.timing["RTRS"] = 2;
  device.timing["PPD"] = 4;
  device.timing["REFI"] = 1000;
  device.timing["RFC"] = 50;
  device.timing["RFCPB"] = 30;
  device.timing["RREFD"] = 11;
  device.timing["CCD_L_WR"] = 4;
  return device;
}

struct Probe {
  const char* name;
  std::vector<test::Issued> before;
  C command;
  std::uint32_t bank;
  std::uint64_t first_allowed;
};

void PrintTo(const Probe& probe, std::ostream* out) { *out << probe.name; }

void apply(DramState& state, const test::Issued& c) {
  if (c.command == C::activate) state.activate(c.bank, c.row, c.clock);
  if (c.command == C::precharge) state.precharge(c.bank, c.clock);
  if (c.command == C::refresh) state.refresh(state.rank_of(c.bank), c.clock);
  if (c.command == C::refresh_bank) state.refresh_bank(c.bank, c.clock);
  if (c.command == C::read || c.command == C::write) state.column(c.command, c.bank, c.clock);
}

/// Throws if the monitor finds a breach.
void show(const DramDeviceSpec& device, const DramTiming& timing, const std::vector<test::Issued>& log) {
  DramCommandMonitor monitor(timing, device.ranks, device.bank_groups, device.banks_per_group, {});
  for (const test::Issued& c : log) monitor.command(c.command, c.bank, c.row, c.clock);
  EXPECT_EQ(monitor.checked(), log.size());
}

class Constraint : public testing::TestWithParam<Probe> {};

TEST_P(Constraint, RefusesOneClockEarlyAndAllowsOnTime) {
  const DramDeviceSpec device = probe_device();
  const DramTiming timing = resolve_timing(device);
  DramState state(timing, device.ranks, device.bank_groups, device.banks_per_group);
  for (const test::Issued& c : GetParam().before) {
    EXPECT_LE(state.earliest(c.command, c.bank), c.clock) << "the probe's own commands must be legal";
    apply(state, c);
  }
  EXPECT_EQ(state.earliest(GetParam().command, GetParam().bank), GetParam().first_allowed);

  // Two independent judges agree on both sides of the boundary: that of the tests, which looks at every pair
  // of commands, and the monitor that watches all runs.
  const test::TimingMonitor judge(device, timing);
  std::vector<test::Issued> log = GetParam().before;
  log.push_back({GetParam().command, GetParam().bank, 7, GetParam().first_allowed});
  EXPECT_EQ(judge.violations(log), std::vector<std::string>{});
  EXPECT_NO_THROW(show(device, timing, log));
  log.back().clock -= 1;
  EXPECT_FALSE(judge.violations(log).empty());
  EXPECT_THROW(show(device, timing, log), SimulationError);
}

// small_device: CL 5, CWL 3, BL 2, RCD 4, RP 6, RAS 9 (RC 15), CCD 2/3, RRD 2/4, WTR 3/5, RTP 3, WR 7,
// RTW_GAP 2.
const std::vector<Probe> kProbes = {
    {"RCD_RD", {{C::activate, 0, 7, 100}}, C::read, 0, 104},
    {"RCD_WR", {{C::activate, 0, 7, 100}}, C::write, 0, 104},
    {"RAS", {{C::activate, 0, 7, 100}}, C::precharge, 0, 109},
    {"RP", {{C::activate, 0, 7, 50}, {C::precharge, 0, 7, 100}}, C::activate, 0, 106},
    {"RC", {{C::activate, 0, 7, 100}, {C::precharge, 0, 7, 109}}, C::activate, 0, 115},
    {"RTP", {{C::activate, 0, 7, 50}, {C::read, 0, 7, 100}}, C::precharge, 0, 103},
    {"WR", {{C::activate, 0, 7, 50}, {C::write, 0, 7, 100}}, C::precharge, 0, 112},
    {"RRD_S", {{C::activate, 0, 7, 100}}, C::activate, 2, 102},
    {"RRD_L", {{C::activate, 0, 7, 100}}, C::activate, 1, 104},
    {"FAW",
     {{C::activate, 0, 7, 100},
      {C::activate, 2, 7, 102},
      {C::activate, 1, 7, 104},
      {C::activate, 3, 7, 106},
      {C::precharge, 0, 7, 109}},
     C::activate,
     0,
     120},
    {"CCD_S", {{C::activate, 0, 7, 50}, {C::activate, 2, 7, 60}, {C::read, 0, 7, 100}}, C::read, 2, 102},
    {"CCD_L", {{C::activate, 0, 7, 50}, {C::activate, 1, 7, 60}, {C::read, 0, 7, 100}}, C::read, 1, 103},
    {"CCD_S_write",
     {{C::activate, 0, 7, 50}, {C::activate, 2, 7, 60}, {C::write, 0, 7, 100}},
     C::write,
     2,
     102},
    {"CCD_L_write",
     {{C::activate, 0, 7, 50}, {C::activate, 1, 7, 60}, {C::write, 0, 7, 100}},
     C::write,
     1,
     104},
    {"WTR_S", {{C::activate, 0, 7, 50}, {C::activate, 2, 7, 60}, {C::write, 0, 7, 100}}, C::read, 2, 108},
    {"WTR_L", {{C::activate, 0, 7, 50}, {C::activate, 1, 7, 60}, {C::write, 0, 7, 100}}, C::read, 1, 110},
    {"RTW_GAP", {{C::activate, 0, 7, 50}, {C::activate, 2, 7, 60}, {C::read, 0, 7, 100}}, C::write, 2, 106},
    {"RTRS_read_read",
     {{C::activate, 0, 7, 50}, {C::activate, 4, 7, 60}, {C::read, 0, 7, 100}},
     C::read,
     4,
     104},
    {"RTRS_write_write",
     {{C::activate, 0, 7, 50}, {C::activate, 4, 7, 60}, {C::write, 0, 7, 100}},
     C::write,
     4,
     104},
    {"RTRS_read_write",
     {{C::activate, 0, 7, 50}, {C::activate, 4, 7, 60}, {C::read, 0, 7, 100}},
     C::write,
     4,
     106},
    {"RTRS_write_read",
     {{C::activate, 0, 7, 50}, {C::activate, 4, 7, 60}, {C::write, 0, 7, 100}},
     C::read,
     4,
     102},
    {"RP_refresh", {{C::activate, 0, 7, 50}, {C::precharge, 0, 7, 100}}, C::refresh, 0, 106},
    {"RFC", {{C::refresh, 0, 0, 100}}, C::activate, 0, 150},
    {"RFC_refresh", {{C::refresh, 0, 0, 100}}, C::refresh, 0, 150},
    {"PPD",
     {{C::activate, 0, 7, 50}, {C::activate, 2, 7, 60}, {C::precharge, 0, 7, 100}},
     C::precharge,
     2,
     104},
    {"RP_refresh_bank", {{C::activate, 0, 7, 50}, {C::precharge, 0, 7, 100}}, C::refresh_bank, 0, 106},
    {"RFCPB", {{C::refresh_bank, 0, 0, 100}}, C::activate, 0, 130},
    {"RFCPB_refresh", {{C::refresh_bank, 0, 0, 100}}, C::refresh_bank, 0, 130},
    {"RREFD_refresh", {{C::refresh_bank, 0, 0, 100}}, C::refresh_bank, 1, 111},
    {"RREFD_activate", {{C::refresh_bank, 0, 0, 100}}, C::activate, 2, 111},
    {"RRD_S_refresh_bank", {{C::activate, 0, 7, 100}}, C::refresh_bank, 2, 102},
};

INSTANTIATE_TEST_SUITE_P(Timing, Constraint, testing::ValuesIn(kProbes),
                         [](const auto& info) { return std::string(info.param.name); });

// Raising the delay of one constraint at a time must move the result of at least one probe: no constraint
// goes unprobed.
TEST(DramTimingTable, EveryConstraintHasAProbe) {
  const DramDeviceSpec device = probe_device();
  const DramTiming timing = resolve_timing(device);
  for (const DramConstraint& c : timing.constraints()) {
    DramDelayTable delays = delay_table(timing);
    delays[static_cast<std::size_t>(c.scope)][static_cast<std::size_t>(c.before)]
          [static_cast<std::size_t>(c.after)] += 1000;
    bool moved = false;
    for (const Probe& probe : kProbes) {
      if (probe.command != c.after) continue;
      DramState state(timing, delays, device.ranks, device.bank_groups, device.banks_per_group, {});
      for (const test::Issued& before : probe.before) apply(state, before);
      moved = moved || state.earliest(probe.command, probe.bank) > probe.first_allowed;
    }
    EXPECT_TRUE(moved) << to_string(c.before) << " to " << to_string(c.after) << ": " << c.reason;
  }
}

TEST(DramTimingTable, NamesMissingAndUnknownParameters) {
  DramDeviceSpec device = test::small_device();
  device.timing.erase("RP");
  device.timing["CCD_M"] = 3;
  const auto problems = check_dram_device(device);
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0], "timing parameter 'RP' is missing");
  EXPECT_NE(problems[1].find("unknown timing parameter 'CCD_M'; did you mean"), std::string::npos);
  EXPECT_THROW(resolve_timing(device), SimulationError);
}

TEST(DramTimingTable, FillsDefaults) {
  const DramTiming t = resolve_timing(test::small_device());
  EXPECT_EQ(t.RC, 15u);
  EXPECT_EQ(t.RCD_RD, 4u);
  EXPECT_EQ(t.RCD_WR, 4u);
  EXPECT_EQ(t.RTW_GAP, 2u);
  EXPECT_EQ(t.COMMAND_BUSES, 1u);
}

}  // namespace
}  // namespace dfsim
