// sim/noc/textbook/packet_table.h: the header fields that travel beside a packet's head, and what is told of
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/noc/core/network_core.h"

namespace dfsim::textbook {

struct Journey {
  NocEvent event;  ///< as it will be reported
  std::uint32_t coins = 0;
  std::uint32_t router = 0, port = 0;  ///< destination
  std::uint32_t message_class = 0;
  std::vector<EndpointId> leaves;  ///< of a multicast, instead of router and port

  bool multicast() const { return !leaves.empty(); }
  /// Free slots that a buffer must have before the head may go there.
  std::uint32_t room() const { return multicast() ? event.packet.flits : 1; }
};

/// What routers and terminals tell the network.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Something has moved in this cycle, or will in a later one.
  virtual void busy() = 0;
  virtual void arrived(std::uint32_t packet) = 0;
  virtual void left(std::uint32_t packet) = 0;
  /// References are good until the next copy().
  virtual Journey& journey(std::uint32_t packet) = 0;
  /// Another packet like this one. Its leaves are still to be set.
  virtual std::uint32_t copy(std::uint32_t packet) = 0;
  /// All of the packet has gone on as its copies.
  virtual void forked(std::uint32_t packet) = 0;
  /// A flit has gone through an output of a router; `tail`: the last of its packet.
  virtual void moved(std::uint32_t router, std::uint32_t port, std::uint32_t vc, std::uint32_t packet,
                     std::uint64_t cycle, bool tail) = 0;
  /// Where an endpoint is attached.
  struct Place {
    std::uint32_t router, port;
  };
  virtual Place place_of(EndpointId endpoint) const = 0;
};

}  // namespace dfsim::textbook
