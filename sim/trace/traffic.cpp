#include "sim/trace/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "sim/trace/labels.h"

namespace dfsim {

namespace {

/// Chips have fewer than 2^8 NoCs and 2^28 endpoints each.
std::uint64_t way_of(const ObservedPacket& packet) {
  return std::uint64_t{packet.noc.value()} << 56 | std::uint64_t{packet.source.value()} << 28 |
         packet.destination.value();
}

std::uint64_t router_cycles(RouterPreset preset) {
  switch (preset) {
    case RouterPreset::base:
    case RouterPreset::shallow:
      return 5;
    case RouterPreset::lookahead:
      return 4;
    case RouterPreset::spec:
      return 3;
  }
  return 5;
}

}  // namespace

std::uint64_t lone_packet_cycles(const NocSpec& noc, std::uint32_t hops, std::uint32_t flits) {
  return 2 + router_cycles(noc.preset) * (hops + 1) + flits - 1 +
         std::uint64_t{hops} * (noc.link_latency_cycles - 1);
}

void TrafficCounter::packet(const ObservedPacket& packet) {
  if (!packet.data) return;
  const std::uint64_t way = way_of(packet);
  TrafficRow& row = rows_[way];
  row.noc = packet.noc;
  row.source = packet.source;
  row.destination = packet.destination;
  row.bytes += packet.bytes;
  ++row.packets;
  const std::uint64_t taken = packet.arrived - packet.created;
  const std::uint64_t lone =
      lone_packet_cycles(hardware_.nocs[packet.noc.value()], packet.hops, packet.flits);
  row.wait_cycles += taken - std::min(taken, lone);
  std::uint32_t& last = last_period_[way][packet.transfer.value()];
  if (last == packet.instance + 1) return;
  last = packet.instance + 1;
  ++row.messages;
}

std::vector<TrafficRow> TrafficCounter::rows() const {
  std::vector<TrafficRow> rows;
  rows.reserve(rows_.size());
  for (const auto& [way, row] : rows_) rows.push_back(row);
  std::sort(rows.begin(), rows.end(), [](const TrafficRow& a, const TrafficRow& b) {
    return std::tie(a.noc, a.source, a.destination) < std::tie(b.noc, b.source, b.destination);
  });
  return rows;
}

std::string traffic_csv(const HardwareSpec& hardware, const std::vector<TrafficRow>& rows) {
  std::string text = "source,destination,bytes,messages,packets,mean_wait_cycles\n";
  for (const TrafficRow& row : rows) {
    // "chip0 pe 3,4" holds a comma, so names are quoted.
    text += fmt::format(
        "\"{}\",\"{}\",{},{},{},{:.2f}\n", endpoint_label(hardware, row.noc, row.source),
        endpoint_label(hardware, row.noc, row.destination), row.bytes, row.messages, row.packets,
        row.packets == 0 ? 0.0 : static_cast<double>(row.wait_cycles) / static_cast<double>(row.packets));
  }
  return text;
}

}  // namespace dfsim
