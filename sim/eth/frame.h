// sim/eth/frame.h: what passes between Ethernet ports, the lines, and the switches between them.
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/noc/packet.h"

namespace dfsim {

/// Pause and resume hold for one buffer set (as priority flow control, IEEE 802.1Qbb).
enum class FrameKind : std::uint8_t { data, pause, resume };
inline constexpr std::uint32_t kBufferSets = 2;  ///< before and behind the dateline of a ring

/// One frame. The payload is a stream of bytes for one port; the packets that end in a frame travel beside
/// it.
struct EthernetFrame {
  FrameKind kind = FrameKind::data;
  std::uint8_t set = 0;  ///< buffer set at the receiver
  std::uint32_t payload_bytes = 0;
  std::uint32_t packets = 0;      ///< how many packets have their last byte in this frame
  std::uint32_t destination = 0;  ///< of data: the Ethernet port that receives it
};

/// The far end of a line.
class FrameReceiver : public sc_core::sc_interface {
 public:
  /// The last bit of a frame has arrived at the kernel's present time; `packets` are those that end in it.
  virtual void frame_arrived(const EthernetFrame& frame, const Packet* packets) = 0;
  /// Whoever can act on a header alone is told of each, before frame_arrived().
  virtual bool wants_headers() const { return false; }
  /// Preamble and header have arrived; the last bit follows in `rest_ps`.
  virtual void header_arrived(const EthernetFrame&, const Packet*, std::uint64_t /*rest_ps*/) {}
};

/// One direction of a line, as the sender sees it.
class FrameLine : public sc_core::sc_interface {
 public:
  /// Begins to send at the kernel's present time; `packets` are copied. Returns the picoseconds until the
  /// next frame may begin. Throws SimulationError if the line is still busy.
  virtual std::uint64_t transmit(const EthernetFrame& frame, const Packet* packets) = 0;
  virtual std::uint32_t mtu_bytes() const = 0;
  /// From the first to the last bit of a frame of `payload` bytes, without the gap behind it.
  virtual std::uint64_t frame_ps(std::uint32_t payload) const = 0;
  /// What may still arrive from the other direction after a pause was sent.
  virtual std::uint64_t headroom_bytes() const = 0;
};

/// Frames and bytes sent since the last reset.
struct EthernetCounters {
  std::uint64_t frames = 0;         ///< data frames
  std::uint64_t payload_bytes = 0;  ///< in them
  std::uint64_t wire_bytes = 0;     ///< line time in bytes, overhead and padding included, all frames
  std::uint64_t pause_frames = 0;   ///< pause and resume
  bool operator==(const EthernetCounters&) const = default;
};

}  // namespace dfsim
