// sim/mem/core/dram_state.h: the state of one DRAM channel: open rows, and the earliest clock of every
// command.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "sim/mem/core/command_monitor.h"
#include "sim/mem/core/timing.h"

namespace dfsim {

/// Sees every command of a channel; for tests and traces.
class DramCommandObserver {
 public:
  virtual ~DramCommandObserver() = default;
  /// `bank` counts over all ranks; of a refresh of all banks it is the first of the rank. A precharge of all
  /// banks of a rank is reported bank by bank.
  virtual void command(DramCommand command, std::uint32_t bank, std::uint32_t row, std::uint64_t clock) = 0;
};

/// Commands and rows since the last reset.
struct DramCommandCounts {
  std::uint64_t activates = 0;
  std::uint64_t precharges = 0;
  std::uint64_t reads = 0;
  std::uint64_t writes = 0;
  std::uint64_t refreshes = 0;
  std::uint64_t bank_refreshes = 0;
  bool operator==(const DramCommandCounts&) const = default;
};

/// Banks are numbered (rank * bank groups + bank group) * banks per group + bank. Checks nothing: whoever
/// issues a command asks `earliest` first.
class DramState {
 public:
  static constexpr std::uint32_t kClosed = 0xFFFFFFFF;

  /// With the constraints of `timing`; the second form takes a table of its own, FAW still from `timing`, and
  /// what the monitor must know of it.
  DramState(const DramTiming& timing, std::uint32_t ranks, std::uint32_t bank_groups,
            std::uint32_t banks_per_group);

  DramState(const DramTiming& timing, const DramDelayTable& delays, std::uint32_t ranks,
            std::uint32_t bank_groups, std::uint32_t banks_per_group, DramMonitorRules rules = {});

  std::uint32_t bank_count() const { return static_cast<std::uint32_t>(open_row_.size()); }
  std::uint32_t open_row(std::uint32_t bank) const { return open_row_[bank]; }
  std::uint32_t rank_of(std::uint32_t bank) const { return rank_of_[bank]; }
  std::uint32_t group_of(std::uint32_t bank) const { return group_of_[bank]; }

  /// First clock in which the timing constraints allow `command` to `bank`, whatever its row.
  std::uint64_t earliest(DramCommand command, std::uint32_t bank) const {
    const auto c = static_cast<std::size_t>(command);
    return std::max({banks_[bank][c], groups_[group_of_[bank]][c], ranks_[rank_of_[bank]][c]});
  }
  /// The part of it that binds this bank alone.
  std::uint64_t earliest_in_bank(DramCommand command, std::uint32_t bank) const {
    return banks_[bank][static_cast<std::size_t>(command)];
  }
  /// The part of it that binds every bank of the rank alike.
  std::uint64_t earliest_in_rank(DramCommand command, std::uint32_t rank) const {
    return ranks_[rank][static_cast<std::size_t>(command)];
  }
  /// First clock in which all open banks of `rank` may be precharged; 0 if none is open.
  std::uint64_t earliest_precharge_all(std::uint32_t rank) const;
  bool all_closed(std::uint32_t rank) const { return open_banks_[rank] == 0; }

  void activate(std::uint32_t bank, std::uint32_t row, std::uint64_t clock);
  void precharge(std::uint32_t bank, std::uint64_t clock);
  void precharge_all(std::uint32_t rank, std::uint64_t clock);
  void column(DramCommand read_or_write, std::uint32_t bank, std::uint64_t clock);
  void refresh(std::uint32_t rank, std::uint64_t clock);
  void refresh_bank(std::uint32_t bank, std::uint64_t clock);
  /// Tells monitor and observer of a column command that is accounted for by count_columns(); in order of
  /// clock with the others.
  void show_column(DramCommand read_or_write, std::uint32_t bank, std::uint64_t clock) {
    tell(read_or_write, bank, open_row_[bank], clock);
  }
  bool watched() const { return observer_ || monitor_; }
  /// Counts column commands that are followed, in each bank they go to, by one given to column(): since a
  /// later command constrains more than an earlier one of its kind, they leave no other trace.
  void count_columns(DramCommand read_or_write, std::uint64_t count) {
    (read_or_write == DramCommand::read ? counts_.reads : counts_.writes) += count;
  }

  const DramCommandCounts& counts() const { return counts_; }
  const DramTiming& timing() const { return timing_; }
  void observe(DramCommandObserver* observer) { observer_ = observer; }
  const DramCommandMonitor* monitor() const { return monitor_.get(); }
  void reset();

 private:
  using Earliest = std::array<std::uint64_t, kDramCommands>;
  /// The constraints that begin with one command in one scope: only those that exist.
  struct Delays {
    std::uint32_t count = 0;
    std::array<std::uint8_t, kDramCommands> after{};
    std::array<std::uint32_t, kDramCommands> clocks{};
  };
  void raise(Earliest& earliest, DramScope scope, DramCommand command, std::uint64_t clock) {
    const Delays& delays = delays_[static_cast<std::size_t>(scope)][static_cast<std::size_t>(command)];
    for (std::uint32_t i = 0; i < delays.count; ++i) {
      std::uint64_t& at = earliest[delays.after[i]];
      at = std::max(at, clock + delays.clocks[i]);
    }
  }
  void apply(DramCommand command, std::uint32_t bank, std::uint64_t clock);
  void close(std::uint32_t bank);
  void tell(DramCommand command, std::uint32_t bank, std::uint32_t row, std::uint64_t clock) {
    if (monitor_) monitor_->command(command, bank, row, clock);
    if (observer_) observer_->command(command, bank, row, clock);
  }

  DramTiming timing_;
  std::array<std::array<Delays, kDramCommands>, kDramScopes> delays_;
  std::uint32_t banks_per_rank_ = 0;
  std::vector<std::uint32_t> rank_of_, group_of_;
  std::vector<Earliest> banks_, groups_, ranks_;
  std::vector<std::uint32_t> open_row_;
  std::vector<std::uint32_t> open_banks_;                ///< per rank
  std::vector<std::array<std::uint64_t, 4>> last_acts_;  ///< per rank, a ring: activate clock + FAW
  std::vector<std::uint8_t> act_position_;
  DramCommandCounts counts_;
  DramCommandObserver* observer_ = nullptr;
  std::unique_ptr<DramCommandMonitor> monitor_;
};

}  // namespace dfsim
