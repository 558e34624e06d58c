#include "sim/mem/core/dram_state.h"

namespace dfsim {

DramState::DramState(const DramTiming& timing, std::uint32_t ranks, std::uint32_t bank_groups,
                     std::uint32_t banks_per_group)
    : DramState(timing, delay_table(timing), ranks, bank_groups, banks_per_group) {}

DramState::DramState(const DramTiming& timing, const DramDelayTable& delays, std::uint32_t ranks,
                     std::uint32_t bank_groups, std::uint32_t banks_per_group, DramMonitorRules rules)
    : timing_(timing), banks_per_rank_(bank_groups * banks_per_group) {
  for (std::size_t scope = 0; scope < kDramScopes; ++scope) {
    for (std::size_t before = 0; before < kDramCommands; ++before) {
      Delays& list = delays_[scope][before];
      for (std::size_t after = 0; after < kDramCommands; ++after) {
        if (delays[scope][before][after] == 0) continue;
        list.after[list.count] = static_cast<std::uint8_t>(after);
        list.clocks[list.count++] = delays[scope][before][after];
      }
    }
  }
  const std::uint32_t banks = ranks * banks_per_rank_;
  for (std::uint32_t bank = 0; bank < banks; ++bank) {
    rank_of_.push_back(bank / banks_per_rank_);
    group_of_.push_back(bank / banks_per_group);
  }
  banks_.resize(banks);
  groups_.resize(std::size_t{ranks} * bank_groups);
  ranks_.resize(ranks);
  open_row_.resize(banks);
  open_banks_.resize(ranks);
  last_acts_.resize(ranks);
  act_position_.resize(ranks);
  if (DramCommandMonitor::wanted())
    monitor_ = std::make_unique<DramCommandMonitor>(timing, ranks, bank_groups, banks_per_group, rules);
  reset();
}

void DramState::reset() {
  std::fill(banks_.begin(), banks_.end(), Earliest{});
  std::fill(groups_.begin(), groups_.end(), Earliest{});
  std::fill(ranks_.begin(), ranks_.end(), Earliest{});
  std::fill(open_row_.begin(), open_row_.end(), kClosed);
  std::fill(open_banks_.begin(), open_banks_.end(), 0u);
  std::fill(last_acts_.begin(), last_acts_.end(), std::array<std::uint64_t, 4>{});
  std::fill(act_position_.begin(), act_position_.end(), std::uint8_t{0});
  counts_ = {};
  if (monitor_) monitor_->reset();
}

void DramState::apply(DramCommand command, std::uint32_t bank, std::uint64_t clock) {
  const std::uint32_t rank = rank_of_[bank];
  raise(banks_[bank], DramScope::bank, command, clock);
  raise(groups_[group_of_[bank]], DramScope::bank_group, command, clock);
  raise(ranks_[rank], DramScope::rank, command, clock);
  for (std::uint32_t other = 0; other < ranks_.size(); ++other)
    if (other != rank) raise(ranks_[other], DramScope::other_rank, command, clock);
}

void DramState::activate(std::uint32_t bank, std::uint32_t row, std::uint64_t clock) {
  apply(DramCommand::activate, bank, clock);
  const std::uint32_t rank = rank_of_[bank];
  open_row_[bank] = row;
  ++open_banks_[rank];
  // Four-activate window: the next activate waits for the fourth last plus FAW.
  auto& ring = last_acts_[rank];
  auto& position = act_position_[rank];
  ring[position] = clock + timing_.FAW;
  position = (position + 1) % 4;
  auto& next = ranks_[rank][static_cast<std::size_t>(DramCommand::activate)];
  next = std::max(next, ring[position]);
  ++counts_.activates;
  tell(DramCommand::activate, bank, row, clock);
}

void DramState::close(std::uint32_t bank) {
  open_row_[bank] = kClosed;
  --open_banks_[rank_of_[bank]];
  ++counts_.precharges;
}

void DramState::precharge(std::uint32_t bank, std::uint64_t clock) {
  tell(DramCommand::precharge, bank, open_row_[bank], clock);
  apply(DramCommand::precharge, bank, clock);
  close(bank);
}

std::uint64_t DramState::earliest_precharge_all(std::uint32_t rank) const {
  std::uint64_t clock = 0;
  const std::uint32_t first = rank * banks_per_rank_;
  for (std::uint32_t bank = first; bank < first + banks_per_rank_; ++bank)
    if (open_row_[bank] != kClosed) clock = std::max(clock, earliest(DramCommand::precharge, bank));
  return clock;
}

void DramState::precharge_all(std::uint32_t rank, std::uint64_t clock) {
  const std::uint32_t first = rank * banks_per_rank_;
  for (std::uint32_t bank = first; bank < first + banks_per_rank_; ++bank)
    if (open_row_[bank] != kClosed) precharge(bank, clock);
}

void DramState::column(DramCommand read_or_write, std::uint32_t bank, std::uint64_t clock) {
  apply(read_or_write, bank, clock);
  ++(read_or_write == DramCommand::read ? counts_.reads : counts_.writes);
  tell(read_or_write, bank, open_row_[bank], clock);
}

void DramState::refresh(std::uint32_t rank, std::uint64_t clock) {
  const std::uint32_t bank = rank * banks_per_rank_;
  apply(DramCommand::refresh, bank, clock);
  ++counts_.refreshes;
  tell(DramCommand::refresh, bank, 0, clock);
}

void DramState::refresh_bank(std::uint32_t bank, std::uint64_t clock) {
  apply(DramCommand::refresh_bank, bank, clock);
  ++counts_.bank_refreshes;
  tell(DramCommand::refresh_bank, bank, 0, clock);
}

}  // namespace dfsim
