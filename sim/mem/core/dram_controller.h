// sim/mem/core/dram_controller.h: FR-FCFS controller of one DRAM channel.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/mem/core/address_map.h"
#include "sim/mem/core/burst_queue.h"
#include "sim/mem/core/clock_domain.h"
#include "sim/mem/core/controller.h"
#include "sim/mem/core/dram_state.h"
#include "sim/mem/core/piece_table.h"
#include "sim/mem/core/request_feed.h"

namespace dfsim {

/// In every memory clock the controller issues, per command bus, the first of these that the timing allows:
/// the refresh commands of a rank (or, with per-bank refresh, of its next bank) whose refresh is due; the
/// oldest burst of the served direction that hits an open row; the activate or precharge for the oldest burst
/// (see BurstQueue). It does not walk over clocks: it computes the clock of the next command. Reads go first;
/// writes are served from the high to the low watermark of the write queue, when no read waits, and when a
/// write has waited for kWriteAgeClocks. A burst that enters a queue at clock t can be scheduled from t+1 on.
/// Not modelled: answers from the write queue (a program orders a load after the store it reads), write
/// merging. Not modelled: power-down, self-refresh, postponed refreshes, refreshes of one bank in every bank
/// group at once (DDR5), ECC, the wires between controller and device.
class DramController : public MemoryController {
 public:
  static constexpr std::uint64_t kWriteAgeClocks = 1000;

  DramController(const MemoryControllerSpec& spec, std::uint64_t noc_clock_period_ps);

  void enqueue(const MemoryRequest& request, std::uint64_t now) override;
  std::uint64_t next_event() const override;
  void advance_to(std::uint64_t cycle, std::vector<MemoryPiece>& completed) override;
  void settle(std::uint64_t cycle) override { run_until(clocks_.clock_at_or_before(cycle)); }
  MemoryCounters counters() const override;
  void reset() override;

  void observe(DramCommandObserver* observer) { state_.observe(observer); }
  /// For tests: runs of row hits are issued command by command. The result is the same.
  void issue_one_by_one() { one_by_one_ = true; }

 private:
  enum Direction { kRead, kWrite };
  struct Filling {  ///< the piece whose bursts are entering a queue
    std::uint32_t piece = 0;
    std::uint64_t next_burst = 0;
    std::uint64_t bursts = 0;
  };

  void fill(Direction direction, std::uint64_t clock);
  void take_piece(Direction direction);
  void run_until(std::uint64_t limit);
  bool run_of_hits(std::uint64_t limit);
  std::uint64_t run_length(std::uint64_t first, std::uint64_t step, std::uint64_t limit) const;
  bool run_starts_at(std::uint64_t first, std::uint64_t step) const;
  bool window_is_run();
  std::uint64_t gather_run(std::uint64_t wanted);
  void show_run(DramCommand command, std::uint64_t count, std::uint64_t first, std::uint64_t step);
  void issue_run(std::uint64_t count, std::uint64_t first, std::uint64_t step);
  void shift_window(std::uint64_t count);
  CommandChoice next_command() const;
  CommandChoice refresh_command(std::uint32_t rank) const;
  void block(std::uint32_t rank, bool blocked);
  std::uint32_t bank_to_refresh(std::uint32_t rank) const {
    return rank * banks_per_rank_ + refresh_bank_[rank];
  }
  CommandChoice closing_command() const;
  void issue(const CommandChoice& choice);
  void issue_column(const CommandChoice& choice);
  void issue_row(const CommandChoice& choice);
  void refresh(const CommandChoice& choice);
  void not_before(std::uint64_t clock);
  void take_bus(const CommandChoice& choice);
  void choose_direction(std::uint64_t clock);
  std::uint64_t next_timer() const;
  void handle_timer(std::uint64_t clock);
  CommandSlots slots() const { return {column_bus_free_, row_bus_free_, ranks_, &blocked_}; }
  std::uint64_t completion_bound(Direction direction) const;
  std::uint64_t direction_bound(Direction direction, std::uint64_t bound) const;
  BurstQueue& served() { return queues_[direction_]; }
  const BurstQueue& served() const { return queues_[direction_]; }

  MemoryControllerSpec spec_;
  DramTiming timing_;
  ClockDomain clocks_;
  std::unique_ptr<AddressMap> map_;
  AddressMap::Run run_;
  std::uint32_t ranks_, banks_per_group_, banks_per_rank_;
  std::uint32_t high_, low_;  ///< write watermarks in bursts
  bool close_rows_;
  bool two_buses_;
  bool per_bank_refresh_;
  std::uint64_t refresh_interval_;  ///< of a rank, in clocks; 0: none
  bool one_by_one_ = false;
  DramState state_;
  BurstQueue queues_[2];
  RequestFeed feeds_[2];
  Filling filling_[2];
  PieceTable pieces_;
  Direction direction_ = kRead;
  std::uint64_t order_ = 0;
  std::uint64_t clock_ = 0;  ///< all commands up to and including this clock are issued
  std::uint64_t column_bus_free_ = 0, row_bus_free_ = 0;
  /// The next command, once it has been found: until something is issued, enters a queue or falls due it
  /// stays so, however the clock advances to it.
  std::optional<CommandChoice> next_;
  std::vector<std::uint64_t> refresh_due_;   ///< by rank
  std::vector<std::uint32_t> refresh_bank_;  ///< by rank: whose turn is next with per-bank refresh
  std::vector<std::uint8_t> pending_;        ///< by rank: its refresh is due and not yet issued
  std::vector<std::uint8_t> blocked_;        ///< by bank: it takes part in a pending refresh
  std::uint32_t pending_ranks_ = 0;
  std::vector<std::uint32_t> closing_;  ///< banks to be precharged under the closed-page policy
  std::uint64_t writes_wait_since_ = 0;
  std::uint64_t forced_order_ = 0;  ///< writes up to this one are drained because of their age
  std::uint32_t forced_left_ = 0;
  MemoryCounters counts_;
  struct RunPart {  ///< bursts of one piece, in a run of row hits
    std::uint32_t piece = 0;
    std::uint64_t bursts = 0;
  };
  std::vector<RunPart> run_parts_;  ///< reused
};

}  // namespace dfsim
