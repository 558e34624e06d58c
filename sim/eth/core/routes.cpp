#include "sim/eth/core/routes.h"

#include <algorithm>

namespace dfsim {

EthernetRoutes::EthernetRoutes(const HardwareSpec& hardware) {
  const EthernetPaths paths(hardware);
  steps_.assign(paths.nocs(), std::vector<std::optional<Step>>(paths.nocs()));
  for (std::uint32_t from = 0; from < paths.nocs(); ++from) {
    for (std::uint32_t to = 0; to < paths.nocs(); ++to) {
      const std::vector<NocId> path = paths.path(NocId(from), NocId(to));
      if (path.size() > 1) steps_[from][to] = Step{path[1], paths.crosses_dateline(NocId(from), path[1])};
    }
  }
  const std::vector<EthernetPortSpec>& ports = hardware.ethernet_ports;
  for (const EthernetPortSpec& port : ports) endpoints_.push_back(port.endpoint);
  other_end_.resize(ports.size());
  std::vector<std::vector<std::uint32_t>> at_switch(hardware.ethernet_switches.size());
  const auto join = [&](std::uint32_t from, std::uint32_t to) {
    bundles_[{ports.at(from).noc, ports.at(to).noc}].push_back(from);
    other_end_[from] = to;
  };
  for (const EthernetLinkSpec& link : hardware.ethernet_links) {
    if (link.to_switch) {
      at_switch.at(*link.to_switch).push_back(link.port_a);
      continue;
    }
    join(link.port_a, link.port_b);
    join(link.port_b, link.port_a);
  }
  // What a switch joins, where no link does; of several switches the first.
  for (const std::vector<std::uint32_t>& members : at_switch) {
    std::map<std::pair<NocId, NocId>, std::vector<std::uint32_t>> joined;
    for (const std::uint32_t from : members) {
      std::vector<NocId> others;
      for (const std::uint32_t to : members)
        if (ports[to].noc != ports[from].noc) others.push_back(ports[to].noc);
      std::sort(others.begin(), others.end());
      others.erase(std::unique(others.begin(), others.end()), others.end());
      for (const NocId other : others) joined[{ports[from].noc, other}].push_back(from);
    }
    bundles_.merge(joined);
  }
  for (auto& [ends, members] : bundles_) std::sort(members.begin(), members.end());
}

const std::vector<std::uint32_t>& EthernetRoutes::bundle(NocId from, NocId to) const {
  static const std::vector<std::uint32_t> kNone;
  const auto it = bundles_.find({from, to});
  return it == bundles_.end() ? kNone : it->second;
}

std::optional<EthernetHop> EthernetRoutes::hop(NocId from, NocId to, TransferId transfer) const {
  if (from.value() >= steps_.size() || to.value() >= steps_.size()) return std::nullopt;
  const std::optional<Step>& step = steps_[from.value()][to.value()];
  if (!step) return std::nullopt;
  const std::vector<std::uint32_t>& ports = bundle(from, step->next);
  EthernetHop hop;
  hop.port = ports[transfer.value() % ports.size()];
  if (other_end_[hop.port]) {
    hop.peer = *other_end_[hop.port];
  } else {
    const std::vector<std::uint32_t>& peers = bundle(step->next, from);
    hop.peer = peers[transfer.value() % peers.size()];
  }
  hop.dateline = step->dateline;
  return hop;
}

std::optional<EndpointId> EthernetRoutes::port_towards(NocId from, NocId to, TransferId transfer) const {
  const std::optional<EthernetHop> next = hop(from, to, transfer);
  if (!next) return std::nullopt;
  return endpoints_[next->port];
}

}  // namespace dfsim
