// sim/mem/core/burst_queue.h: the read or the write queue of a controller, with the next command of every
// bank.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/mem/core/dram_state.h"

namespace dfsim {

/// Earliest clocks that the command buses and the refresh allow.
struct CommandSlots {
  std::uint64_t column = 0;
  std::uint64_t row = 0;
  std::uint32_t ranks = 1;
  const std::vector<std::uint8_t>* blocked = nullptr;  ///< by bank: about to be refreshed
};

/// A command that could be issued next.
struct CommandChoice {
  std::uint64_t clock = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t order = std::numeric_limits<std::uint64_t>::max();
  DramCommand command = DramCommand::refresh;
  std::uint32_t bank = 0;
  std::uint32_t entry = 0;

  bool is_column() const { return command == DramCommand::read || command == DramCommand::write; }
  /// Earlier clock first; then column before row commands; then the older burst.
  bool better_than(const CommandChoice& other) const {
    if (clock != other.clock) return clock < other.clock;
    if (is_column() != other.is_column()) return is_column();
    return order < other.order;
  }
};

/// Bursts in order of entry. Each bank offers one command: the oldest burst that hits its open row; if there
/// is none, or `row_hit_cap` younger bursts have already passed the oldest one, the precharge or activate for
/// the oldest.
class BurstQueue {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Entry {
    std::uint64_t order = 0;
    std::uint64_t usable = 0;  ///< first clock in which it may be scheduled
    std::uint64_t burst = 0;   ///< its number in the device
    std::uint32_t bank = 0;
    std::uint32_t row = 0;
    std::uint32_t piece = 0;
    bool missed = false;                                     ///< a row was opened for it
    std::uint32_t next = kNone, previous = kNone;            ///< in the queue
    std::uint32_t bank_next = kNone, bank_previous = kNone;  ///< among those of its bank
  };

  BurstQueue(DramCommand column, std::uint32_t capacity, std::uint32_t row_hit_cap, const DramState& state);

  std::uint32_t size() const { return size_; }
  std::uint32_t capacity() const { return capacity_; }
  bool full() const { return size_ == capacity_; }
  Entry& entry(std::uint32_t number) { return entries_[number]; }
  const Entry& entry(std::uint32_t number) const { return entries_[number]; }

  /// Appends `entry`; the links are set here. The queue is not full.
  void add(Entry entry);
  /// Removes a burst whose column command was issued.
  void remove(std::uint32_t number);
  /// The row of `bank` was opened or closed.
  void bank_changed(std::uint32_t bank) {
    if (lists_[bank].head != kNone) update(bank);
  }
  /// All entries have become `by` younger: their `order` was raised.
  void entries_moved(std::uint64_t by) {
    for (Offer& offer : offers_) offer.order += by;
  }
  bool has_hit(std::uint32_t bank) const;
  /// Every bank with bursts offers a column command.
  bool only_hits() const;
  std::uint32_t head() const { return head_; }
  std::uint32_t tail() const { return tail_; }
  CommandChoice best(const CommandSlots& slots) const;
  /// A clock before which no column command can be issued, whatever happens.
  std::uint64_t column_bound(const CommandSlots& slots) const;
  void clear();

 private:
  struct List {
    std::uint32_t head = kNone, tail = kNone;
    std::uint32_t passed = 0;  ///< column commands past the oldest burst since the row was opened
  };
  /// What a bank offers; apart from its list, since every choice looks at all of them.
  struct Offer {
    std::uint64_t usable = 0, order = 0;  ///< of the candidate
    std::uint32_t candidate = kNone;
    DramCommand command = DramCommand::activate;
  };
  void offer(std::uint32_t bank, std::uint32_t candidate, DramCommand command);
  void update(std::uint32_t bank);
  void place(std::uint32_t bank, bool column, bool row);
  CommandChoice choice(std::uint32_t bank, std::uint64_t slot) const {
    const Offer& offer = offers_[bank];
    return {std::max({state_.earliest(offer.command, bank), slot, offer.usable}), offer.order, offer.command,
            bank, offer.candidate};
  }
  /// The best of `than` and what the banks of `mask` offer from clock `slot` on.
  CommandChoice better(const CommandChoice& than, const std::vector<std::uint64_t>& mask, std::uint64_t slot,
                       const CommandSlots& slots) const;
  CommandChoice best_column(const CommandSlots& slots) const;

  DramCommand column_;
  std::uint32_t capacity_;
  std::uint32_t row_hit_cap_;
  const DramState& state_;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> free_;
  std::vector<List> lists_;    ///< by bank
  std::vector<Offer> offers_;  ///< by bank
  std::vector<std::uint64_t> column_banks_,
      row_banks_;  ///< banks that offer a column or a row command, as bits
  std::uint32_t head_ = kNone, tail_ = kNone;
  std::uint32_t size_ = 0;
};

}  // namespace dfsim
