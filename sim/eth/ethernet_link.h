// sim/eth/ethernet_link.h: a full-duplex Ethernet link.
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/api/hardware.h"
#include "sim/eth/core/framing.h"
#include "sim/eth/frame.h"

namespace dfsim {

/// One direction: frames one after another at the rate, each received whole (`EthernetFraming::arrival_ps`).
/// Not modelled: bit errors and retransmission, auto-negotiation, lane alignment.
class EthernetDirection : public sc_core::sc_module, public FrameLine {
 public:
  sc_core::sc_port<FrameReceiver> receiver;

  EthernetDirection(sc_core::sc_module_name name, const EthernetLinkSpec& spec);
  std::uint64_t transmit(const EthernetFrame& frame, const Packet* packets) override;
  std::uint32_t mtu_bytes() const override { return framing_.mtu(); }
  std::uint64_t frame_ps(std::uint32_t payload) const override { return framing_.frame_ps(payload); }
  std::uint64_t headroom_bytes() const override { return framing_.headroom_bytes(); }
  const EthernetCounters& counters() const { return counters_; }
  void set_draining(bool draining) { draining_ = draining; }
  void reset();

 private:
  SC_HAS_PROCESS(EthernetDirection);
  struct InFlight {
    EthernetFrame frame;
    std::uint64_t header_ps = 0, arrives_ps = 0;  ///< at the far end
    bool header_told = false;
  };
  void arrive();
  void take_packets(const EthernetFrame& frame);
  void wait_for_next();
  std::uint64_t now_ps() const { return sc_core::sc_time_stamp().value(); }

  EthernetFraming framing_;
  sc_core::sc_event arrival_;
  RingQueue<InFlight> frames_;
  RingQueue<Packet> packets_;
  std::vector<Packet> arrived_;  ///< those of the first frame, once its header is there
  std::uint64_t free_at_ps_ = 0;
  bool draining_ = false;
  EthernetCounters counters_;
};

/// Both directions. Bind `a_to_b.receiver` to port b (or a switch) and the line of port a to `a_to_b`, and
/// the other way round.
class EthernetLink : public sc_core::sc_module {
 public:
  EthernetDirection a_to_b;
  EthernetDirection b_to_a;

  EthernetLink(sc_core::sc_module_name name, const EthernetLinkSpec& spec);
  void set_draining(bool draining);
  void reset();
};

}  // namespace dfsim
