#include "sim/mem/core/command_monitor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

using C = DramCommand;

std::size_t index(C command) { return static_cast<std::size_t>(command); }
bool is_column(C command) { return command == C::read || command == C::write; }

}  // namespace

bool DramCommandMonitor::wanted() {
  static const bool wanted = std::getenv("DFSIM_DRAM_MONITOR") != nullptr;
  return wanted;
}

DramCommandMonitor::DramCommandMonitor(const DramTiming& timing, std::uint32_t ranks,
                                       std::uint32_t bank_groups, std::uint32_t banks_per_group,
                                       DramMonitorRules rules)
    : t_(timing),
      banks_per_rank_(bank_groups * banks_per_group),
      banks_per_group_(banks_per_group),
      rules_(rules) {
  banks_.resize(std::size_t{ranks} * banks_per_rank_);
  groups_.resize(std::size_t{ranks} * bank_groups);
  ranks_.resize(ranks);
  row_.resize(banks_.size());
  open_.resize(ranks);
  window_.resize(ranks);
  data_bus_.resize(rules.data_bus_per_rank ? ranks : 1);
  reset();
}

void DramCommandMonitor::reset() {
  Last never;
  never.fill(kLongAgo);
  std::fill(banks_.begin(), banks_.end(), never);
  std::fill(groups_.begin(), groups_.end(), never);
  std::fill(ranks_.begin(), ranks_.end(), never);
  std::fill(row_.begin(), row_.end(), kClosed);
  std::fill(open_.begin(), open_.end(), 0u);
  for (auto& window : window_) window.fill(kLongAgo);
  command_bus_.fill({});
  std::fill(data_bus_.begin(), data_bus_.end(), Bus{});
  checked_ = 0;
}

void DramCommandMonitor::fail(const Now& now, const char* rule, std::uint64_t needs,
                              std::uint64_t since) const {
  throw SimulationError(
      fmt::format("DRAM monitor, clock {}: {} of bank {} breaks {}: {} clocks needed, {} passed", now.clock,
                  to_string(now.command), now.bank, rule, needs, since));
}

// At least `clocks` since the last `before`.
void DramCommandMonitor::apart(const Now& now, const Last& last, C before, std::uint64_t clocks,
                               const char* rule) const {
  const std::uint64_t at = last[index(before)];
  if (at == kLongAgo) return;
  if (now.clock < at || now.clock - at < clocks) fail(now, rule, clocks, now.clock - at);
}

void DramCommandMonitor::command(C command, std::uint32_t bank, std::uint32_t row, std::uint64_t clock) {
  const Now now{command, bank, bank / banks_per_group_, bank / banks_per_rank_, clock};
  ++checked_;
  check_rows(now, row);
  switch (command) {
    case C::activate:
      check_activate(now);
      break;
    case C::precharge:
      check_precharge(now);
      break;
    case C::read:
    case C::write:
      check_column(now);
      check_data_bus(now);
      break;
    case C::refresh:
    case C::refresh_bank:
      check_refresh(now);
      break;
  }
  check_command_bus(now);
  banks_[bank][index(command)] = clock;
  groups_[now.group][index(command)] = clock;
  ranks_[now.rank][index(command)] = clock;
}

// Rows are opened before they are used and closed before another is opened or the bank is refreshed.
void DramCommandMonitor::check_rows(const Now& now, std::uint32_t row) {
  const auto need = [&](bool ok, const char* rule) {
    if (!ok) fail(now, rule, 0, 0);
  };
  switch (now.command) {
    case C::activate:
      need(row_[now.bank] == kClosed, "'the bank is closed'");
      row_[now.bank] = row;
      ++open_[now.rank];
      break;
    case C::precharge:
      need(row_[now.bank] != kClosed, "'the bank is open'");
      row_[now.bank] = kClosed;
      --open_[now.rank];
      break;
    case C::refresh:
      need(open_[now.rank] == 0, "'all banks of the rank are closed'");
      break;
    case C::refresh_bank:
      need(row_[now.bank] == kClosed, "'the bank is closed'");
      break;
    default:
      need(row_[now.bank] == row, "'the row is open'");
  }
}

