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
};

/// What routers and terminals tell the network.
class Listener {
 public:
  virtual ~Listener() = default;
  /// Something has moved in this cycle, or will in a later one.
  virtual void busy() = 0;
  virtual void arrived(std::uint32_t packet) = 0;
  virtual void left(std::uint32_t packet) = 0;
  virtual Journey& journey(std::uint32_t packet) = 0;
};

}  // namespace dfsim::textbook
