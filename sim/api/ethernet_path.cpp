#include "sim/api/ethernet_path.h"

#include <algorithm>

namespace dfsim {

EthernetPaths::EthernetPaths(const HardwareSpec& hardware) {
  const std::size_t nocs = hardware.nocs.size();
  std::size_t most = nocs;  // hand-made specs may name NoCs that are not described
  for (const EthernetPortSpec& port : hardware.ethernet_ports)
    most = std::max<std::size_t>(most, port.noc.value() + 1);
  adjacent_.assign(most, std::vector<bool>(most, false));
  places_.resize(most);
  std::vector<std::vector<NocId>> linked(most);
  std::vector<std::vector<NocId>> at_switch(hardware.ethernet_switches.size());
  for (const EthernetLinkSpec& link : hardware.ethernet_links) {
    const NocId a = hardware.ethernet_ports.at(link.port_a).noc;
    if (link.to_switch) {
      at_switch.at(*link.to_switch).push_back(a);
      continue;
    }
    const NocId b = hardware.ethernet_ports.at(link.port_b).noc;
    if (a == b || adjacent_[a.value()][b.value()]) continue;
    adjacent_[a.value()][b.value()] = adjacent_[b.value()][a.value()] = true;
    linked[a.value()].push_back(b);
    linked[b.value()].push_back(a);
  }
  for (auto& neighbours : linked) std::sort(neighbours.begin(), neighbours.end());
  // Chains from their lesser end first, then what is left: rings.
  for (std::uint32_t n = 0; n < most; ++n)
    if (linked[n].size() == 1) follow(NocId(n), linked);
  for (std::uint32_t n = 0; n < most; ++n)
    if (linked[n].size() == 2) follow(NocId(n), linked);
  for (const std::vector<NocId>& joined : at_switch)
    for (const NocId a : joined)
      for (const NocId b : joined)
        if (a != b) adjacent_[a.value()][b.value()] = true;
}

void EthernetPaths::follow(NocId start, const std::vector<std::vector<NocId>>& linked) {
  if (places_[start.value()].forwards) return;
  Chain chain;
  std::vector<bool> seen(linked.size(), false);
  for (NocId at = start;;) {
    if (linked[at.value()].size() > 2) return;  // a NoC that branches: nobody here forwards
    chain.order.push_back(at);
    seen[at.value()] = true;
    const auto& next = linked[at.value()];
    const auto to = std::find_if(next.begin(), next.end(), [&](NocId n) { return !seen[n.value()]; });
    if (to == next.end()) break;
    at = *to;
  }
  const NocId last = chain.order.back();
  const auto& ends = linked[last.value()];
  chain.closed = chain.order.size() > 2 && std::find(ends.begin(), ends.end(), start) != ends.end();
  for (std::uint32_t i = 0; i < chain.order.size(); ++i)
    places_[chain.order[i].value()] = {true, static_cast<std::uint32_t>(chains_.size()), i};
  chains_.push_back(std::move(chain));
}

bool EthernetPaths::adjacent(NocId a, NocId b) const { return adjacent_[a.value()][b.value()]; }

std::vector<NocId> EthernetPaths::path(NocId from, NocId to) const {
  if (from.value() >= places_.size() || to.value() >= places_.size()) return {};
  if (from == to) return {from};
  if (adjacent(from, to)) return {from, to};
  const Place a = places_[from.value()], b = places_[to.value()];
  if (!a.forwards || !b.forwards || a.chain != b.chain) return {};
  const Chain& chain = chains_[a.chain];
  const auto size = static_cast<std::uint32_t>(chain.order.size());
  const std::uint32_t ahead = (b.position + size - a.position) % size;
  const bool forward = chain.closed ? 2 * ahead <= size : b.position > a.position;
  std::vector<NocId> path{from};
  for (std::uint32_t at = a.position; at != b.position;) {
    at = forward ? (at + 1) % size : (at + size - 1) % size;
    path.push_back(chain.order[at]);
  }
  return path;
}

bool EthernetPaths::crosses_dateline(NocId a, NocId b) const {
  const Place p = places_[a.value()], q = places_[b.value()];
  if (!p.forwards || !q.forwards || p.chain != q.chain || !chains_[p.chain].closed) return false;
  const auto last = static_cast<std::uint32_t>(chains_[p.chain].order.size()) - 1;
  return (p.position == 0 && q.position == last) || (p.position == last && q.position == 0);
}

}  // namespace dfsim
