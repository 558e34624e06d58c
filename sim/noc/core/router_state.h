// sim/noc/core/router_state.h: the state of routers and sources, as flat arrays of small records.
//
// A wire holds what its driver put there last, and the driver announces changes only. On a flit wire that is
// nothing or a flit per cycle for one virtual channel, the first of them perhaps a head; on a credit wire
// nothing or a credit per cycle for one virtual channel.
#pragma once

#include <cstdint>
#include <limits>

#include "sim/noc/core/channel_set.h"
#include "sim/noc/core/network_core.h"

namespace dfsim {

inline constexpr std::uint32_t kMaxVirtualChannels = 32;
inline constexpr std::uint32_t kMaxPorts = 31;
inline constexpr std::uint32_t kMaxChannels = 1024;  ///< of one router
inline constexpr std::uint32_t kMaxRouters = 1u << 22;
inline constexpr std::uint16_t kNoChannel = std::numeric_limits<std::uint16_t>::max();
inline constexpr std::uint32_t kNoSlot = std::numeric_limits<std::uint32_t>::max();

enum class PortKind : std::uint8_t { absent, link, local };

/// From now on a flit or credit per cycle for `channel`, one of its port's; or no more (kNoChannel). To a
/// terminal: credits for VC `channel`.
struct WireChange {
  std::uint32_t router = 0;  ///< or terminal
  std::uint16_t first = 0;   ///< channel of the port
  std::uint16_t channel = 0;
  WireChange end() const { return {router, first, kNoChannel}; }
};

/// One port of a router, both directions.
struct PortState {
  std::uint64_t flits = 0;     ///< through this output, all of those packets whose heads have passed
  std::uint32_t endpoint = 0;  ///< local: the one attached
  PortKind kind = PortKind::absent;
  std::uint8_t accept_pointer = 0;  ///< switch: first output that this input accepts
  std::uint16_t vc_pointer = 0;  ///< switch: first channel of this input to look at, or the next port's first
  std::uint16_t grant_pointer = 0;  ///< switch: first input channel that this output grants
};
static_assert(sizeof(PortState) == 24);

/// One input virtual channel.
struct InputVc {
  std::uint32_t left = 0;         ///< flits of the front packet that have not gone on; 0: no front packet
  std::uint32_t packet = 0;       ///< slot of the front packet
  std::uint16_t count = 0;        ///< flits in the buffer
  std::uint16_t out = 0;          ///< output channel of the front packet, once granted
  std::uint16_t queue_first = 0;  ///< ring of packets whose heads stand behind the front packet
  std::uint16_t queue_size = 0;
  std::uint16_t accept_pointer = 0;  ///< VC allocation: first output channel that this one accepts
  std::uint8_t out_port = 0;
  PortKind kind = PortKind::absent;  ///< of its port
  WireChange credits_on;             ///< what our credits mean to the output or terminal that feeds us
  std::uint32_t unused = 0;
};
static_assert(sizeof(InputVc) == 32);

/// One output virtual channel.
struct OutputVc {
  std::uint16_t credits = 0;         ///< + paying - sending of the owner
  std::uint16_t owner = kNoChannel;  ///< input channel whose packet owns it
  std::uint16_t grant_pointer = 0;   ///< VC allocation: first input channel that this one grants
  PortKind kind = PortKind::absent;  ///< of its port
  /// What our flits mean to the input they go to. A sink takes every flit at once and answers with a credit:
  /// what it sends us.
  WireChange flits_on;
};
static_assert(sizeof(OutputVc) == 16);

/// What belongs to a router as a whole.
template <unsigned W>
struct RouterState {
  // By input channel.
  ChannelSet<W> occupied;    ///< has flits, or gets one (but see check_streams())
  ChannelSet<W> arriving;    ///< gets a flit per cycle
  ChannelSet<W> active;      ///< its front packet owns an output VC and may use the switch
  ChannelSet<W> credit_ok;   ///< that output VC is in `credited` (meaningful where owned)
  ChannelSet<W> sending;     ///< sends a flit per cycle
  ChannelSet<W> at_head;     ///< owns an output VC, and its head has not gone on
  ChannelSet<W> requesting;  ///< its head asks for an output VC
  ChannelSet<W> granted;     ///< has got one, and may use the switch after the cycle of the grant
  ChannelSet<W> held;        ///< packet_hold: keeps the switch while it can move
  // By output channel.
  ChannelSet<W> free_vcs;  ///< owned by no packet
  ChannelSet<W> credited;  ///< has a credit, or gets one (but see check_streams())
  ChannelSet<W> paying;    ///< gets a credit per cycle

