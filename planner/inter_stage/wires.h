// planner/inter_stage/wires.h: what the Ethernet asks for at least when the graph is cut between two NoCs.
#pragma once

#include <optional>
#include <vector>

#include "sim/api/ethernet_path.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// Cycles, counted at the wire rate.
struct Crossing {
  double period = 0, latency = 0;
};

/// All links from a NoC to another together, switches and forwarding NoCs between them included.
class Wires {
 public:
  explicit Wires(const HardwareSpec& hardware);
  /// For `bytes` from one NoC to the other; nothing if no way leads there.
  std::optional<Crossing> cross(NocId from, NocId to, double bytes) const;

 private:
  struct Wire {
    double bytes_per_cycle = 0, delay = 0;
  };
  std::optional<Wire> along(NocId from, NocId to) const;
  Wire between(NocId a, NocId b) const;
  Wire direct(NocId a, NocId b) const;
  Wire through(std::uint32_t node, NocId a, NocId b) const;
  void add(Wire& wire, const EthernetLinkSpec& link) const;
  NocId noc_at(std::uint32_t port) const { return hardware_.ethernet_ports[port].noc; }

  const HardwareSpec& hardware_;
  EthernetPaths paths_;
  std::vector<std::optional<Wire>> table_;  ///< [from * NoCs + to]
};

}  // namespace dfsim
