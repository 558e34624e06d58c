// The controller of umd-memsys/DRAMsim3: per clock one command from the per-bank queues, visited round robin,
// the first ready one in a queue; then one transaction moves from the transaction queue into a command queue.
#include <algorithm>

#include "sim/base/ring_queue.h"
#include "sim/mem/reference/channel.h"

namespace dfsim {
namespace {

// Not modelled: answers from the write buffer and merging of equal addresses, which the patterns do not
// produce.
class StagedChannel : public ReferenceChannel {
 public:
  StagedChannel(const DramDeviceSpec& device, const ReferenceSettings& settings)
      : settings_(settings),
        timing_(resolve_timing(device)),
        ranks_(device.ranks),
        banks_per_rank_(device.bank_groups * device.banks_per_group),
        state_(timing_, device.ranks, device.bank_groups, device.banks_per_group),
        banks_(state_.bank_count()),
        not_before_(state_.bank_count(), kNever),
        refresh_interval_(timing_.REFI / device.ranks),
        next_refresh_(refresh_interval_) {}

  bool accepts(bool write) const override {
    return write ? writes_.size() < settings_.write_queue : reads_.size() < settings_.read_queue;
  }

  void accept(const ReferenceRequest& request, std::uint64_t clock) override {
    if (request.write) completed_.push_back({true, clock, clock + 1});
    (request.write ? writes_ : reads_).push_back(request);
    (request.write ? writes_ : reads_).back().accepted = clock;
    may_move_ = true;
  }

  std::uint64_t tick(std::uint64_t clock) override {
    if (clock >= next_refresh_) {
      refreshing_.push(next_rank_);
      next_rank_ = (next_rank_ + 1) % ranks_;
      next_refresh_ += refresh_interval_;
    }
    Command first = refreshing_.empty() ? Command{} : refresh_command(clock);
    if (!first.valid) first = next_command(clock);
    if (first.valid) {
      issue(first, clock);
      if (timing_.COMMAND_BUSES == 2) {
        const Command second = next_command(clock);
        if (second.valid && second.column() != first.column()) issue(second, clock);
      }
    }
    const bool moved = may_move_ && move_transaction();
    may_move_ = moved;
    return first.valid || moved ? clock + 1 : std::min(next_refresh_, earliest_after(clock));
  }

 private:
  struct Command {
    bool valid = false;
    DramCommand command = DramCommand::refresh;
    std::uint32_t bank = 0;
    std::uint32_t position = 0;  ///< in the queue of the bank
    bool column() const { return command == DramCommand::read || command == DramCommand::write; }
  };
  struct Bank {
    std::vector<ReferenceRequest> queue;
    std::uint32_t hits = 0;  ///< column commands since the row was opened
  };

  // Closes the banks of the rank one by one, then refreshes it.
  Command refresh_command(std::uint64_t clock) {
    const std::uint32_t first = refreshing_.front() * banks_per_rank_;
    for (std::uint32_t bank = first; bank < first + banks_per_rank_; ++bank)
      if (state_.open_row(bank) != DramState::kClosed &&
          state_.earliest(DramCommand::precharge, bank) <= clock)
        return {true, DramCommand::precharge, bank, 0};
    if (!state_.all_closed(refreshing_.front()) ||
        state_.earliest_in_rank(DramCommand::refresh, refreshing_.front()) > clock)
      return {};
    return {true, DramCommand::refresh, first, 0};
  }

  bool in_refresh(std::uint32_t bank) const {
    return !refreshing_.empty() && state_.rank_of(bank) == refreshing_.front();
  }

  // A walk over all banks that finds nothing ends where it began, so it may be left out while nothing can be
  // found.
  Command next_command(std::uint64_t clock) {
    if (clock < quiet_until_) return {};
    const auto banks = static_cast<std::uint32_t>(banks_.size());
    for (std::uint32_t i = 0; i < banks; ++i) {
      turn_ = turn_ + 1 == banks ? 0 : turn_ + 1;
      if (not_before_[turn_] > clock || in_refresh(turn_)) continue;
      // Most banks wait for the same thing: the next activate that their rank allows.
      if (state_.open_row(turn_) == DramState::kClosed) {
        const std::uint64_t rank = state_.earliest_in_rank(DramCommand::activate, state_.rank_of(turn_));
        if (rank > clock) {
          not_before_[turn_] = rank;
          continue;
        }
      }
      const Command command = first_ready(turn_, clock);
      if (command.valid) return command;
      not_before_[turn_] = next_ready(turn_, clock);
    }
    if (refreshing_.empty()) quiet_until_ = *std::min_element(not_before_.begin(), not_before_.end());
    return {};
  }

  // The queue or the row of a bank, or what may be issued there, has changed.
  void wake(std::uint32_t bank) {
    not_before_[bank] = banks_[bank].queue.empty() ? kNever : 0;
    quiet_until_ = 0;
  }

  Command first_ready(std::uint32_t bank, std::uint64_t clock) const {
    const std::vector<ReferenceRequest>& queue = banks_[bank].queue;
    const std::uint32_t open = state_.open_row(bank);
    if (open == DramState::kClosed) {
      const bool ready = state_.earliest(DramCommand::activate, bank) <= clock;
      return {ready, DramCommand::activate, bank, 0};
    }
    const bool read_ready = state_.earliest(DramCommand::read, bank) <= clock;
    const bool write_ready = state_.earliest(DramCommand::write, bank) <= clock;
    for (std::uint32_t i = 0; i < queue.size(); ++i) {
      if (queue[i].row != open) {
        if (i == 0 && state_.earliest(DramCommand::precharge, bank) <= clock && may_close(bank))
          return {true, DramCommand::precharge, bank, 0};
        continue;
      }
      if (queue[i].write ? write_ready && !reads_before(queue, i) : read_ready)
        return {true, queue[i].write ? DramCommand::write : DramCommand::read, bank, i};
    }
    return {};
  }

