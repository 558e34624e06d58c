// sim/api/observer.h: what a trace writer is told. Calls come in order of `end`, once the interval is
// complete.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sim/api/measurement.h"
#include "sim/base/units.h"

namespace dfsim {

/// A packet that has arrived whole at its endpoint of one NoC; of a multicast, one for each leaf. Cycles are
/// those of the NoC clock.
struct ObservedPacket {
  NocId noc;
  EndpointId source, destination;
  TransferId transfer;
  std::uint32_t instance = 0;
  bool data = false;        ///< carries (a part of) the transfer itself; else a request, grant or answer
  std::uint32_t bytes = 0;  ///< payload; 0 of what is not data
  std::uint32_t flits = 0;
  std::uint32_t hops = 0;     ///< channels between routers
  std::uint64_t created = 0;  ///< handed to the source queue
  std::uint64_t entered = 0;  ///< its head left the source queue
  std::uint64_t arrived = 0;  ///< its tail was ejected
};

/// Flits of one packet that followed one another over a link of a NoC without a gap: one in each of the
/// cycles [start, end), in which they left the router. Of a multicast, each branch is a packet.
struct ObservedFlits {
  NocId noc;
  std::uint32_t link = 0;  ///< index in LinkGraph::links
  std::uint32_t vc = 0;
  EndpointId source;
  TransferId transfer;
  std::uint32_t instance = 0;
  std::uint32_t first = 0;  ///< number of the first of them in the packet; 0: the head
  bool data = false;        ///< as in ObservedPacket
  std::uint64_t start = 0, end = 0;
};

/// Totals of the cycles before `cycle`, since the start of the run.
struct CounterSample {
  std::uint64_t cycle = 0;
  bool last = false;                                   ///< the totals of the run
  std::vector<std::vector<std::uint64_t>> link_flits;  ///< [noc][index in LinkGraph::links]
  std::vector<std::uint64_t> read_bytes, write_bytes;  ///< by PortId
  std::vector<std::uint64_t> wire_bytes;               ///< by 2 * Ethernet link, + 1 for port b to port a
};

class Observer {
 public:
  virtual ~Observer() = default;
  /// Micro-op `op` (index in the list of `pe`), period `instance`, worked in [start, end). Loads, stores and
  /// sends start when they begin to move data; a receive lasts from its grant to the arrival of the last
  /// byte.
  virtual void micro_op(PeId pe, std::uint32_t op, std::uint32_t instance, std::uint64_t start,
                        std::uint64_t end) = 0;
  /// The PE computed nothing in [start, end), for this cause.
  virtual void stall(PeId pe, StallCause cause, std::uint64_t start, std::uint64_t end) = 0;
  /// Data of a transfer arrived whole at its destination.
  virtual void transfer(TransferId transfer, std::uint32_t instance, std::uint64_t start,
                        std::uint64_t end) = 0;

  /// Whether packet() is to be called.
  virtual bool wants_packets() const { return false; }
  virtual void packet(const ObservedPacket&) {}
  /// Whether flits() is to be called: those of one link and VC in order, all before the packet arrives.
  virtual bool wants_flits() const { return false; }
  virtual void flits(const ObservedFlits&) {}
  /// The first cycle after `cycle` at which sample() is to be called; kNoSample: none. Whoever asks for one
  /// at the start of the run is told the totals at its end as well.
  static constexpr std::uint64_t kNoSample = std::numeric_limits<std::uint64_t>::max();
  virtual std::uint64_t next_sample(std::uint64_t) const { return kNoSample; }
  virtual void sample(const CounterSample&) {}
};

}  // namespace dfsim
