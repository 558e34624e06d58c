// An independent judge of a command log: every rule is written out from the data-sheet meaning of its
// parameter, pair by pair, and shares nothing with the tables of the simulator.
#pragma once

#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/sim/mem/core/memory_fixture.h"

namespace dfsim::test {

class TimingMonitor {
 public:
  TimingMonitor(const DramDeviceSpec& device, DramTiming timing) : device_(device), t_(timing) {}

  /// What the log breaks; looks back 2000 clocks. Empty if nothing.
  std::vector<std::string> violations(const std::vector<Issued>& log) const {
    std::vector<std::string> found;
    std::vector<std::uint32_t> open(banks(), DramState::kClosed);
    for (std::size_t i = 0; i < log.size(); ++i) {
      const Issued& b = log[i];
      const auto need = [&](bool ok, const std::string& what) {
        if (!ok)
          found.push_back(
              fmt::format("clock {}: {} of bank {}: {}", b.clock, to_string(b.command), b.bank, what));
      };
      check_state(b, open, need);
      for (std::size_t j = i; j-- > 0 && log[j].clock + 2000 > b.clock;) check_pair(log[j], b, need);
      check_window(log, i, need);
    }
    return found;
  }

 private:
  using C = DramCommand;
  std::uint32_t per_rank() const { return device_.bank_groups * device_.banks_per_group; }
  std::uint32_t banks() const { return device_.ranks * per_rank(); }
  std::uint32_t rank(const Issued& c) const { return c.bank / per_rank(); }
  std::uint32_t group(const Issued& c) const { return c.bank / device_.banks_per_group; }
  static bool column(const Issued& c) { return c.command == C::read || c.command == C::write; }

  template <class Need>
  void check_state(const Issued& b, std::vector<std::uint32_t>& open, Need&& need) const {
    switch (b.command) {
      case C::activate:
        need(open[b.bank] == DramState::kClosed, "bank is open");
        open[b.bank] = b.row;
        break;
      case C::precharge:
        need(open[b.bank] != DramState::kClosed, "bank is closed");
        open[b.bank] = DramState::kClosed;
        break;
      case C::refresh:
        for (std::uint32_t bank = rank(b) * per_rank(); bank < (rank(b) + 1) * per_rank(); ++bank)
          need(open[bank] == DramState::kClosed, "refresh of an open bank");
        break;
      case C::refresh_bank:
        need(open[b.bank] == DramState::kClosed, "refresh of an open bank");
        break;
      default:
        need(open[b.bank] == b.row, "row is not open");
    }
  }

  template <class Need>
  void check_pair(const Issued& a, const Issued& b, Need&& need) const {
    const std::uint64_t gap = b.clock - a.clock;
    const bool same_rank = rank(a) == rank(b), same_group = group(a) == group(b),
               same_bank = a.bank == b.bank;
    const auto at_least = [&](std::uint64_t clocks, const char* name) {
      if (gap >= clocks) return;
      need(false, fmt::format("{} of bank {} {} clocks before, {} needs {}", to_string(a.command), a.bank,
                              gap, name, clocks));
    };
    if (same_bank && a.command == C::activate && column(b))
      at_least(b.command == C::read ? t_.RCD_RD : t_.RCD_WR, "RCD");
    if (same_bank && a.command == C::activate && b.command == C::precharge) at_least(t_.RAS, "RAS");
    if (same_bank && a.command == C::activate && b.command == C::activate) at_least(t_.RC, "RC");
    if (same_bank && a.command == C::precharge && b.command == C::activate) at_least(t_.RP, "RP");
    if (same_bank && a.command == C::read && b.command == C::precharge) at_least(t_.RTP, "RTP");
    if (same_bank && a.command == C::write && b.command == C::precharge)
      at_least(t_.CWL + t_.BL + t_.WR, "WR");
    if (same_rank && a.command == C::activate && b.command == C::activate)
      at_least(same_group ? t_.RRD_L : t_.RRD_S, "RRD");
    if (same_rank && column(a) && a.command == b.command)
      at_least(!same_group ? t_.CCD_S : a.command == C::read ? t_.CCD_L : t_.CCD_L_WR, "CCD");
    if (same_rank && a.command == C::write && b.command == C::read)
      at_least(t_.CWL + t_.BL + (same_group ? t_.WTR_L : t_.WTR_S), "WTR");
    if (same_rank && a.command == C::precharge && b.command == C::refresh)
      at_least(t_.RP, "RP before refresh");
    if (same_rank && a.command == C::refresh) at_least(t_.RFC, "RFC");
    check_bank_refresh(a, b, at_least);
    if (column(a) && column(b)) check_bus(a, b, same_rank, need);
    const bool same_bus = t_.COMMAND_BUSES == 1 || column(a) == column(b);
    const bool together = a.command == C::precharge && b.command == C::precharge && same_rank && gap == 0;
    if (same_rank && a.command == C::precharge && b.command == C::precharge && gap != 0)
      at_least(t_.PPD, "PPD");
    if (same_bus && !together) at_least(a.command == C::activate ? t_.ACT_CLOCKS : 1, "command bus");
  }

  // A refresh of one bank occupies that bank; others are refreshed or opened RREFD later at the earliest.
  template <class AtLeast>
  void check_bank_refresh(const Issued& a, const Issued& b, AtLeast&& at_least) const {
    const bool row_opens = b.command == C::activate || b.command == C::refresh_bank;
    if (a.command == C::refresh_bank && row_opens) {
      if (a.bank == b.bank) at_least(t_.RFCPB, "RFCPB");
      if (rank(a) == rank(b)) at_least(t_.RREFD, "RREFD");
    }
    if (b.command != C::refresh_bank) return;
    if (a.command == C::precharge && a.bank == b.bank) at_least(t_.RP, "RP before the refresh of a bank");
    if (a.command == C::activate && rank(a) == rank(b))
      at_least(t_.RRD_S, "RRD_S before the refresh of a bank");
  }

  // Bursts must not overlap on the data bus; turning it round or changing the rank costs idle clocks.
  template <class Need>
  void check_bus(const Issued& a, const Issued& b, bool same_rank, Need&& need) const {
    const std::uint64_t end = a.clock + (a.command == C::read ? t_.CL : t_.CWL) + t_.BL;
    const std::uint64_t begin = b.clock + (b.command == C::read ? t_.CL : t_.CWL);
    std::uint64_t idle = same_rank ? 0 : t_.RTRS;
    if (same_rank && a.command == C::read && b.command == C::write) idle = t_.RTW_GAP;
    need(begin >= end + idle, "data bus is busy");
  }

  template <class Need>
  void check_window(const std::vector<Issued>& log, std::size_t i, Need&& need) const {
    if (log[i].command != C::activate || t_.FAW == 0) return;
    std::uint32_t activates = 1;
    for (std::size_t j = i; j-- > 0 && log[j].clock + t_.FAW > log[i].clock;)
      activates += log[j].command == C::activate && rank(log[j]) == rank(log[i]);
    need(activates <= 4, "more than four activates in FAW");
  }

  DramDeviceSpec device_;
  DramTiming t_;
};

}  // namespace dfsim::test
