// sim/eth/core/framing.h: the arithmetic of Ethernet frames. Plain C++, no kernel.
#pragma once

#include <cstdint>

#include "sim/api/hardware.h"
#include "sim/base/ring_queue.h"

namespace dfsim {

/// Sizes and times of frames on one direction of a link (IEEE 802.3, full duplex). A frame of p payload bytes
/// occupies the line for max(p, 46) + overhead bytes; the overhead of 38 is preamble 8, header 14, FCS 4 and
/// gap 12, and 46 is what fills header, payload and FCS up to the least frame of 64 bytes. Not modelled:
/// headers above Ethernet; what a message is and where it goes travels beside its payload.
class EthernetFraming {
 public:
  static constexpr std::uint32_t kLeastPayload = 46;
  static constexpr std::uint32_t kGapBytes = 12;
  static constexpr std::uint32_t kHeaderBytes = 22;  ///< preamble 8, addresses and type 14

  explicit EthernetFraming(const EthernetLinkSpec& link)
      : mtu_(link.mtu_bytes),
        overhead_(link.frame_overhead_bytes),
        gap_(link.frame_overhead_bytes < kGapBytes ? link.frame_overhead_bytes : kGapBytes),
        ps_per_byte_(8000.0 / link.rate_gbps),
        delay_ps_(link.delay_ns * 1000) {}

  std::uint32_t mtu() const { return mtu_; }
  std::uint32_t wire_bytes(std::uint32_t payload) const {
    return (payload < kLeastPayload ? kLeastPayload : payload) + overhead_;
  }
  /// From the first bit of a frame to the first bit that may follow it, rounded up to a picosecond.
  std::uint64_t line_ps(std::uint32_t payload) const { return to_ps(wire_bytes(payload)); }
  /// From the first bit sent to the last bit received: without the gap, with the propagation delay.
  std::uint64_t arrival_ps(std::uint32_t payload) const {
    return to_ps(wire_bytes(payload) - gap_) + delay_ps_;
  }
  /// From the first to the last bit of a frame, at one place of the line.
  std::uint64_t frame_ps(std::uint32_t payload) const { return to_ps(wire_bytes(payload) - gap_); }
  /// From the first bit of a frame to the end of its header.
  std::uint64_t header_ps() const { return to_ps(kHeaderBytes); }
  std::uint64_t delay_ps() const { return delay_ps_; }
  std::uint64_t frames(std::uint64_t bytes) const { return (bytes + mtu_ - 1) / mtu_; }
  /// Closed form: from the first bit of the first frame to the last bit received of `bytes` in full frames.
  std::uint64_t transfer_ps(std::uint64_t bytes) const;
  /// Bytes that arrive after a pause was asked for: two delays, the frame that each side had just begun, and
  /// the pause frame itself.
  std::uint64_t headroom_bytes() const;

 private:
  std::uint64_t to_ps(std::uint64_t bytes) const;
  std::uint32_t mtu_;
  std::uint32_t overhead_;
  std::uint32_t gap_;
  double ps_per_byte_;
  std::uint64_t delay_ps_;
};

/// Messages that wait for a direction of a link, as a stream of bytes that is cut into frames: a frame
/// carries up to MTU bytes of as many messages as wait, and a message longer than the rest of a frame
/// continues in the next one.
class FrameQueue {
 public:
  struct Cut {
    std::uint32_t payload = 0;
    std::uint32_t ended = 0;  ///< messages whose last byte is in this frame
  };
  bool empty() const { return bytes_ == 0; }
  std::uint64_t bytes() const { return bytes_; }
  void push(std::uint32_t message_bytes);  ///< at least 1
  Cut cut(std::uint32_t mtu);              ///< the queue is not empty
  void clear();

 private:
  RingQueue<std::uint32_t> messages_;  ///< bytes still to be sent
  std::uint64_t bytes_ = 0;
};

/// `transfers` messages of `bytes` each, all waiting at time 0 on an idle link. All times in picoseconds.
struct EthernetRun {
  std::uint64_t completion_ps = 0;  ///< last bit of the last frame received
  std::uint64_t frames = 0;
  std::uint64_t wire_bytes = 0;
};
EthernetRun run_transfers(const EthernetLinkSpec& link, std::uint64_t bytes, std::uint64_t transfers);

}  // namespace dfsim
