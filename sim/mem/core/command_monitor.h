// sim/mem/core/command_monitor.h: checks every command of a DRAM channel against the data sheet's rules.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/mem/core/timing.h"

namespace dfsim {

/// What a channel does differently from the usual.
struct DramMonitorRules {
  bool data_bus_per_rank = false;  ///< pseudo channels, modelled as ranks that share the command buses only
  bool activate_ends_at_clock =
      false;  ///< the clock of an activate is its last on the command bus, not its first
};

/// An independent judge: each rule is written out from the meaning of its JEDEC parameter and shares nothing
/// with the constraint tables that the controllers consult. Commands must come in order of clock on each
/// bus. A breach throws SimulationError with the clock, the command, the rule and the command before. Checks
/// a command in time proportional to the ranks.
///
/// Every DramState has one if the environment variable DFSIM_DRAM_MONITOR is set when the process first asks;
/// ctest sets it for all tests, so no run of the suite can break a constraint unnoticed.
class DramCommandMonitor {
 public:
  static bool wanted();

  DramCommandMonitor(const DramTiming& timing, std::uint32_t ranks, std::uint32_t bank_groups,
                     std::uint32_t banks_per_group, DramMonitorRules rules);
  /// `bank` counts over all ranks; of a refresh it is any bank of the rank.
  void command(DramCommand command, std::uint32_t bank, std::uint32_t row, std::uint64_t clock);
  std::uint64_t checked() const { return checked_; }  ///< commands since reset()
  void reset();

 private:
  static constexpr std::uint64_t kLongAgo = ~std::uint64_t{0};
  static constexpr std::uint32_t kClosed = 0xFFFFFFFF;
  using Last = std::array<std::uint64_t, kDramCommands>;  ///< clock of the last command of each kind
  struct Bus {
    std::uint64_t last_begin = kLongAgo;
    std::uint64_t free_at = 0;
    DramCommand command = DramCommand::read;
    std::uint32_t rank = 0;
  };
  struct Now {
    DramCommand command;
    std::uint32_t bank, group, rank;
    std::uint64_t clock;
  };

  [[noreturn]] void fail(const Now& now, const char* rule, std::uint64_t needs, std::uint64_t since) const;
  void apart(const Now& now, const Last& last, DramCommand before, std::uint64_t clocks,
             const char* rule) const;
  void check_rows(const Now& now, std::uint32_t row);
  void check_activate(const Now& now);
  void check_precharge(const Now& now) const;
  void check_column(const Now& now) const;
  void check_refresh(const Now& now) const;
  void check_command_bus(const Now& now);
  void check_data_bus(const Now& now);

  DramTiming t_;
  std::uint32_t banks_per_rank_, banks_per_group_;
  DramMonitorRules rules_;
  std::vector<Last> banks_, groups_, ranks_;
  std::vector<std::uint32_t> row_;
  std::vector<std::uint32_t> open_;                   ///< open banks, by rank
  std::vector<std::array<std::uint64_t, 4>> window_;  ///< the last four activates of a rank, oldest first
  std::array<Bus, 2> command_bus_;                    ///< row and column commands, or all in the first
  std::vector<Bus> data_bus_;
  std::uint64_t checked_ = 0;
};

}  // namespace dfsim
