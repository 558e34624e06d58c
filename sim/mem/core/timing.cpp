#include "sim/mem/core/timing.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

struct Name {
  const char* name;
  std::uint32_t DramTiming::*member;  ///< null: a name that stands for several members
  bool required;
};

constexpr Name kNames[] = {
    {"CL", &DramTiming::CL, true},
    {"CWL", &DramTiming::CWL, true},
    {"BL", &DramTiming::BL, true},
    {"RCD", nullptr, false},
    {"RCD_RD", &DramTiming::RCD_RD, false},
    {"RCD_WR", &DramTiming::RCD_WR, false},
    {"RP", &DramTiming::RP, true},
    {"RAS", &DramTiming::RAS, true},
    {"RC", &DramTiming::RC, false},
    {"CCD_S", &DramTiming::CCD_S, false},
    {"CCD_L", &DramTiming::CCD_L, false},
    {"CCD_L_WR", &DramTiming::CCD_L_WR, false},
    {"RRD_S", &DramTiming::RRD_S, false},
    {"RRD_L", &DramTiming::RRD_L, false},
    {"FAW", &DramTiming::FAW, false},
    {"WTR_S", &DramTiming::WTR_S, false},
    {"WTR_L", &DramTiming::WTR_L, false},
    {"RTP", &DramTiming::RTP, false},
    {"WR", &DramTiming::WR, false},
    {"RTW_GAP", &DramTiming::RTW_GAP, false},
    {"RTRS", &DramTiming::RTRS, false},
    {"PPD", &DramTiming::PPD, false},
    {"REFI", &DramTiming::REFI, false},
    {"RFC", &DramTiming::RFC, false},
    {"RFCPB", &DramTiming::RFCPB, false},
    {"REFIPB", &DramTiming::REFIPB, false},
    {"RREFD", &DramTiming::RREFD, false},
    {"COMMAND_BUSES", &DramTiming::COMMAND_BUSES, false},
    {"ACT_CLOCKS", &DramTiming::ACT_CLOCKS, false},
};

std::uint32_t positive_difference(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : 0; }

}  // namespace

std::string to_string(DramCommand command) {
  switch (command) {
    case DramCommand::activate:
      return "activate";
    case DramCommand::precharge:
      return "precharge";
    case DramCommand::read:
      return "read";
    case DramCommand::write:
      return "write";
    case DramCommand::refresh:
      return "refresh";
    case DramCommand::refresh_bank:
      return "refresh of a bank";
  }
  throw SimulationError("unknown DRAM command");
}

