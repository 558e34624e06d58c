#include "sim/mem/core/piece_table.h"

#include <algorithm>

namespace dfsim {

std::uint32_t PieceTable::add(const FedPiece& fed, bool write, std::uint32_t bursts) {
  std::uint32_t number = static_cast<std::uint32_t>(pieces_.size());
  if (free_.empty()) {
    pieces_.emplace_back();
  } else {
    number = free_.back();
    free_.pop_back();
  }
  ++live_count_;
  Piece& piece = pieces_[number];
  piece = Piece{fed, write, true, false, bursts, kNone, 0, ++serial_};
  // Pieces of a request complete in order: later bursts may overtake in the queue, their packet does not.
  auto& last_of = write ? last_write_ : last_read_;
  if (fed.requester >= last_of.size()) last_of.resize(fed.requester + 1);
  LastOf& last = last_of[fed.requester];
  if (!fed.first && last.number != kNone && pieces_[last.number].live &&
      pieces_[last.number].serial == last.serial) {
    pieces_[last.number].next = number;
    piece.waits = true;
  }
  last = {number, serial_};
  return number;
}

void PieceTable::finish(std::uint32_t number) {
  while (number != kNone) {
    Piece& piece = pieces_[number];
    auto position = finished_.end();
    while (position != finished_.begin() && std::prev(position)->clock > piece.clock) --position;
    finished_.insert(position, Finished{piece.fed, piece.write, piece.clock});
    piece.live = false;
    --live_count_;
    free_.push_back(number);
    const std::uint32_t next = piece.next;
    if (next == kNone) return;
    Piece& successor = pieces_[next];
    successor.waits = false;
    successor.clock = std::max(successor.clock, piece.clock);
    number = successor.bursts == 0 ? next : kNone;
  }
}

void PieceTable::clear() {
  pieces_.clear();
  free_.clear();
  std::fill(last_read_.begin(), last_read_.end(), LastOf{});
  std::fill(last_write_.begin(), last_write_.end(), LastOf{});
  finished_.clear();
  live_count_ = 0;
}

}  // namespace dfsim
