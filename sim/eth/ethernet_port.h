// sim/eth/ethernet_port.h: an endpoint of a network on chip with an Ethernet line behind it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <systemc>

#include "sim/api/hardware.h"
#include "sim/eth/core/framing.h"
#include "sim/eth/core/routes.h"
#include "sim/eth/frame.h"
#include "sim/noc/ports.h"

namespace dfsim {

/// Where a forwarded packet has come in.
class TransitSource {
 public:
  virtual ~TransitSource() = default;
  /// The frame with the last byte of `packet` begins to leave: its room in buffer set `set` is free.
  virtual void transit_left(const Packet& packet, std::uint8_t set) = 0;
};

/// Another port of the same chip, as the port that a packet has come in by sees it.
class TransitSink : public sc_core::sc_interface {
 public:
  /// `packet` came in by `source`, port `from`, which holds its bytes in buffer set `set` until it has left.
  virtual void transit(const Packet& packet, std::uint8_t set, std::uint32_t from, TransitSource& source) = 0;
};

/// Packets that arrive from the network (class outbound) are packed into frames in order of arrival and leave
/// through `line`; those for different receivers and buffer sets, and those that other ports of the chip
/// forward, wait in queues of their own, which take turns frame by frame. Packets that arrive from the line
/// and have reached their network enter it as class sinkable towards `message.final_endpoint`, in the first
/// cycle at or after the last bit of the frame that they end in; those for another network (rings) go to the
/// chip's port that leads there. Each holds its part of the receive buffer until its tail has left for the
/// network, resp. its last frame begins to leave.
///
/// Rings do not deadlock: a packet uses buffer set 0 up to the dateline and set 1 behind it, each paused on
/// its own, and no way crosses the dateline twice; so the sets, in the order of the links they are at the end
/// of, wait for each other without a cycle, and what has reached its chip can always be taken. A packet is
/// forwarded whole, so a paused buffer must not consist of parts of packets alone: `resume_bytes` exceeds the
/// longest packet times the flows that may end in a buffer set (2 on a link: own and forwarded; at a switch
/// one per sender), which sim/hw checks.
///
/// A packet without payload (ready, token) counts as 8 bytes; alone in a frame it takes the least frame of 64
/// bytes. A pause takes effect after the frame being sent (IEEE 802.3 annex 31B); pause frames go before
/// data. What happens at the same instant is seen as one: the port decides when all of it has come (two delta
/// cycles later), and each queue has one source, so that no order of processes shows. Not modelled: a limit
/// of the transmit buffer for packets of the own chip (the network's contract is that an endpoint takes a
/// flit per cycle); the grants of transfers bound it. Not modelled: time to forward inside a chip.
class EthernetPort : public sc_core::sc_module,
                     public PacketSink,
                     public FrameReceiver,
                     public TransitSink,
                     public TransitSource {
 public:
  static constexpr std::uint32_t kControlBytes = 8;

  sc_core::sc_port<PacketInjector> noc;
  sc_core::sc_port<FrameLine> line;
  /// The other Ethernet ports of the chip, in the order of `bind_sibling` calls.
  sc_core::sc_port<TransitSink, 0, sc_core::SC_ZERO_OR_MORE_BOUND> siblings;

  /// Port `number` of the hardware that `routes` is of; `network` is its NoC. The kernel's time resolution is
  /// taken to be 1 ps; `routes` must outlive the port.
  EthernetPort(sc_core::sc_module_name name, std::uint32_t number, const EthernetPortSpec& spec,
               const NocSpec& network, std::uint64_t noc_clock_period_ps, const EthernetRoutes& routes);
  /// Before the end of elaboration: `sibling` is port `number`, on the same chip.
  void bind_sibling(std::uint32_t number, TransitSink& sibling);

  void packet_arrived(const Packet& packet, std::uint64_t cycle) override;
  void packet_left(const Packet& packet, std::uint64_t cycle) override;
  /// Throws SimulationError if no way leads to a packet's network or the receive buffer overflows.
  void frame_arrived(const EthernetFrame& frame, const Packet* packets) override;
  void transit(const Packet& packet, std::uint8_t set, std::uint32_t from, TransitSource& source) override;
  void transit_left(const Packet& packet, std::uint8_t set) override;

  bool idle() const;
  /// Of one buffer set of the receive buffer, since reset().
  std::uint64_t most_buffered_bytes(std::uint8_t set = 0) const { return sets_[set].most_bytes; }
  std::uint64_t forwarded_packets() const { return forwarded_packets_; }  ///< since reset()
  void set_draining(bool draining) { draining_ = draining; }
  /// Cold and idle; the run starts at the kernel's present time.
  void reset();

 private:
  SC_HAS_PROCESS(EthernetPort);
  struct Waiting {
    Packet packet;
    TransitSource* source = nullptr;  ///< of a forwarded packet
    std::uint8_t held_set = 0;
  };
  /// What may share frames.
  struct FlowKey {
    std::uint32_t destination = 0;
    std::uint8_t set = 0;
    std::uint32_t from = 0;  ///< port by which the packets came in; of the own chip: this one
    auto operator<=>(const FlowKey&) const = default;
  };
  struct Flow {
    FrameQueue stream;           ///< bytes to be sent
    RingQueue<Waiting> waiting;  ///< the packets they belong to
  };
  struct BufferSet {
    std::uint64_t bytes = 0, most_bytes = 0;
    bool told_pause = false;  ///< the other side was asked to pause
    bool paused = false;      ///< by the other side
  };
  /// Whether the other side should be told something else than it was.
  bool pause_changes(const BufferSet& buffer) const {
    return buffer.told_pause ? buffer.bytes < spec_.buffers.resume_bytes
                             : buffer.bytes > spec_.buffers.pause_bytes;
  }
  struct Received {
    Packet packet;
    std::uint64_t cycle = 0;
    std::uint8_t set = 0;
  };

  void send();
  void deliver();
  bool send_control();
  bool send_data();
  void send_frame(const FlowKey& key, Flow& flow);
  bool can_send() const;
  bool wants_control() const;
  void wake_sender();
  void queue(const FlowKey& key, const Waiting& waiting);
  EthernetHop next_hop(const Packet& packet) const;
  void forward(const Packet& packet, std::uint8_t set);
  void release(const Packet& packet, std::uint8_t set);
  static std::uint32_t wire_payload(const Packet& packet) {
    return packet.message.bytes == 0 ? kControlBytes : packet.message.bytes;
  }
  std::uint64_t now_ps() const { return (sc_core::sc_time_stamp() - start_).value(); }

  std::uint32_t number_;
  EthernetPortSpec spec_;
  std::uint32_t link_width_bytes_;
  std::uint64_t period_ps_;
  const EthernetRoutes& routes_;
  std::map<std::uint32_t, int> sibling_at_;  ///< by port number: index in `siblings`
  sc_core::sc_event send_, deliver_;
  sc_core::sc_time start_;
  bool draining_ = false;

  bool settled_ = false;           ///< send() is called again in this instant
  std::map<FlowKey, Flow> flows_;  ///< they stay until reset()
  FlowKey turn_;                   ///< flow that was served last
  std::vector<Packet> ending_;     ///< in the frame being sent; reused
  std::uint64_t line_free_ps_ = 0;

  BufferSet sets_[kBufferSets];
  RingQueue<Received> received_;
  RingQueue<std::uint8_t> entering_;  ///< buffer sets of the packets that enter the network, in order
  std::uint64_t forwarded_packets_ = 0;
};

}  // namespace dfsim
