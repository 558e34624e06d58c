// sim/trace/traffic.h: who sent how much to whom over the networks of a run.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/observer.h"

namespace dfsim {

/// What the packets of one NoC carried from one endpoint to another. A transfer that crosses Ethernet counts
/// on each NoC: to the Ethernet port of the first, from that of the last.
struct TrafficRow {
  NocId noc;
  EndpointId source, destination;
  std::uint64_t bytes = 0;        ///< payload delivered, per leaf of a multicast
  std::uint64_t messages = 0;     ///< transfers (of each period), or their parts on this way
  std::uint64_t packets = 0;      ///< that carried them
  std::uint64_t wait_cycles = 0;  ///< sum over the packets, beyond the time of a lone one on the same way
};

/// Cycles from creation to arrival of a lone packet of `flits` flits over `hops` channels (docs/noc.md): 2 +
/// c (hops + 1) + flits - 1, c = 5 cycles per router (4 without route computation, 3 speculative), and what a
/// channel takes beyond a cycle. It is a lower bound if a buffer does not cover the credit loop.
std::uint64_t lone_packet_cycles(const NocSpec& noc, std::uint32_t hops, std::uint32_t flits);

/// Counts packets with payload (and tokens); requests, grants and acknowledgements are left out.
class TrafficCounter : public Observer {
 public:
  explicit TrafficCounter(const HardwareSpec& hardware) : hardware_(hardware) {}
  void micro_op(PeId, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  void stall(PeId, StallCause, std::uint64_t, std::uint64_t) override {}
  void transfer(TransferId, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  bool wants_packets() const override { return true; }
  void packet(const ObservedPacket& packet) override;

  /// By NoC, source and destination.
  std::vector<TrafficRow> rows() const;

 private:
  const HardwareSpec& hardware_;
  std::unordered_map<std::uint64_t, TrafficRow> rows_;
  /// By way and transfer: one more than the period of its last packet. The packets of a transfer keep their
  /// order on a way, so a new number is a new message.
  std::unordered_map<std::uint64_t, std::unordered_map<std::uint32_t, std::uint32_t>> last_period_;
};

/// pe_traffic.csv (docs/outputs.md). The bytes of rows that do not end at an Ethernet port add up to
/// Measurement::noc_payload_bytes.
std::string traffic_csv(const HardwareSpec& hardware, const std::vector<TrafficRow>& rows);

}  // namespace dfsim
