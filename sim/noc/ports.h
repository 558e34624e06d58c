// sim/noc/ports.h: what passes between the network on chip and its endpoints. One virtual call per packet.
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/base/units.h"
#include "sim/noc/packet.h"

namespace dfsim {

/// The network as an endpoint sees it; exported once per NoC. `now` is the endpoint's current cycle of the
/// NoC clock, counted from the start of the run.
class PacketInjector : public sc_core::sc_interface {
 public:
  /// Appends to the endless source queue of `packet.source`. A packet accepted at cycle t enters at t+1.
  /// Under a routing that cannot fork a multicast is sent as a packet per destination, in their order. Throws
  /// SimulationError where refuse_packet() objects.
  virtual void inject(const Packet& packet, std::uint64_t now) = 0;
  /// Cycles before `now` in which the endpoint had a flit to send and could not (no credit, no free VC),
  /// since the start of the run. Exact.
  virtual std::uint64_t blocked_cycles(EndpointId endpoint, std::uint64_t now) const = 0;
};

/// An endpoint as the network sees it. Both calls come at kernel time `cycle`; what the endpoint injects in
/// answer is accepted at that cycle.
class PacketSink : public sc_core::sc_interface {
 public:
  /// The tail has been ejected; every flit could be taken at once (one flit per cycle).
  virtual void packet_arrived(const Packet& packet, std::uint64_t cycle) = 0;
  /// The tail of an own packet with `notify_left` has left the source queue.
  virtual void packet_left(const Packet& packet, std::uint64_t cycle) = 0;
};

}  // namespace dfsim
