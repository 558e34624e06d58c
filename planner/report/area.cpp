#include "planner/report/area.h"

#include <vector>

namespace dfsim {

namespace {

// Not modelled: area of DRAM interfaces, Ethernet ports, control logic and of the wires between routers.

// Arithmetic in 45 nm: W. J. Dally, "High-Performance Hardware for Machine Learning", NIPS 2015 tutorial
// (table after M. Horowitz, ISSCC 2014), in square micrometres.
constexpr double kMultiply16 = 1640, kMultiply32 = 7700, kAdd32 = 4184;
// 6T SRAM cell in 45 nm: K. Mistry et al., IEDM 2007 (0.346 um2). Half of a memory is cells, the rest its
// periphery.
constexpr double kSramBit = 2 * 0.346;
// Pitch of a wire of the middle metal layers in 45 nm (the same paper, M5: 280 nm), in micrometres.
constexpr double kWirePitch = 0.28;
constexpr double kUm2PerMm2 = 1e6;

/// Matrix crossbar: as wide and as high as its wires (J. Balfour, W. J. Dally, ICS 2006, section 3).
double crossbar_um2(double ports, double bits) {
  const double side = ports * bits * kWirePitch;
  return side * side;
}

}  // namespace

std::uint32_t router_ports(const NocSpec& noc, RouterId router) {
  std::uint32_t ports = 0;
  for (const Link& link : noc.graph.links) ports += link.to == router ? 1 : 0;
  for (const EndpointSpec& endpoint : noc.endpoints) ports += endpoint.router == router ? 1 : 0;
  return ports;
}

AreaProxy area_proxy(const HardwareSpec& hardware) {
  const double pes = static_cast<double>(hardware.pes.size());
  const PeSpec& pe = hardware.pe;
  AreaProxy area;
  area.matrix_mm2 =
      pes * static_cast<double>(hardware.peak_macs_per_pe()) * (kMultiply16 + kAdd32) / kUm2PerMm2;
  area.vector_mm2 = pes * pe.vector.lanes * (kMultiply32 + kAdd32) / kUm2PerMm2;
  area.scratchpad_mm2 = pes * 8 * static_cast<double>(pe.scratchpad.bytes.count()) * kSramBit / kUm2PerMm2;
  for (const NocSpec& noc : hardware.nocs) {
    const double bits = 8.0 * noc.link_width_bytes;
    const double buffer = bits * noc.virtual_channels * noc.buffer_flits * kSramBit;
    for (std::uint32_t r = 0; r < noc.graph.router_count(); ++r) {
      const double ports = router_ports(noc, RouterId(r));
      area.router_mm2 += (ports * buffer + crossbar_um2(ports, bits)) / kUm2PerMm2;
    }
  }
  return area;
}

}  // namespace dfsim
