// sim/eth/ethernet_port.h: an endpoint of a network on chip with an Ethernet line behind it.
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/api/hardware.h"
#include "sim/eth/core/framing.h"
#include "sim/eth/frame.h"
#include "sim/noc/ports.h"

namespace dfsim {

/// Receive buffer: above `pause_bytes` the sender is asked to pause, below `resume_bytes` to go on. The room
/// above `pause_bytes` is what may still arrive meanwhile (FrameLine::headroom_bytes), so nothing is ever
/// lost.
struct EthernetBuffers {
  std::uint64_t pause_bytes = 65536;
  std::uint64_t resume_bytes = 32768;
};

/// Packets that arrive from the network (class outbound) are packed into frames in order of arrival and leave
/// through `line`. Packets that arrive from the line enter the network as class sinkable towards
/// `message.final_endpoint`, in the first cycle at or after the last bit of the frame that they end in; each
/// holds its part of the receive buffer until its tail has left for the network. A packet without payload
/// (ready, token) counts as 8 bytes; alone in a frame it takes the least frame of 64 bytes. A pause takes
/// effect after the frame being sent (IEEE 802.3 annex 31B); pause frames go before data. Not modelled: a
/// limit of the transmit buffer (the network's contract is that an endpoint takes a flit per cycle); the
/// grants of transfers bound it.
class EthernetPort : public sc_core::sc_module, public PacketSink, public FrameReceiver {
 public:
  static constexpr std::uint32_t kControlBytes = 8;

  sc_core::sc_port<PacketInjector> noc;
  sc_core::sc_port<FrameLine> line;

  /// `network` is the NoC that the port belongs to; the kernel's time resolution is taken to be 1 ps.
  EthernetPort(sc_core::sc_module_name name, const EthernetPortSpec& spec, const NocSpec& network,
               std::uint64_t noc_clock_period_ps, EthernetBuffers buffers = {});

  void packet_arrived(const Packet& packet, std::uint64_t cycle) override;
  void packet_left(const Packet& packet, std::uint64_t cycle) override;
  /// Throws SimulationError if a packet's final network is another one or the receive buffer overflows.
  void frame_arrived(const EthernetFrame& frame, const Packet* packets) override;

  bool idle() const { return waiting_.empty() && received_.empty() && buffered_bytes_ == 0; }
  std::uint64_t most_buffered_bytes() const {
    return most_buffered_bytes_;
  }  ///< receive buffer, since reset()
  void set_draining(bool draining) { draining_ = draining; }
  /// Cold and idle; the run starts at the kernel's present time.
  void reset();

 private:
  SC_HAS_PROCESS(EthernetPort);
  void send();
  void deliver();
  bool send_control();
  void wake_sender();
  static std::uint32_t wire_payload(const Packet& packet) {
    return packet.message.bytes == 0 ? kControlBytes : packet.message.bytes;
  }
  std::uint64_t now_ps() const { return (sc_core::sc_time_stamp() - start_).value(); }

  EthernetPortSpec spec_;
  std::uint32_t link_width_bytes_;
  std::uint64_t period_ps_;
  EthernetBuffers buffers_;
  sc_core::sc_event send_, deliver_;
  sc_core::sc_time start_;
  bool draining_ = false;

  FrameQueue stream_;           ///< bytes to be sent
  RingQueue<Packet> waiting_;   ///< the packets they belong to
  std::vector<Packet> ending_;  ///< in the frame being sent; reused
  std::uint64_t line_free_ps_ = 0;
  bool paused_ = false;  ///< by the other side

  struct Received {
    Packet packet;
    std::uint64_t cycle = 0;
  };
  RingQueue<Received> received_;
  std::uint64_t buffered_bytes_ = 0, most_buffered_bytes_ = 0;
  bool want_pause_ = false, told_pause_ = false;  ///< what the other side should know, and what it was told
};

}  // namespace dfsim
