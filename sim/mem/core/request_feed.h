// sim/mem/core/request_feed.h: cuts the waiting requests into pieces, requesters taking turns piece by piece.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/ring_queue.h"
#include "sim/mem/core/controller.h"

namespace dfsim {

/// A piece that has been taken from the feed.
struct FedPiece {
  std::uint32_t tag = 0;
  std::uint32_t requester = 0;
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool first = false;  ///< of its request
  bool last = false;
};

/// Pieces end at multiples of a burst, so that no burst is fetched for two pieces of one request; a piece has
/// at most `piece_bytes`.
class RequestFeed {
 public:
  RequestFeed(std::uint32_t piece_bytes, std::uint32_t burst_bytes, std::uint64_t block_bytes = 0)
      : piece_bytes_(piece_bytes), burst_bytes_(burst_bytes), block_bytes_(block_bytes) {}

  bool empty() const { return turns_.empty(); }
  void push(const MemoryRequest& request);
  FedPiece pop();
  std::uint32_t next_piece_bytes() const;  ///< of the piece that pop() would give; the feed is not empty
  std::uint64_t next_address() const { return queues_[turns_.front()].front().rest.address; }  ///< likewise
  void clear();

 private:
  struct Waiting {
    MemoryRequest rest;
    bool begun = false;
  };
  std::uint32_t piece_bytes_of(const MemoryRequest& rest) const;

  std::uint32_t piece_bytes_;
  std::uint32_t burst_bytes_;
  std::uint64_t block_bytes_;
  std::vector<RingQueue<Waiting>> queues_;  ///< by requester
  RingQueue<std::uint32_t> turns_;          ///< requesters with something waiting
};

}  // namespace dfsim
