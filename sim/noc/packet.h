// sim/noc/packet.h: a packet as the network carries it. Plain data, no SystemC.
#pragma once

#include <cstdint>
#include <span>

#include "sim/base/units.h"

namespace dfsim {

/// Each class has virtual channels of its own, so that requests can never block answers.
enum class MessageClass : std::uint8_t {
  sinkable,   ///< read data, write acknowledgements, PE data, grants, tokens: can always be taken
  to_memory,  ///< requests and write data
  outbound,   ///< towards an Ethernet port
};
inline constexpr std::uint32_t kMessageClasses = 3;

enum class MessageKind : std::uint8_t {
  data,          ///< payload of a send between PEs
  ready,         ///< grant: the receiver's region is free (1 flit)
  load_request,  ///< PE to memory port (1 flit)
  load_data,     ///< memory port to PE
  store_data,    ///< PE to memory port
  store_ack,     ///< memory port to PE (1 flit)
};

/// What a packet means to its endpoints; the network does not look inside.
struct Message {
  MessageKind kind = MessageKind::data;
  TransferId transfer;         ///< index in Program::transfers
  std::uint32_t instance = 0;  ///< period that the transfer belongs to
  std::uint32_t bytes = 0;     ///< payload of this packet; of a request: bytes asked for
  std::uint64_t address = 0;   ///< requests and write data: byte address inside the port
  NocId final_noc;             ///< where the message ends, if it crosses Ethernet
  EndpointId final_endpoint;
  EndpointId reply_to;  ///< requests: who gets the answer
  /// Requests for several: all that get the answer, in ascending order. Points into what outlives the run.
  std::span<const EndpointId> reply_to_all;
};

struct Packet {
  EndpointId source;
  EndpointId destination;
  /// Several: a multicast, whose flits fork on the way; `destination` is not looked at. In ascending
  /// order; read during inject() only. A packet that arrives has none and names its leaf in `destination`.
  std::span<const EndpointId> destinations;
  std::uint32_t flits = 1;  ///< at least 1; head and tail are the same flit if 1
  MessageClass message_class = MessageClass::sinkable;
  bool notify_left = false;  ///< the source wants packet_left
  Message message;
};

}  // namespace dfsim
