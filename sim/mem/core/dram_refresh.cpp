// Refreshes, of all banks of a rank or of one after another.
#include <algorithm>

#include "sim/mem/core/dram_controller.h"

namespace dfsim {

// All banks of the rank, or the one whose turn it is.
void DramController::block(std::uint32_t rank, bool blocked) {
  pending_[rank] = blocked;
  pending_ranks_ += blocked ? 1 : -1;
  const std::uint32_t first = per_bank_refresh_ ? bank_to_refresh(rank) : rank * banks_per_rank_;
  const std::uint32_t last = first + (per_bank_refresh_ ? 1 : banks_per_rank_);
  for (std::uint32_t bank = first; bank < last; ++bank) blocked_[bank] = blocked;
}

CommandChoice DramController::refresh_command(std::uint32_t rank) const {
  CommandChoice choice;
  choice.order = 0;
  std::uint64_t allowed = 0;
  if (per_bank_refresh_) {
    choice.bank = bank_to_refresh(rank);
    const bool closed = state_.open_row(choice.bank) == DramState::kClosed;
    choice.command = closed ? DramCommand::refresh_bank : DramCommand::precharge;
    allowed = state_.earliest(choice.command, choice.bank);
  } else {
    choice.bank = rank * banks_per_rank_;
    choice.command = state_.all_closed(rank) ? DramCommand::refresh : DramCommand::precharge;
    allowed = state_.all_closed(rank) ? state_.earliest_in_rank(DramCommand::refresh, rank)
                                      : state_.earliest_precharge_all(rank);
  }
  choice.clock = std::max({allowed, row_bus_free_, refresh_due_[rank]});
  return choice;
}

void DramController::refresh(const CommandChoice& choice) {
  const std::uint32_t rank = state_.rank_of(choice.bank);
  if (choice.command == DramCommand::precharge) {
    const std::uint32_t banks = per_bank_refresh_ ? 1 : banks_per_rank_;
    if (per_bank_refresh_)
      state_.precharge(choice.bank, choice.clock);
    else
      state_.precharge_all(rank, choice.clock);
    for (std::uint32_t bank = choice.bank; bank < choice.bank + banks; ++bank) {
      for (BurstQueue& queue : queues_) queue.bank_changed(bank);
      if (close_rows_) std::erase(closing_, bank);
    }
    return;
  }
  if (per_bank_refresh_)
    state_.refresh_bank(choice.bank, choice.clock);
  else
    state_.refresh(rank, choice.clock);
  block(rank, false);
  refresh_due_[rank] += refresh_interval_;
  refresh_bank_[rank] = (refresh_bank_[rank] + 1) % banks_per_rank_;
}

}  // namespace dfsim
