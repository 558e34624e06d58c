// Runs of row hits in one step. While the queue holds consecutive bursts of open rows and more of them
// follow, the oldest burst is issued every `step` clocks and a new one enters behind: the queue looks the
// same after each round of its banks, so any number of rounds can be skipped. What the skipped commands leave
// behind is arithmetic: the clock of the last command of each bank, counters, and the pieces whose last burst
// was among them.
#include <algorithm>

#include "sim/mem/core/dram_controller.h"

namespace dfsim {
namespace {

constexpr std::uint64_t kWorthwhile = 16;  ///< shorter runs are issued one by one

}  // namespace

// The banks take turns (one bank if the map fills a row first), so column commands of the run are CCD_S apart
// if a bank group's next turn comes no earlier than CCD_L after its last; with one bank they are CCD_L apart.
bool DramController::run_of_hits(std::uint64_t limit) {
  const BurstQueue& queue = served();
  if (run_.bursts < 2 * kWorthwhile || !queue.full() || pending_ranks_ != 0 || forced_left_ != 0 ||
      close_rows_ || one_by_one_ || queue.capacity() < run_.banks || !queue.only_hits())
    return false;
  const BurstQueue::Entry& head = queue.entry(queue.head());
  const DramCommand command = direction_ == kRead ? DramCommand::read : DramCommand::write;
  const std::uint64_t same_group = direction_ == kRead ? timing_.CCD_L : timing_.CCD_L_WR;
  const std::uint64_t step = run_.banks == 1 ? same_group : timing_.CCD_S;
  if (run_.banks * step < same_group) return false;
  std::uint64_t first =
      std::max(column_bus_free_, state_.earliest_in_rank(command, state_.rank_of(head.bank)));
  if (run_.banks == 1) first = std::max(first, state_.earliest(command, head.bank));
  const std::uint64_t wanted = run_length(first, step, limit);
  if (wanted < kWorthwhile || !window_is_run() || !run_starts_at(first, step)) return false;
  const std::uint64_t count = gather_run(wanted);
  if (count == 0) return false;
  issue_run(count, first, step);
  return true;
}

// How many bursts can be issued before one enters that is no hit, the limit is reached or a timer falls due.
std::uint64_t DramController::run_length(std::uint64_t first, std::uint64_t step, std::uint64_t limit) const {
  const BurstQueue& queue = served();
  const std::uint64_t head = queue.entry(queue.head()).burst;
  const std::uint64_t tail = queue.entry(queue.tail()).burst;
  const std::uint64_t block_end = (tail / run_.bursts + 1) * run_.bursts;
  if (head + run_.bursts < block_end || tail - head + 1 != queue.size()) return 0;
  const std::uint64_t timer = next_timer();
  const std::uint64_t last = std::min(limit, timer == 0 ? 0 : timer - 1);
  if (first > last) return 0;
  const std::uint64_t count = std::min(block_end - 1 - tail, (last - first) / step + 1);
  return count - count % run_.banks;
}

// All bursts in the queue are consecutive and found their rows open; their pieces go to run_parts_.
bool DramController::window_is_run() {
  const BurstQueue& queue = served();
  run_parts_.clear();
  std::uint64_t burst = queue.entry(queue.head()).burst;
  for (std::uint32_t i = queue.head(); i != BurstQueue::kNone; i = queue.entry(i).next) {
    const BurstQueue::Entry& entry = queue.entry(i);
    if (entry.burst != burst++ || entry.missed) return false;
    if (run_parts_.empty() || run_parts_.back().piece != entry.piece) run_parts_.push_back({entry.piece, 0});
    ++run_parts_.back().bursts;
  }
  return true;
}

// The first round finds its banks ready in time, and every burst of the queue may be scheduled.
bool DramController::run_starts_at(std::uint64_t first, std::uint64_t step) const {
  const BurstQueue& queue = served();
  const DramCommand command = direction_ == kRead ? DramCommand::read : DramCommand::write;
  if (queue.entry(queue.tail()).usable > first) return false;
  std::uint64_t clock = first;
  std::uint32_t i = queue.head();
  for (std::uint32_t k = 0; k < run_.banks; ++k, clock += step, i = queue.entry(i).next)
    if (state_.earliest(command, queue.entry(i).bank) > clock) return false;
  return true;
}

// Appends the bursts that will enter to run_parts_, as far as they are consecutive; returns how many can be
// issued, a multiple of the number of banks. A piece is taken only if one of its bursts enters, as without
// the shortcut.
std::uint64_t DramController::gather_run(std::uint64_t wanted) {
  const BurstQueue& queue = served();
  Filling& filling = filling_[direction_];
  RequestFeed& feed = feeds_[direction_];
  const std::uint64_t next = queue.entry(queue.tail()).burst + 1;
  const auto rounds = [&](std::uint64_t bursts) { return bursts - bursts % run_.banks; };
  std::uint64_t entering = 0;
  if (filling.bursts != 0) {
    if (filling.next_burst != next) return 0;
    entering = std::min(wanted, filling.bursts);
    if (rounds(entering) == 0) return 0;
    run_parts_.push_back({filling.piece, entering});
    filling.next_burst += entering;
    filling.bursts -= entering;
  }
  while (entering < wanted && !feed.empty()) {
    const std::uint64_t address = feed.next_address();
    const std::uint64_t bursts = ceil_div<std::uint64_t>(feed.next_piece_bytes(), spec_.device.burst_bytes);
    if (address != (next + entering) * spec_.device.burst_bytes ||
        rounds(std::min(wanted, entering + bursts)) <= entering)
      break;
    take_piece(direction_);
    const std::uint64_t taken = std::min(wanted - entering, filling.bursts);
    run_parts_.push_back({filling.piece, taken});
    filling.next_burst += taken;
    filling.bursts -= taken;
    entering += taken;
  }
  // What does not fill a round stays outside.
  const std::uint64_t surplus = entering - rounds(entering);
  if (surplus != 0) {
    run_parts_.back().bursts -= surplus;
    filling.next_burst -= surplus;
    filling.bursts += surplus;
  }
  return entering - surplus;
}

// Whoever watches the commands sees all of them, also those that the last of each bank stands for.
void DramController::show_run(DramCommand command, std::uint64_t count, std::uint64_t first,
                              std::uint64_t step) {
  const BurstQueue& queue = served();
  std::uint32_t i = queue.head();
  for (std::uint64_t k = 0; k + run_.banks < count; ++k) {
    state_.show_column(command, queue.entry(i).bank, first + k * step);
    i = (k + 1) % run_.banks == 0 ? queue.head() : queue.entry(i).next;
  }
}

void DramController::issue_run(std::uint64_t count, std::uint64_t first, std::uint64_t step) {
  const bool read = direction_ == kRead;
  const DramCommand command = read ? DramCommand::read : DramCommand::write;
  const std::uint64_t last = first + (count - 1) * step;
  if (state_.watched()) show_run(command, count, first, step);
  std::uint32_t i = served().head();
  for (std::uint32_t k = 0; k < run_.banks; ++k, i = served().entry(i).next)
    state_.column(command, served().entry(i).bank, last - (run_.banks - 1 - k) * step);
  state_.count_columns(command, count - run_.banks);
  counts_.row_hits += count;
  CommandChoice choice;
  choice.clock = last;
  choice.command = command;
  not_before(last);
  take_bus(choice);
  // Which pieces lost how many bursts, and when.
  const std::uint64_t latency = (read ? timing_.CL : timing_.CWL) + timing_.BL;
  std::uint64_t done = 0;
  for (RunPart& part : run_parts_) {
    const std::uint64_t taken = std::min(part.bursts, count - done);
    if (taken == 0) break;
    done += taken;
    part.bursts -= taken;
    pieces_.issued(part.piece, static_cast<std::uint32_t>(taken), first + (done - 1) * step + latency);
  }
  shift_window(count);
}

// The bursts in the queue are now those `count` further on, in the same banks.
void DramController::shift_window(std::uint64_t count) {
  BurstQueue& queue = served();
  auto part = run_parts_.begin();
  for (std::uint32_t i = queue.head(); i != BurstQueue::kNone; i = queue.entry(i).next) {
    while (part->bursts == 0) ++part;
    BurstQueue::Entry& entry = queue.entry(i);
    entry.burst += count;
    entry.order += count;
    entry.piece = part->piece;
    --part->bursts;
  }
  queue.entries_moved(count);
  order_ += count;
}

}  // namespace dfsim