  PortState* ports = nullptr;
  ChannelSet<W>* outgoing = nullptr;  ///< by output: input channels whose packets have VCs of it
  InputVc* inputs = nullptr;
  OutputVc* outputs = nullptr;

  std::uint64_t done = 0;         ///< the cycles before this one are in `stalls`
  std::uint64_t timer = kNever;   ///< cycle for which a timer is set; others are stale
  std::uint64_t grant_cycle = 0;  ///< cycle of VC allocation that `granted` belongs to
  StallCycles stalls;
  // Stalls in the last evaluation, and per cycle while asleep.
  std::uint16_t no_credit = 0, lost = 0, no_vc = 0;
  std::uint8_t port_count = 0;
  bool awake = false;
  bool new_head = false;          ///< has got a head in its sleep, in this cycle
  std::uint32_t forks = kNoSlot;  ///< first of the multicast packets at the fronts
};
static_assert(sizeof(RouterState<1>) == 192);  // a size that is quick to multiply with

/// The sending side of an endpoint.
struct Terminal {
  std::uint64_t done = 0;  ///< the cycles before this one are in the state
  std::uint64_t timer = 0;
  std::uint64_t blocked = 0;   ///< cycles with something to send in which nothing was sent
  std::uint64_t sent = 0;      ///< flits
  std::uint64_t received = 0;  ///< packets
  std::uint32_t router = 0, port = 0;
  std::uint32_t waiting = 0;   ///< packets in its source queues, the one being sent included
  std::uint8_t driven_vc = 0;  ///< of the flit wire, plus 1; 0: nothing
  std::uint8_t credit_in = 0;  ///< VC of the credit wire, plus 1; 0: nothing
  std::uint8_t holder = 0;     ///< message class that has the injection channel, or had it last
  bool sending = false;        ///< a flit was sent in the last evaluation
  bool blocked_now = false;
};

/// Packets of one message class at one source.
struct SourceQueue {
  std::uint32_t first = kNoSlot, last = kNoSlot;
  std::uint32_t left = 0;  ///< flits of the first packet still to send, if its head has been sent
  std::uint8_t vc = 0;
  std::uint8_t last_vc = 0;  ///< relative to the class's first
};

/// A destination of a multicast packet, in a list of them.
struct Leaf {
  std::uint32_t endpoint = 0;
  std::uint32_t next = kNoSlot;
};

/// A multicast packet at the front of an input VC. It goes on as one branch per output port; each is a packet
/// of its own with a part of the leaves.
struct Fork {
  std::uint32_t next = kNoSlot;  ///< of the same router, or in the list of free ones
  std::uint16_t channel = 0;     ///< input channel
  std::uint16_t flits = 0;
  std::uint16_t freed = 0;  ///< flits that all branches have read
  std::uint16_t branches = 0;
};
struct Branch {
  std::uint64_t ready_at = 0;      ///< granted: first cycle of switch allocation
  std::uint64_t held_in = 0;       ///< packet_hold: cycle in which it keeps the switch if it can move
  std::uint32_t slot = 0;          ///< of its packet
  std::uint32_t vcs = 0;           ///< of its output port: those it may take
  std::uint16_t sent = 0;          ///< flits that have gone on
  std::uint16_t out = kNoChannel;  ///< output channel, once granted
  std::uint8_t port = 0;
  bool speculative = false;  ///< has won the switch in this cycle without an output VC
};

/// What the network needs to know of a packet on its way.
struct PacketSlot {
  std::uint32_t flits = 1;
  std::uint32_t router = 0;  ///< destination
  std::uint32_t coins = 0;
  std::uint32_t next = kNoSlot;    ///< in the source queue, or in the list of free slots
  std::uint32_t leaves = kNoSlot;  ///< of a multicast: first of its destinations, instead of router and port
  std::uint16_t hops = 0;          ///< channels between routers taken so far
  std::uint16_t room = 1;          ///< credits that its head needs: of a multicast, one per flit
  std::uint8_t port = 0;           ///< local port of the destination
  std::uint8_t message_class = 0;
  bool notify_left = false;
  std::uint64_t created = 0;  ///< cycle from which it could be sent
  std::uint64_t entered = 0;  ///< cycle in which its head was sent
};

}  // namespace dfsim
