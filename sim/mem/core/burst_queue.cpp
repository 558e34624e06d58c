#include "sim/mem/core/burst_queue.h"

#include <bit>

namespace dfsim {

BurstQueue::BurstQueue(DramCommand column, std::uint32_t capacity, std::uint32_t row_hit_cap,
                       const DramState& state)
    : column_(column), capacity_(capacity), row_hit_cap_(row_hit_cap), state_(state) {
  entries_.resize(capacity);
  lists_.resize(state.bank_count());
  offers_.resize(state.bank_count());
  column_banks_.resize((state.bank_count() + 63) / 64);
  row_banks_.resize(column_banks_.size());
  clear();
}

void BurstQueue::clear() {
  free_.clear();
  for (std::uint32_t i = capacity_; i-- > 0;) free_.push_back(i);
  std::fill(lists_.begin(), lists_.end(), List{});
  std::fill(offers_.begin(), offers_.end(), Offer{});
  std::fill(column_banks_.begin(), column_banks_.end(), 0);
  std::fill(row_banks_.begin(), row_banks_.end(), 0);
  head_ = tail_ = kNone;
  size_ = 0;
}

void BurstQueue::add(Entry entry) {
  const std::uint32_t number = free_.back();
  free_.pop_back();
  List& list = lists_[entry.bank];
  entry.next = entry.bank_next = kNone;
  entry.previous = tail_;
  entry.bank_previous = list.tail;
  entries_[number] = entry;
  (tail_ == kNone ? head_ : entries_[tail_].next) = number;
  tail_ = number;
  (list.tail == kNone ? list.head : entries_[list.tail].bank_next) = number;
  list.tail = number;
  ++size_;
  if (list.head == number || offers_[entry.bank].command == DramCommand::precharge) update(entry.bank);
}

void BurstQueue::remove(std::uint32_t number) {
  const Entry& e = entries_[number];
  List& list = lists_[e.bank];
  if (list.head != number) ++list.passed;
  (e.previous == kNone ? head_ : entries_[e.previous].next) = e.next;
  (e.next == kNone ? tail_ : entries_[e.next].previous) = e.previous;
  (e.bank_previous == kNone ? list.head : entries_[e.bank_previous].bank_next) = e.bank_next;
  (e.bank_next == kNone ? list.tail : entries_[e.bank_next].bank_previous) = e.bank_previous;
  free_.push_back(number);
  --size_;
  update(e.bank);
}

void BurstQueue::place(std::uint32_t bank, bool column, bool row) {
  const std::uint64_t bit = std::uint64_t{1} << (bank % 64);
  auto& columns = column_banks_[bank / 64];
  auto& rows = row_banks_[bank / 64];
  columns = column ? columns | bit : columns & ~bit;
  rows = row ? rows | bit : rows & ~bit;
}

void BurstQueue::offer(std::uint32_t bank, std::uint32_t candidate, DramCommand command) {
  offers_[bank] = {entries_[candidate].usable, entries_[candidate].order, candidate, command};
  place(bank, command == column_, command != column_);
}

void BurstQueue::update(std::uint32_t bank) {
  List& list = lists_[bank];
  if (list.head == kNone) {
    offers_[bank].candidate = kNone;
    list.passed = 0;
    place(bank, false, false);
    return;
  }
  const std::uint32_t open = state_.open_row(bank);
  if (open == DramState::kClosed) {
    list.passed = 0;
    return offer(bank, list.head, DramCommand::activate);
  }
  if (entries_[list.head].row == open) list.passed = 0;
  std::uint32_t hit = list.head;
  while (hit != kNone && entries_[hit].row != open) hit = entries_[hit].bank_next;
  if (hit == kNone || list.passed >= row_hit_cap_) return offer(bank, list.head, DramCommand::precharge);
  offer(bank, hit, column_);
}

bool BurstQueue::has_hit(std::uint32_t bank) const {
  const std::uint32_t open = state_.open_row(bank);
  for (std::uint32_t i = lists_[bank].head; i != kNone; i = entries_[i].bank_next)
    if (entries_[i].row == open) return true;
  return false;
}

bool BurstQueue::only_hits() const {
  return std::all_of(row_banks_.begin(), row_banks_.end(), [](std::uint64_t word) { return word == 0; });
}

// Most banks lose by their clock alone. The best is kept in a variable of its own, so that nothing is read
// again for every bank.
CommandChoice BurstQueue::better(const CommandChoice& than, const std::vector<std::uint64_t>& mask,
                                 std::uint64_t slot, const CommandSlots& slots) const {
  CommandChoice best = than;
  const std::uint8_t* const blocked = slots.blocked->data();
  for (std::size_t word = 0; word < mask.size(); ++word) {
    for (std::uint64_t bits = mask[word]; bits != 0; bits &= bits - 1) {
      const auto bank = static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
      const Offer& offer = offers_[bank];
      if (blocked[bank] || state_.earliest_in_bank(offer.command, bank) > best.clock) continue;
      const std::uint64_t clock = std::max({state_.earliest(offer.command, bank), slot, offer.usable});
      if (clock > best.clock) continue;
      const CommandChoice c{clock, offer.order, offer.command, bank, offer.candidate};
      if (c.better_than(best)) best = c;
    }
  }
  return best;
}

CommandChoice BurstQueue::best_column(const CommandSlots& slots) const {
  // With one rank, the oldest burst wins at once if nothing but the rank and the bus delays it: they delay
  // every other burst just as long.
  if (slots.ranks == 1 && head_ != kNone) {
    const std::uint32_t bank = entries_[head_].bank;
    if (!(*slots.blocked)[bank] && offers_[bank].command == column_ && offers_[bank].candidate == head_) {
      const CommandChoice oldest = choice(bank, slots.column);
      if (oldest.clock == std::max(slots.column, state_.earliest_in_rank(column_, 0))) return oldest;
    }
  }
  return better({}, column_banks_, slots.column, slots);
}

CommandChoice BurstQueue::best(const CommandSlots& slots) const {
  const CommandChoice column = best_column(slots);
  if (column.clock <= slots.row) return column;  // a row command must be earlier, and cannot be
  return better(column, row_banks_, slots.row, slots);
}

std::uint64_t BurstQueue::column_bound(const CommandSlots& slots) const {
  const DramTiming& t = state_.timing();
  const std::uint64_t rcd = column_ == DramCommand::read ? t.RCD_RD : t.RCD_WR;
  std::uint64_t bound = std::numeric_limits<std::uint64_t>::max();
  const auto consider = [&](const std::vector<std::uint64_t>& mask) {
    for (std::size_t word = 0; word < mask.size(); ++word) {
      for (std::uint64_t bits = mask[word]; bits != 0; bits &= bits - 1) {
        const auto bank =
            static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
        const DramCommand command = offers_[bank].command;
        std::uint64_t clock = choice(bank, command == column_ ? slots.column : slots.row).clock;
        if (command == DramCommand::activate) clock += rcd;
        if (command == DramCommand::precharge) clock += t.RP + rcd;
        bound = std::min(bound, clock);
      }
    }
  };
  consider(column_banks_);
  consider(row_banks_);
  return bound;
}

}  // namespace dfsim
