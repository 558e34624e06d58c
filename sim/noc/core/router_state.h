// sim/noc/core/router_state.h: the state of routers and sources, as flat arrays of small records.
//
// A register ("wire") holds what its driver put there last, and the driver announces changes only. On a flit
// wire 0 is nothing, 32 + vc a body flit, (slot + 1) * 64 + vc the head of the packet in that slot: all body
// flits of a packet are the same value. On a credit wire 0 is nothing, 1 + vc a credit for vc.
#pragma once

#include <cstdint>
#include <limits>

namespace dfsim {

inline constexpr std::uint32_t kMaxVirtualChannels = 32;
inline constexpr std::uint32_t kMaxPorts = 31;
inline constexpr std::uint32_t kBodyBit = 32;
inline constexpr std::uint32_t kVcBits = 31;
inline constexpr std::uint32_t kFirstHeadValue = 64;
inline constexpr std::uint8_t kNoOwner = std::numeric_limits<std::uint8_t>::max();
inline constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

constexpr std::uint32_t head_value(std::uint32_t slot, std::uint32_t vc) { return (slot + 1) * 64 + vc; }
constexpr std::uint32_t body_value(std::uint32_t vc) { return kBodyBit + vc; }

enum class PortKind : std::uint8_t { absent, link, local };

/// One port of a router, both directions. Masks have a bit per virtual channel.
struct PortState {
  // Input side.
  std::uint32_t occupied = 0;    ///< has flits
  std::uint32_t active = 0;      ///< its front packet owns an output VC
  std::uint32_t credit_ok = 0;   ///< that output VC has a credit (meaningful where active)
  std::uint32_t requesting = 0;  ///< its head asks for an output VC
  std::uint32_t granted = 0;     ///< has got one, and may use the switch after the cycle of the grant
  std::uint32_t flit_in = 0;     ///< flit wire, as seen here
  // Output side.
  std::uint32_t free_vcs = 0;       ///< owned by no packet
  std::uint32_t credited = 0;       ///< has a credit
  std::uint32_t flit_out = 0;       ///< flit wire, as driven here
  std::uint32_t flit_target = 0;    ///< link: port that receives our flits; local: terminal
  std::uint32_t credit_target = 0;  ///< link: port that receives our credits; local: terminal
  std::uint8_t credit_in = 0;       ///< credit wire of the output side, as seen here
  std::uint8_t credit_out = 0;      ///< credit wire of the input side, as driven here
  std::uint8_t vc_pointer = 0;      ///< switch: first VC of this input to look at
  std::uint8_t accept_pointer = 0;  ///< switch: first output that this input accepts
  std::uint8_t grant_pointer = 0;   ///< switch: first input that this output grants
  std::uint8_t held_vc = 0;         ///< packet_hold: VC that keeps the switch
  PortKind kind = PortKind::absent;
  std::uint8_t index = 0;    ///< of this port in its router
  std::uint32_t router = 0;  ///< the port's own
  std::uint64_t flits = 0;   ///< sent through this output
};
static_assert(sizeof(PortState) == 64);

/// One input virtual channel.
struct InputVc {
  std::uint32_t left = 0;    ///< flits of the front packet that have not gone on; 0: there is no front packet
  std::uint32_t packet = 0;  ///< slot of the front packet
  std::uint16_t count = 0;   ///< flits in the buffer
  std::uint16_t queue_first = 0,
                queue_size = 0;      ///< ring of packets whose heads stand behind the front packet
  std::uint16_t accept_pointer = 0;  ///< VC allocation: first output VC (port * V + vc) that this one accepts
  std::uint8_t out_port = 0, out_vc = 0;
  bool at_head = false;  ///< active, and the head has not gone on
  std::uint8_t unused = 0;
};
static_assert(sizeof(InputVc) == 20);

/// One output virtual channel.
struct OutputVc {
  std::uint16_t credits = 0;
  std::uint16_t grant_pointer = 0;     ///< VC allocation: first input VC (port * V + vc) that this one grants
  std::uint8_t owner_port = kNoOwner;  ///< input port and VC of the packet that owns it
  std::uint8_t owner_vc = 0;
};

/// Why a buffered flit did not move: VC-cycles by cause.
struct StallCycles {
  std::uint64_t no_credit = 0;         ///< its output VC has no credit
  std::uint64_t lost_arbitration = 0;  ///< the switch went to others
  std::uint64_t no_vc = 0;             ///< its head has been refused an output VC
  bool operator==(const StallCycles&) const = default;
};

/// What belongs to a router as a whole. Masks have a bit per port.
struct RouterState {
  std::uint64_t done = 0;         ///< the cycles before this one are in the state
  std::uint64_t timer = 0;        ///< cycle for which a timer is set; others are stale
  std::uint64_t grant_cycle = 0;  ///< cycle of VC allocation that `granted` belongs to
  StallCycles stalls;
  std::uint32_t flit_ports = 0;    ///< flit_in is not 0
  std::uint32_t credit_ports = 0;  ///< credit_in is not 0
  std::uint32_t occupied_ports = 0;
  std::uint32_t requesting_ports = 0;
  std::uint32_t granted_ports = 0;
  std::uint32_t driving = 0;    ///< flit_out is not 0
  std::uint32_t crediting = 0;  ///< credit_out is not 0
  std::uint32_t held = 0;       ///< packet_hold: inputs that keep the switch
  // Stalls per cycle while asleep.
  std::uint16_t no_credit = 0, lost = 0, no_vc = 0;
  std::uint8_t ports = 0;
};

/// The sending side of an endpoint.
struct Terminal {
  std::uint64_t done = 0;  ///< as RouterState::done
  std::uint64_t timer = 0;
  std::uint64_t blocked = 0;   ///< cycles with something to send in which nothing was sent
  std::uint64_t sent = 0;      ///< flits
  std::uint64_t received = 0;  ///< packets
  std::uint32_t port = 0;      ///< its router port
  std::uint32_t waiting = 0;   ///< packets in its source queues, the one being sent included
  std::uint32_t flit_out = 0;
  std::uint8_t credit_in = 0;
  std::uint8_t holder = 0;  ///< message class that has the injection channel, or had it last
  bool sending = false;     ///< a flit was sent in the last evaluation
  bool blocked_now = false;
};

/// Packets of one message class at one source.
struct SourceQueue {
  std::uint32_t first = kNoSlot, last = kNoSlot;
  std::uint32_t left = 0;  ///< flits of the first packet still to send, if its head has been sent
  std::uint8_t vc = 0;
  std::uint8_t last_vc = 0;  ///< relative to the class's first
};

/// What the network needs to know of a packet on its way.
struct PacketSlot {
  std::uint32_t flits = 1;
  std::uint32_t router = 0;  ///< destination
  std::uint32_t coins = 0;
  std::uint32_t next = kNoSlot;  ///< in the source queue, or in the list of free slots
  std::uint16_t hops = 0;        ///< channels between routers taken so far
  std::uint8_t port = 0;         ///< local port of the destination
  std::uint8_t message_class = 0;
  bool notify_left = false;
  std::uint64_t created = 0;  ///< cycle from which it could be sent
  std::uint64_t entered = 0;  ///< cycle in which its head was sent
};

}  // namespace dfsim
