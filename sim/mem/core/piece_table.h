// sim/mem/core/piece_table.h: pieces whose bursts are in the queues or under way, and those that wait for
// delivery.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/mem/core/request_feed.h"

namespace dfsim {

class PieceTable {
 public:
  static constexpr std::uint32_t kNone = 0xFFFFFFFF;
  struct Piece {
    FedPiece fed;
    bool write = false;
    bool live = false;
    bool waits = false;          ///< for the piece before it, which has not all its data yet
    std::uint32_t bursts = 0;    ///< commands still to be issued
    std::uint32_t next = kNone;  ///< the piece that waits for this one
    std::uint64_t clock = 0;     ///< when its data so far is complete
    std::uint64_t serial = 0;
  };
  struct Finished {
    FedPiece fed;
    bool write;
    std::uint64_t clock;
  };

  /// Registers a piece of `bursts` bursts; returns its number.
  std::uint32_t add(const FedPiece& fed, bool write, std::uint32_t bursts);
  /// `count` more commands of piece `number` were issued; the data of the last is complete at `clock`.
  void issued(std::uint32_t number, std::uint32_t count, std::uint64_t clock) {
    Piece& piece = pieces_[number];
    piece.bursts -= count;
    piece.clock = clock > piece.clock ? clock : piece.clock;
    if (piece.bursts == 0 && !piece.waits) finish(number);
  }
  const std::vector<Piece>& pieces() const { return pieces_; }
  std::size_t live_count() const { return live_count_; }
  /// In order of clock; equal clocks in order of issue.
  std::vector<Finished>& finished() { return finished_; }
  const std::vector<Finished>& finished() const { return finished_; }
  void clear();

 private:
  void finish(std::uint32_t number);

  struct LastOf {
    std::uint32_t number = kNone;
    std::uint64_t serial = 0;
  };
  std::vector<Piece> pieces_;
  std::vector<std::uint32_t> free_;
  std::vector<LastOf> last_read_, last_write_;  ///< by requester
  std::vector<Finished> finished_;
  std::size_t live_count_ = 0;
  std::uint64_t serial_ = 0;
};

}  // namespace dfsim
