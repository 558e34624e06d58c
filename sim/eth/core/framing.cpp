#include "sim/eth/core/framing.h"

#include <algorithm>
#include <cmath>

namespace dfsim {

std::uint64_t EthernetFraming::to_ps(std::uint64_t bytes) const {
  // The subtrahend keeps products that are whole but for the rounding of the division from being rounded up.
  return static_cast<std::uint64_t>(std::ceil(static_cast<double>(bytes) * ps_per_byte_ - 1e-6));
}

std::uint64_t EthernetFraming::transfer_ps(std::uint64_t bytes) const {
  if (bytes == 0) return 0;
  const std::uint64_t full = (bytes - 1) / mtu_;
  return full * line_ps(mtu_) + arrival_ps(static_cast<std::uint32_t>(bytes - full * mtu_));
}

std::uint64_t EthernetFraming::headroom_bytes() const {
  const double in_flight = 2 * static_cast<double>(delay_ps_) / ps_per_byte_;
  return static_cast<std::uint64_t>(std::ceil(in_flight)) + 2 * std::uint64_t{wire_bytes(mtu_)} +
         wire_bytes(0);
}

void FrameQueue::push(std::uint32_t message_bytes) {
  messages_.push(message_bytes);
  bytes_ += message_bytes;
}

FrameQueue::Cut FrameQueue::cut(std::uint32_t mtu) {
  Cut cut;
  while (cut.payload < mtu && !messages_.empty()) {
    std::uint32_t& left = messages_.front();
    const std::uint32_t taken = std::min(left, mtu - cut.payload);
    cut.payload += taken;
    left -= taken;
    if (left != 0) break;
    messages_.pop();
    ++cut.ended;
  }
  bytes_ -= cut.payload;
  return cut;
}

void FrameQueue::clear() {
  messages_.clear();
  bytes_ = 0;
}

EthernetRun run_transfers(const EthernetLinkSpec& link, std::uint64_t bytes, std::uint64_t transfers) {
  const EthernetFraming framing(link);
  EthernetRun run;
  std::uint64_t line_free = 0;
  FrameQueue queue;
  constexpr std::uint64_t kChunk =
      1 << 20;  // messages enter as they are needed, so that long runs need no memory
  std::uint64_t left = bytes * transfers;
  while (left != 0 || !queue.empty()) {
    if (left != 0 && queue.bytes() < framing.mtu()) {
      const std::uint64_t chunk = std::min(left, kChunk);
      queue.push(static_cast<std::uint32_t>(chunk));
      left -= chunk;
      continue;
    }
    const FrameQueue::Cut cut = queue.cut(framing.mtu());
    ++run.frames;
    run.wire_bytes += framing.wire_bytes(cut.payload);
    run.completion_ps = line_free + framing.arrival_ps(cut.payload);
    line_free += framing.line_ps(cut.payload);
  }
  return run;
}

}  // namespace dfsim
