// What leaves the controller, and when it can at the earliest.
#include <algorithm>

#include "sim/mem/core/dram_controller.h"

namespace dfsim {

std::uint64_t DramController::direction_bound(Direction direction, std::uint64_t bound) const {
  // A queue that is not served waits for the other one: reads for the drain of the writes above the low
  // watermark, writes for all reads, the high watermark (no write enters a full queue meanwhile) or their
  // age.
  if (direction == direction_) return bound;
  const std::uint64_t other = served().column_bound(slots());
  const std::uint32_t size = served().size();
  if (direction == kRead) {
    const std::uint32_t drain = size > low_ ? size - low_ + 1 : 1;
    return std::max(bound, other + std::uint64_t{drain - 1} * timing_.CCD_S);
  }
  const std::uint64_t reads_done = other + std::uint64_t{size - 1} * timing_.CCD_S;
  return std::max(bound, std::min(reads_done, writes_wait_since_ + kWriteAgeClocks));
}

std::uint64_t DramController::completion_bound(Direction direction) const {
  const BurstQueue& queue = queues_[direction];
  if (queue.size() == 0) return kNever;
  std::uint64_t first = queue.column_bound(slots());
  if (ranks_ == 1 && pending_ranks_ != 0 && !per_bank_refresh_) {
    std::uint64_t done = refresh_command(0).clock + timing_.RFC + std::min(timing_.RCD_RD, timing_.RCD_WR);
    if (!state_.all_closed(0)) done += timing_.RP;
    first = std::max(first, done);
  }
  first = direction_bound(direction, first);
  // Column commands of one direction are at least `step` apart, whichever rank they go to.
  const std::uint64_t step = std::min(timing_.CCD_S, timing_.BL + timing_.RTRS);
  std::uint64_t left = kNever;
  for (const PieceTable::Piece& piece : pieces_.pieces())
    if (piece.live && piece.write == (direction == kWrite) && piece.bursts != 0)
      left = std::min<std::uint64_t>(left, piece.bursts);
  if (!feeds_[direction].empty()) {
    // The next piece enters once the present one has, burst by burst as the queue empties.
    const std::uint64_t bursts = ceil_div(feeds_[direction].next_piece_bytes(), spec_.device.burst_bytes);
    left = std::min(left, filling_[direction].bursts + bursts + 1);
  }
  const std::uint64_t latency = (direction == kRead ? timing_.CL : timing_.CWL) + timing_.BL;
  return first + (left - 1) * step + latency;
}

std::uint64_t DramController::next_event() const {
  std::uint64_t clock = kNever;
  if (!pieces_.finished().empty()) clock = pieces_.finished().front().clock;
  // No command that is still to be issued can complete anything sooner than that.
  if (clock <= clock_ + 1 + std::min(timing_.CL, timing_.CWL) + timing_.BL)
    return clocks_.cycle_at_or_after(clock);
  if (pieces_.live_count() != 0) clock = std::min({clock, completion_bound(kRead), completion_bound(kWrite)});
  return clock == kNever ? kNever : clocks_.cycle_at_or_after(clock);
}

void DramController::advance_to(std::uint64_t cycle, std::vector<MemoryPiece>& completed) {
  settle(cycle);
  auto& finished = pieces_.finished();
  auto it = finished.begin();
  for (; it != finished.end(); ++it) {
    const std::uint64_t at = clocks_.cycle_at_or_after(it->clock);
    if (at > cycle) break;
    (it->write ? counts_.bytes_written : counts_.bytes_read) += it->fed.bytes;
    completed.push_back({it->fed.tag, it->fed.bytes, it->fed.address, it->write, it->fed.last, at});
  }
  finished.erase(finished.begin(), it);
}

MemoryCounters DramController::counters() const {
  MemoryCounters result = counts_;
  const DramCommandCounts& commands = state_.counts();
  result.read_bursts = commands.reads;
  result.write_bursts = commands.writes;
  result.activates = commands.activates;
  result.precharges = commands.precharges;
  result.refreshes = commands.refreshes;
  result.bank_refreshes = commands.bank_refreshes;
  result.busy_clocks = (commands.reads + commands.writes) * timing_.BL;
  return result;
}

}  // namespace dfsim
