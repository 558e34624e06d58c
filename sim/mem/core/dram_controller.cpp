#include "sim/mem/core/dram_controller.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

// "More than `watermark` of the queue" is size > this; the epsilon absorbs that 0.8 and 0.2 are no binary
// fractions.
std::uint32_t more_than(double watermark, std::uint32_t queue) {
  return static_cast<std::uint32_t>(std::floor(watermark * queue + 1e-9));
}

// "Less than `watermark` of the queue" is size < this.
std::uint32_t less_than(double watermark, std::uint32_t queue) {
  return static_cast<std::uint32_t>(std::ceil(watermark * queue - 1e-9));
}

}  // namespace

DramController::DramController(const MemoryControllerSpec& spec, std::uint64_t noc_clock_period_ps)
    : spec_(spec),
      timing_(resolve_timing(spec.device)),
      clocks_(noc_clock_period_ps, spec.device.clock_period_ps),
      map_(AddressMapRegistry::instance().make(spec.address_map, DramGeometry::of(spec.device))),
      run_(map_->run()),
      ranks_(spec.device.ranks),
      banks_per_group_(spec.device.banks_per_group),
      banks_per_rank_(spec.device.bank_groups * spec.device.banks_per_group),
      high_(more_than(spec.write_high_watermark, spec.write_queue)),
      low_(less_than(spec.write_low_watermark, spec.write_queue)),
      close_rows_(spec.page_policy == "closed"),
      two_buses_(timing_.COMMAND_BUSES == 2),
      per_bank_refresh_(spec.refresh == "per_bank"),
      refresh_interval_(per_bank_refresh_ ? timing_.REFIPB : timing_.REFI),
      state_(timing_, ranks_, spec.device.bank_groups, spec.device.banks_per_group),
      queues_{{DramCommand::read, spec.read_queue, spec.row_hit_cap, state_},
              {DramCommand::write, spec.write_queue, spec.row_hit_cap, state_}},
      feeds_{{spec.answer_packet_bytes, spec.device.burst_bytes, run_.bursts * spec.device.burst_bytes},
             {spec.answer_packet_bytes, spec.device.burst_bytes, run_.bursts * spec.device.burst_bytes}} {
  reset();
}

void DramController::reset() {
  state_.reset();
  for (Direction d : {kRead, kWrite}) {
    queues_[d].clear();
    feeds_[d].clear();
    filling_[d] = {};
  }
  pieces_.clear();
  direction_ = kRead;
  order_ = clock_ = column_bus_free_ = row_bus_free_ = 0;
  // The ranks of a channel are refreshed in turn, spread evenly over the interval.
  next_.reset();
  refresh_due_.assign(ranks_, kNever);
  if (refresh_interval_ != 0)
    for (std::uint32_t rank = 0; rank < ranks_; ++rank)
      refresh_due_[rank] = refresh_interval_ * (rank + 1) / ranks_;
  refresh_bank_.assign(ranks_, 0);
  pending_.assign(ranks_, 0);
  blocked_.assign(state_.bank_count(), 0);
  pending_ranks_ = 0;
  closing_.clear();
  writes_wait_since_ = forced_order_ = 0;
  forced_left_ = 0;
  counts_ = {};
}

// ---------------------------------------------------------------- requests in

void DramController::enqueue(const MemoryRequest& request, std::uint64_t now) {
  if (request.bytes == 0) throw SimulationError("memory request of 0 bytes");
  if (request.address + request.bytes > spec_.device.capacity().count())
    throw SimulationError(fmt::format("memory request for bytes {} to {} exceeds the capacity of {} bytes",
                                      request.address, request.address + request.bytes,
                                      spec_.device.capacity().count()));
  const std::uint64_t clock = clocks_.clock_at_or_after(now);
  run_until(clock);
  const Direction direction = request.write ? kWrite : kRead;
  if (direction == kWrite && queues_[kWrite].size() == 0) writes_wait_since_ = clock_;
  feeds_[direction].push(request);
  fill(direction, clock_);
  choose_direction(clock_);
}

void DramController::take_piece(Direction direction) {
  Filling& filling = filling_[direction];
  const FedPiece fed = feeds_[direction].pop();
  filling.next_burst = fed.address / spec_.device.burst_bytes;
  filling.bursts = (fed.address + fed.bytes - 1) / spec_.device.burst_bytes + 1 - filling.next_burst;
  filling.piece = pieces_.add(fed, direction == kWrite, static_cast<std::uint32_t>(filling.bursts));
}

void DramController::fill(Direction direction, std::uint64_t clock) {
  BurstQueue& queue = queues_[direction];
  Filling& filling = filling_[direction];
  while (!queue.full()) {
    if (filling.bursts == 0) {
      if (feeds_[direction].empty()) return;
      take_piece(direction);
    }
    const DramAddress a = map_->decode(filling.next_burst);
    BurstQueue::Entry entry;
    entry.burst = filling.next_burst++;
    --filling.bursts;
    entry.bank = a.rank * banks_per_rank_ + a.bank_group * banks_per_group_ + a.bank;
    entry.row = a.row;
    entry.piece = filling.piece;
    entry.usable = clock + 1;
    entry.order = ++order_;
    if (close_rows_ && state_.open_row(entry.bank) == a.row) std::erase(closing_, entry.bank);
    queue.add(entry);
    next_.reset();
  }
}

// ---------------------------------------------------------------- which direction is served