void DramCommandMonitor::check_activate(const Now& now) {
  const Last &bank = banks_[now.bank], &group = groups_[now.group], &rank = ranks_[now.rank];
  apart(now, bank, C::activate, t_.RC, "RC");
  apart(now, bank, C::precharge, t_.RP, "RP");
  apart(now, bank, C::refresh_bank, t_.RFCPB, "RFCPB");
  apart(now, group, C::activate, t_.RRD_L, "RRD_L");
  apart(now, rank, C::activate, t_.RRD_S, "RRD_S");
  apart(now, rank, C::refresh, t_.RFC, "RFC");
  apart(now, rank, C::refresh_bank, t_.RREFD, "RREFD");
  // The fourth last activate of the rank lies at least FAW back.
  auto& window = window_[now.rank];
  if (t_.FAW != 0 && window[0] != kLongAgo && now.clock - window[0] < t_.FAW)
    fail(now, "FAW", t_.FAW, now.clock - window[0]);
  std::rotate(window.begin(), window.begin() + 1, window.end());
  window[3] = now.clock;
}

void DramCommandMonitor::check_precharge(const Now& now) const {
  const Last& bank = banks_[now.bank];
  apart(now, bank, C::activate, t_.RAS, "RAS");
  apart(now, bank, C::read, t_.RTP, "RTP");
  apart(now, bank, C::write, std::uint64_t{t_.CWL} + t_.BL + t_.WR, "WR after the write data");
  // Banks closed by one precharge-all command are reported one by one in its clock.
  const std::uint64_t last = ranks_[now.rank][index(C::precharge)];
  if (last != kLongAgo && last != now.clock) apart(now, ranks_[now.rank], C::precharge, t_.PPD, "PPD");
}

void DramCommandMonitor::check_column(const Now& now) const {
  const Last &bank = banks_[now.bank], &group = groups_[now.group], &rank = ranks_[now.rank];
  const bool read = now.command == C::read;
  apart(now, bank, C::activate, read ? t_.RCD_RD : t_.RCD_WR, "RCD");
  apart(now, group, now.command, read ? t_.CCD_L : t_.CCD_L_WR, "CCD_L");
  apart(now, rank, now.command, t_.CCD_S, "CCD_S");
  if (!read) return;
  const std::uint64_t data = std::uint64_t{t_.CWL} + t_.BL;
  apart(now, group, C::write, data + t_.WTR_L, "WTR_L after the write data");
  apart(now, rank, C::write, data + t_.WTR_S, "WTR_S after the write data");
}

void DramCommandMonitor::check_refresh(const Now& now) const {
  const Last &bank = banks_[now.bank], &rank = ranks_[now.rank];
  if (now.command == C::refresh) {
    apart(now, rank, C::precharge, t_.RP, "RP");
    apart(now, rank, C::refresh, t_.RFC, "RFC");
    return;
  }
  apart(now, bank, C::precharge, t_.RP, "RP");
  apart(now, bank, C::refresh_bank, t_.RFCPB, "RFCPB");
  apart(now, rank, C::refresh_bank, t_.RREFD, "RREFD");
  apart(now, rank, C::activate, t_.RRD_S, "RRD_S");
}

// One command per clock and bus; an activate may hold its bus longer.
void DramCommandMonitor::check_command_bus(const Now& now) {
  Bus& bus = command_bus_[t_.COMMAND_BUSES == 2 && is_column(now.command) ? 1 : 0];
  const std::uint64_t held = now.command == C::activate ? t_.ACT_CLOCKS : 1;
  const std::uint64_t begin = rules_.activate_ends_at_clock ? now.clock + 1 - held : now.clock;
  const bool together = now.command == C::precharge && bus.command == C::precharge &&
                        bus.last_begin == now.clock && bus.rank == now.rank;
  if (begin < bus.free_at && !together) fail(now, "the command bus", 1, 0);
  bus = {now.clock, begin + held, now.command, now.rank};
}

// Bursts do not overlap on the data bus; turning it round from read to write, and changing the rank, leaves
// it idle for a while.
void DramCommandMonitor::check_data_bus(const Now& now) {
  Bus& bus = data_bus_[rules_.data_bus_per_rank ? now.rank : 0];
  const std::uint64_t begin = now.clock + (now.command == C::read ? t_.CL : t_.CWL);
  if (bus.last_begin != kLongAgo) {
    std::uint64_t idle = bus.rank == now.rank ? 0 : t_.RTRS;
    if (bus.rank == now.rank && bus.command == C::read && now.command == C::write) idle = t_.RTW_GAP;
    if (begin < bus.free_at + idle) fail(now, "the data bus", bus.free_at + idle, begin);
  }
  bus = {begin, begin + t_.BL, now.command, now.rank};
}

}  // namespace dfsim