std::vector<std::string> check_dram_device(const DramDeviceSpec& device) {
  std::vector<std::string> problems;
  if (device.ideal) {
    if (!(device.ideal_bytes_per_cycle > 0)) problems.push_back("an ideal device needs a positive rate");
    return problems;
  }
  std::vector<std::string> known;
  for (const Name& entry : kNames) {
    known.push_back(entry.name);
    if (entry.required && !device.timing.contains(entry.name))
      problems.push_back(fmt::format("timing parameter '{}' is missing", entry.name));
  }
  if (!device.timing.contains("RCD") &&
      !(device.timing.contains("RCD_RD") && device.timing.contains("RCD_WR")))
    problems.push_back("timing parameter 'RCD' is missing (or both 'RCD_RD' and 'RCD_WR')");
  for (const auto& [name, value] : device.timing) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest_name(name, known);
    problems.push_back(fmt::format("unknown timing parameter '{}'{}", name,
                                   near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
  const auto value_of = [&](const char* name) {
    const auto it = device.timing.find(name);
    return it == device.timing.end() ? 0u : it->second;
  };
  if (device.timing.contains("BL") && value_of("BL") == 0)
    problems.push_back("timing parameter 'BL' is zero");
  if (value_of("REFI") != 0 && value_of("RFC") + value_of("RC") >= value_of("REFI"))
    problems.push_back("a refresh ('RFC') takes longer than the refresh interval ('REFI')");
  if (value_of("RFCPB") != 0 && device.timing.contains("REFIPB") &&
      value_of("RFCPB") + value_of("RP") >= value_of("REFIPB") * device.bank_groups * device.banks_per_group)
    problems.push_back("a per-bank refresh ('RFCPB') takes longer than a bank's turn ('REFIPB' x banks)");
  if (device.clock_period_ps == 0) problems.push_back("the clock period is zero");
  if (device.burst_bytes == 0 || device.page_bytes % std::max(device.burst_bytes, 1u) != 0 ||
      device.page_bytes == 0)
    problems.push_back("the page is not a whole number of bursts");
  if (device.ranks == 0 || device.bank_groups == 0 || device.banks_per_group == 0 || device.rows == 0)
    problems.push_back("ranks, bank groups, banks and rows must be at least 1");
  if (std::uint64_t{device.ranks} * device.bank_groups * device.banks_per_group > 1024)
    problems.push_back("more than 1024 banks behind one port");
  return problems;
}

DramTiming resolve_timing(const DramDeviceSpec& device) {
  const std::vector<std::string> problems = check_dram_device(device);
  if (!problems.empty())
    throw SimulationError(fmt::format("DRAM device '{}': {}", device.name, fmt::join(problems, "; ")));
  DramTiming t;
  for (const Name& entry : kNames) {
    const auto it = device.timing.find(entry.name);
    if (entry.member && it != device.timing.end()) t.*entry.member = it->second;
  }
  const auto default_to = [&](const char* name, std::uint32_t DramTiming::*member, std::uint32_t value) {
    if (!device.timing.contains(name)) t.*member = value;
  };
  if (const auto rcd = device.timing.find("RCD"); rcd != device.timing.end()) {
    default_to("RCD_RD", &DramTiming::RCD_RD, rcd->second);
    default_to("RCD_WR", &DramTiming::RCD_WR, rcd->second);
  }
  default_to("RC", &DramTiming::RC, t.RAS + t.RP);
  default_to("CCD_S", &DramTiming::CCD_S, t.BL);
  default_to("CCD_L", &DramTiming::CCD_L, t.CCD_S);
  default_to("CCD_L_WR", &DramTiming::CCD_L_WR, t.CCD_L);
  default_to("RRD_L", &DramTiming::RRD_L, t.RRD_S);
  default_to("WTR_L", &DramTiming::WTR_L, t.WTR_S);
  default_to("RREFD", &DramTiming::RREFD, t.RRD_L);
  const std::uint32_t banks = device.bank_groups * device.banks_per_group;
  default_to("REFIPB", &DramTiming::REFIPB, t.REFI == 0 ? 0 : std::max(1u, t.REFI / banks));
  default_to("RTW_GAP", &DramTiming::RTW_GAP, 2);
  default_to("RTRS", &DramTiming::RTRS, 1);
  default_to("COMMAND_BUSES", &DramTiming::COMMAND_BUSES, 1);
  default_to("ACT_CLOCKS", &DramTiming::ACT_CLOCKS, 1);
  t.CCD_S = std::max(t.CCD_S, t.BL);
  t.CCD_L = std::max(t.CCD_L, t.BL);
  t.CCD_L_WR = std::max(t.CCD_L_WR, t.BL);
  return t;
}

std::vector<DramConstraint> DramTiming::constraints() const {
  using enum DramCommand;
  using enum DramScope;
  return {
      {bank, activate, read, RCD_RD, "RCD"},
      {bank, activate, write, RCD_WR, "RCD"},
      {bank, activate, precharge, RAS, "RAS"},
      {bank, activate, activate, RC, "RC"},
      {bank, precharge, activate, RP, "RP"},
      {bank, read, precharge, RTP, "RTP"},
      {bank, write, precharge, CWL + BL + WR, "CWL + BL + WR"},
      {bank_group, activate, activate, RRD_L, "RRD_L"},
      {bank_group, read, read, CCD_L, "CCD_L"},
      {bank_group, write, write, CCD_L_WR, "CCD_L_WR"},
      {bank_group, write, read, CWL + BL + WTR_L, "CWL + BL + WTR_L"},
      {rank, activate, activate, RRD_S, "RRD_S"},
      {rank, read, read, CCD_S, "CCD_S"},
      {rank, write, write, CCD_S, "CCD_S"},
      {rank, write, read, CWL + BL + WTR_S, "CWL + BL + WTR_S"},
      {rank, read, write, positive_difference(CL + BL + RTW_GAP, CWL), "CL + BL + RTW_GAP - CWL"},
      {rank, precharge, precharge, PPD, "PPD"},
      {rank, precharge, refresh, RP, "RP"},
      {rank, refresh, activate, RFC, "RFC"},
      {rank, refresh, refresh, RFC, "RFC"},
      {bank, precharge, refresh_bank, RP, "RP"},
      {bank, refresh_bank, activate, RFCPB, "RFCPB"},
      {bank, refresh_bank, refresh_bank, RFCPB, "RFCPB"},
      {rank, refresh_bank, refresh_bank, RREFD, "RREFD"},
      {rank, refresh_bank, activate, RREFD, "RREFD"},
      {rank, activate, refresh_bank, RRD_S, "RRD_S"},
      {other_rank, read, read, BL + RTRS, "BL + RTRS"},
      {other_rank, write, write, BL + RTRS, "BL + RTRS"},
      {other_rank, read, write, positive_difference(CL + BL + RTRS, CWL), "CL + BL + RTRS - CWL"},
      {other_rank, write, read, positive_difference(CWL + BL + RTRS, CL), "CWL + BL + RTRS - CL"},
  };
}

DramDelayTable delay_table(const DramTiming& timing) {
  DramDelayTable table{};
  for (const DramConstraint& c : timing.constraints()) {
    auto& delay = table[static_cast<std::size_t>(c.scope)][static_cast<std::size_t>(c.before)]
                       [static_cast<std::size_t>(c.after)];
    delay = std::max(delay, c.clocks);
  }
  return table;
}

}  // namespace dfsim