void DramController::choose_direction(std::uint64_t clock) {
  const std::uint32_t reads = queues_[kRead].size();
  const std::uint32_t writes = queues_[kWrite].size();
  if (direction_ == kRead) {
    if (writes == 0 || (reads != 0 && writes <= high_)) return;
    direction_ = kWrite;
  } else {
    if (writes != 0 && (reads == 0 || writes >= low_ || forced_left_ != 0)) return;
    direction_ = kRead;
    writes_wait_since_ = clock;
  }
  next_.reset();
}

std::uint64_t DramController::next_timer() const {
  std::uint64_t timer = kNever;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank)
    if (!pending_[rank]) timer = std::min(timer, refresh_due_[rank]);
  if (direction_ == kRead && queues_[kWrite].size() != 0)
    timer = std::min(timer, writes_wait_since_ + kWriteAgeClocks);
  return timer;
}

void DramController::handle_timer(std::uint64_t clock) {
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    if (!pending_[rank] && refresh_due_[rank] <= clock) block(rank, true);
  }
  if (direction_ == kRead && queues_[kWrite].size() != 0 && writes_wait_since_ + kWriteAgeClocks <= clock) {
    direction_ = kWrite;
    forced_order_ = order_;
    forced_left_ = queues_[kWrite].size();
  }
}

// ---------------------------------------------------------------- commands

CommandChoice DramController::closing_command() const {
  CommandChoice result;
  for (std::uint32_t bank : closing_) {
    if (blocked_[bank]) continue;
    CommandChoice c;
    c.command = DramCommand::precharge;
    c.bank = bank;
    c.entry = BurstQueue::kNone;
    c.order -= 1;
    c.clock = std::max(state_.earliest(DramCommand::precharge, bank), row_bus_free_);
    if (c.better_than(result)) result = c;
  }
  return result;
}

CommandChoice DramController::next_command() const {
  CommandChoice result = served().best(slots());
  if (!closing_.empty()) {
    const CommandChoice c = closing_command();
    if (c.better_than(result)) result = c;
  }
  for (std::uint32_t rank = 0; pending_ranks_ != 0 && rank < ranks_; ++rank) {
    if (!pending_[rank]) continue;
    const CommandChoice c = refresh_command(rank);
    if (c.clock <= result.clock) result = c;
  }
  return result;
}

void DramController::run_until(std::uint64_t limit) {
  if (limit <= clock_) return;
  while (true) {
    if (run_of_hits(limit)) {
      next_.reset();
      continue;
    }
    if (!next_) next_ = next_command();
    const CommandChoice choice = *next_;
    const std::uint64_t timer = next_timer();
    if (std::min(timer, choice.clock) > limit) break;
    next_.reset();
    if (timer <= choice.clock) {
      not_before(timer);
      handle_timer(timer);
    } else {
      issue(choice);
    }
  }
  clock_ = limit;
  not_before(limit + 1);
}

// A bus that has been idle must not be used in the past by what arrives, or is served, from now on.
void DramController::not_before(std::uint64_t clock) {
  column_bus_free_ = std::max(column_bus_free_, clock);
  row_bus_free_ = std::max(row_bus_free_, clock);
}

void DramController::take_bus(const CommandChoice& choice) {
  const std::uint64_t clocks = choice.command == DramCommand::activate ? timing_.ACT_CLOCKS : 1;
  if (choice.is_column() || !two_buses_) column_bus_free_ = choice.clock + clocks;
  if (!choice.is_column() || !two_buses_) row_bus_free_ = choice.clock + clocks;
}

void DramController::issue(const CommandChoice& choice) {
  not_before(choice.clock);
  take_bus(choice);
  if (choice.is_column())
    issue_column(choice);
  else if (blocked_[choice.bank])
    refresh(choice);
  else
    issue_row(choice);
}

void DramController::issue_column(const CommandChoice& choice) {
  BurstQueue& queue = served();
  const BurstQueue::Entry& entry = queue.entry(choice.entry);
  const std::uint32_t piece = entry.piece;
  const bool forced = forced_left_ != 0 && entry.order <= forced_order_;
  ++(entry.missed ? counts_.row_misses : counts_.row_hits);
  state_.column(choice.command, choice.bank, choice.clock);
  queue.remove(choice.entry);
  const bool read = direction_ == kRead;
  if (!read && forced) --forced_left_;
  pieces_.issued(piece, 1, choice.clock + (read ? timing_.CL : timing_.CWL) + timing_.BL);
  fill(direction_, choice.clock);
  if (close_rows_ && !queues_[kRead].has_hit(choice.bank) && !queues_[kWrite].has_hit(choice.bank))
    closing_.push_back(choice.bank);
  choose_direction(choice.clock);
}

void DramController::issue_row(const CommandChoice& choice) {
  if (close_rows_) std::erase(closing_, choice.bank);
  if (choice.command == DramCommand::activate) {
    BurstQueue::Entry& entry = served().entry(choice.entry);
    entry.missed = true;
    state_.activate(choice.bank, entry.row, choice.clock);
  } else {
    state_.precharge(choice.bank, choice.clock);
  }
  for (BurstQueue& queue : queues_) queue.bank_changed(choice.bank);
}

namespace {
const Registration<MemoryController, DramController, const MemoryControllerSpec&, std::uint64_t> kFrFcfs{
    "fr_fcfs", "oldest row hit first, then the oldest; a cap on the hits that pass an older burst"};
}  // namespace

}  // namespace dfsim
