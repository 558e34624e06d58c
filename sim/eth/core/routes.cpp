#include "sim/eth/core/routes.h"

#include <algorithm>

namespace dfsim {

EthernetRoutes::EthernetRoutes(const HardwareSpec& hardware) {
  for (const EthernetPortSpec& port : hardware.ethernet_ports) endpoints_.push_back(port.endpoint);
  const auto join = [&](std::uint32_t from, std::uint32_t to) {
    bundles_[{hardware.ethernet_ports.at(from).noc, hardware.ethernet_ports.at(to).noc}].push_back(from);
  };
  for (const EthernetLinkSpec& link : hardware.ethernet_links) {
    join(link.port_a, link.port_b);
    join(link.port_b, link.port_a);
  }
  for (auto& [ends, ports] : bundles_) std::sort(ports.begin(), ports.end());
}

const std::vector<std::uint32_t>& EthernetRoutes::bundle(NocId from, NocId to) const {
  static const std::vector<std::uint32_t> kNone;
  const auto it = bundles_.find({from, to});
  return it == bundles_.end() ? kNone : it->second;
}

std::optional<EndpointId> EthernetRoutes::port_towards(NocId from, NocId to, TransferId transfer) const {
  const std::vector<std::uint32_t>& ports = bundle(from, to);
  if (ports.empty()) return std::nullopt;
  return endpoints_[ports[transfer.value() % ports.size()]];
}

}  // namespace dfsim
