#include "planner/inter_stage/wires.h"

#include <algorithm>
#include <limits>

namespace dfsim {

namespace {
constexpr double kNone = std::numeric_limits<double>::infinity();
}

Wires::Wires(const HardwareSpec& hardware) : hardware_(hardware), paths_(hardware) {
  const auto nocs = static_cast<std::uint32_t>(hardware.nocs.size());
  table_.resize(std::size_t{nocs} * nocs);
  for (std::uint32_t from = 0; from < nocs; ++from)
    for (std::uint32_t to = 0; to < nocs; ++to) table_[from * nocs + to] = along(NocId(from), NocId(to));
}

std::optional<Crossing> Wires::cross(NocId from, NocId to, double bytes) const {
  const std::optional<Wire>& wire = table_[from.value() * hardware_.nocs.size() + to.value()];
  if (!wire) return std::nullopt;
  return Crossing{bytes / wire->bytes_per_cycle, wire->delay + bytes / wire->bytes_per_cycle};
}

std::optional<Wires::Wire> Wires::along(NocId from, NocId to) const {
  const std::vector<NocId> path = paths_.path(from, to);
  if (path.size() < 2) return std::nullopt;
  Wire all{kNone, 0};
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const Wire step = between(path[i], path[i + 1]);
    all.bytes_per_cycle = std::min(all.bytes_per_cycle, step.bytes_per_cycle);
    all.delay += step.delay;
  }
  return all;
}

// Direct links; if there are none, a switch that joins the two.
Wires::Wire Wires::between(NocId a, NocId b) const {
  const Wire links = direct(a, b);
  if (links.bytes_per_cycle > 0) return links;
  Wire best;
  for (std::uint32_t node = 0; node < hardware_.ethernet_switches.size(); ++node) {
    const Wire wire = through(node, a, b);
    if (wire.bytes_per_cycle > best.bytes_per_cycle) best = wire;
  }
  return best;
}

Wires::Wire Wires::direct(NocId a, NocId b) const {
  Wire wire{0, kNone};
  for (const EthernetLinkSpec& link : hardware_.ethernet_links) {
    if (link.to_switch) continue;
    const NocId from = noc_at(link.port_a), to = noc_at(link.port_b);
    if ((from == a && to == b) || (from == b && to == a)) add(wire, link);
  }
  return wire;
}

Wires::Wire Wires::through(std::uint32_t node, NocId a, NocId b) const {
  Wire up{0, kNone}, down{0, kNone};
  for (const EthernetLinkSpec& link : hardware_.ethernet_links) {
    if (link.to_switch != node) continue;
    if (noc_at(link.port_a) == a) add(up, link);
    if (noc_at(link.port_a) == b) add(down, link);
  }
  return {std::min(up.bytes_per_cycle, down.bytes_per_cycle), up.delay + down.delay};
}

void Wires::add(Wire& wire, const EthernetLinkSpec& link) const {
  const double period_ps = static_cast<double>(hardware_.clock_period_ps);
  wire.bytes_per_cycle += link.rate_gbps * period_ps / 8000;
  wire.delay = std::min(wire.delay, static_cast<double>(link.delay_ns) * 1000 / period_ps);
}

}  // namespace dfsim
