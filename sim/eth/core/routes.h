// sim/eth/core/routes.h: which Ethernet port leads to which network.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/api/ethernet_path.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// One step of a message from network to network.
struct EthernetHop {
  std::uint32_t port = 0;  ///< sends; on the network where the message is
  std::uint32_t peer = 0;  ///< receives; on the next network
  bool dateline = false;   ///< from here on it uses the second buffer set
  bool operator==(const EthernetHop&) const = default;
};

/// Several links between the same two NoCs form a bundle: a transfer uses the port at position (transfer mod
/// number of ports) in order of port number, on both ends of every step, so its packets stay in order. See
/// EthernetPaths for which NoCs forward.
class EthernetRoutes {
 public:
  explicit EthernetRoutes(const HardwareSpec& hardware);
  /// The next step of a message that is on NoC `from`; nothing if no way leads to `to`.
  std::optional<EthernetHop> hop(NocId from, NocId to, TransferId transfer) const;
  /// Endpoint on NoC `from` to which a message for NoC `to` is sent; nothing if no way leads there.
  std::optional<EndpointId> port_towards(NocId from, NocId to, TransferId transfer) const;
  /// Port numbers of the bundle from `from` to its neighbour `to`, ascending.
  const std::vector<std::uint32_t>& bundle(NocId from, NocId to) const;

 private:
  struct Step {
    NocId next;
    bool dateline = false;
  };
  std::vector<std::vector<std::optional<Step>>> steps_;  ///< [from][to]
  std::vector<EndpointId> endpoints_;                    ///< by port number
  std::vector<std::optional<std::uint32_t>> other_end_;  ///< by port number: of a direct link
  std::map<std::pair<NocId, NocId>, std::vector<std::uint32_t>> bundles_;  ///< direct links, else a switch
};

}  // namespace dfsim
