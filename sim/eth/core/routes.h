// sim/eth/core/routes.h: which Ethernet port leads to which network.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

/// Ports of one NoC whose links end at another. Several links between the same two NoCs form a bundle: a
/// transfer uses the port at position (transfer mod number of ports) in order of port number, so its packets
/// stay in order. Not modelled: forwarding through a third network; both ends need a link in common.
class EthernetRoutes {
 public:
  explicit EthernetRoutes(const HardwareSpec& hardware);
  /// Endpoint on NoC `from` to which a message for NoC `to` is sent; nothing if no link joins them.
  std::optional<EndpointId> port_towards(NocId from, NocId to, TransferId transfer) const;
  /// Port numbers of the bundle from `from` to `to`, ascending.
  const std::vector<std::uint32_t>& bundle(NocId from, NocId to) const;

 private:
  std::vector<EndpointId> endpoints_;  ///< by port number
  std::map<std::pair<NocId, NocId>, std::vector<std::uint32_t>> bundles_;
};

}  // namespace dfsim