  // A lower bound of the clock in which first_ready() finds something, later than `clock`: of the commands
  // that the queue asks for.
  std::uint64_t next_ready(std::uint32_t bank, std::uint64_t clock) const {
    const bool open = state_.open_row(bank) != DramState::kClosed;
    if (!open) return std::max(clock + 1, state_.earliest(DramCommand::activate, bank));
    std::uint64_t result = kNever;
    const auto consider = [&](DramCommand c) {
      const std::uint64_t at = state_.earliest(c, bank);
      if (at > clock) result = std::min(result, at);
    };
    const std::uint32_t row = state_.open_row(bank);
    bool reads = false, writes = false;
    for (const ReferenceRequest& r : banks_[bank].queue)
      if (r.row == row) (r.write ? writes : reads) = true;
    if (reads) consider(DramCommand::read);
    if (writes) consider(DramCommand::write);
    if (banks_[bank].hits >= settings_.row_hit_limit || !(reads || writes)) consider(DramCommand::precharge);
    return result;
  }

  bool may_close(std::uint32_t bank) const {
    const auto& queue = banks_[bank].queue;
    const std::uint32_t open = state_.open_row(bank);
    return banks_[bank].hits >= settings_.row_hit_limit ||
           std::none_of(queue.begin(), queue.end(), [&](const auto& r) { return r.row == open; });
  }

  static bool reads_before(const std::vector<ReferenceRequest>& queue, std::uint32_t position) {
    return std::any_of(queue.begin(), queue.begin() + position, [&](const ReferenceRequest& r) {
      return !r.write && r.row == queue[position].row && r.column == queue[position].column;
    });
  }

  void issue(const Command& c, std::uint64_t clock) {
    Bank& bank = banks_[c.bank];
    quiet_until_ = 0;
    switch (c.command) {
      case DramCommand::activate:
        state_.activate(c.bank, bank.queue[0].row, clock);
        bank.hits = 0;
        break;
      case DramCommand::precharge:
        state_.precharge(c.bank, clock);
        break;
      case DramCommand::refresh:
        state_.refresh(state_.rank_of(c.bank), clock);
        refreshing_.pop();
        break;
      default:
        state_.column(c.command, c.bank, clock);
        ++bank.hits;
        if (c.command == DramCommand::read)
          completed_.push_back({false, bank.queue[c.position].accepted, clock + timing_.CL + timing_.BL});
        bank.queue.erase(bank.queue.begin() + c.position);
        --commands_;
        may_move_ = true;
    }
    wake(c.bank);
  }

  bool move_transaction() {
    if (draining_ == 0 &&
        (writes_.size() >= settings_.write_queue || (writes_.size() > kIdleWrites && commands_ == 0)))
      draining_ = static_cast<std::uint32_t>(writes_.size());
    std::vector<ReferenceRequest>& queue = draining_ > 0 ? writes_ : reads_;
    for (auto it = queue.begin(); it != queue.end(); ++it) {
      Bank& bank = banks_[it->bank];
      if (bank.queue.size() >= settings_.command_queue) continue;
      if (it->write) --draining_;
      bank.queue.push_back(*it);
      wake(it->bank);
      ++commands_;
      queue.erase(it);
      return true;
    }
    return false;
  }

  // Nothing was issued in `clock`, so every bank with a queue knows its bound, unless it is in refresh.
  std::uint64_t earliest_after(std::uint64_t clock) const {
    if (refreshing_.empty() && quiet_until_ > clock) return quiet_until_;
    std::uint64_t result = kNever;
    for (std::uint32_t bank = 0; bank < banks_.size(); ++bank) {
      if (in_refresh(bank)) {
        const bool open = state_.open_row(bank) != DramState::kClosed;
        const std::uint64_t at = state_.earliest(open ? DramCommand::precharge : DramCommand::refresh, bank);
        if (at > clock) result = std::min(result, at);
      } else {
        result = std::min(result, not_before_[bank]);
      }
    }
    return result;
  }

  static constexpr std::uint32_t kIdleWrites = 8;

  ReferenceSettings settings_;
  DramTiming timing_;
  std::uint32_t ranks_, banks_per_rank_;
  DramState state_;
  std::vector<Bank> banks_;
  /// By bank: nothing of its queue can be issued before; good while queue and row stay, since constraints
  /// only move later. kNever while the queue is empty.
  std::vector<std::uint64_t> not_before_;
  std::uint64_t quiet_until_ = 0;  ///< no bank has anything to issue before, as long as nothing changes
  bool may_move_ = false;          ///< a transaction may find room in a command queue
  std::vector<ReferenceRequest> reads_, writes_;
  std::uint32_t draining_ = 0;  ///< writes still to be moved
  std::uint32_t commands_ = 0;  ///< in all command queues
  std::uint32_t turn_ = 0;
  RingQueue<std::uint32_t> refreshing_;
  std::uint32_t next_rank_ = 0;
  std::uint64_t refresh_interval_, next_refresh_;
};

}  // namespace

std::unique_ptr<ReferenceChannel> make_staged_channel(const DramDeviceSpec& device,
                                                      const ReferenceSettings& settings) {
  return std::make_unique<StagedChannel>(device, settings);
}

}  // namespace dfsim
