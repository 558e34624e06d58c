#include "sim/mem/core/request_feed.h"

#include <algorithm>

namespace dfsim {

void RequestFeed::push(const MemoryRequest& request) {
  if (request.requester >= queues_.size()) queues_.resize(request.requester + 1);
  auto& queue = queues_[request.requester];
  if (queue.empty()) turns_.push(request.requester);
  queue.push({request, false});
}

std::uint32_t RequestFeed::piece_bytes_of(const MemoryRequest& rest) const {
  const auto into_burst = static_cast<std::uint32_t>(rest.address % burst_bytes_);
  const std::uint32_t whole =
      piece_bytes_ > into_burst ? piece_bytes_ - into_burst : burst_bytes_ - into_burst;
  return std::min(rest.bytes, std::min(whole, piece_bytes_));
}

std::uint32_t RequestFeed::next_piece_bytes() const {
  return piece_bytes_of(queues_[turns_.front()].front().rest);
}

FedPiece RequestFeed::pop() {
  const std::uint32_t requester = turns_.front();
  auto& queue = queues_[requester];
  Waiting& waiting = queue.front();
  FedPiece piece{waiting.rest.tag, requester, waiting.rest.address, piece_bytes_of(waiting.rest),
                 !waiting.begun,   false};
  waiting.rest.address += piece.bytes;
  waiting.rest.bytes -= piece.bytes;
  waiting.begun = true;
  if (waiting.rest.bytes == 0) {
    piece.last = true;
    queue.pop();
  } else if (block_bytes_ != 0 && waiting.rest.address / block_bytes_ == piece.address / block_bytes_) {
    return piece;
  }
  turns_.pop();
  if (!queue.empty()) turns_.push(requester);
  return piece;
}

void RequestFeed::clear() {
  while (!turns_.empty()) {
    queues_[turns_.front()].clear();
    turns_.pop();
  }
}

}  // namespace dfsim
