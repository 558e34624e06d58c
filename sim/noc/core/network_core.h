// sim/noc/core/network_core.h: a network on chip at flit level, cycle for cycle, in plain C++. docs/noc.md
// describes the router.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/noc/packet.h"
#include "sim/noc/routing/routing.h"

namespace dfsim {

inline constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

/// Why a buffered flit did not move: VC-cycles by cause.
struct StallCycles {
  std::uint64_t no_credit = 0;         ///< its output VC has no credit
  std::uint64_t lost_arbitration = 0;  ///< the switch went to others
  std::uint64_t no_vc = 0;             ///< its head has been refused an output VC
  bool operator==(const StallCycles&) const = default;
};

/// Totals since the start of the run. After a run that has drained, injected + forked = ejected.
struct NocCounters {
  std::uint64_t flits_injected = 0;                         ///< sent by sources
  std::uint64_t flits_forked = 0;                           ///< extra copies made by multicast
  std::uint64_t flits_ejected = 0;                          ///< through ejection ports
  std::uint64_t flit_hops = 0;                              ///< one flit passing one router
  std::uint64_t packets_injected = 0, packets_ejected = 0;  ///< a multicast counts once, and once per leaf
  StallCycles stalls;
  bool operator==(const NocCounters&) const = default;
};

/// Flits found in the buffers of input VCs, added up over samples. By router * stride + port * V + VC.
struct BufferSamples {
  std::uint64_t samples = 0;
  std::uint32_t stride = 0;  ///< input VCs per router in the arrays
  std::vector<std::uint64_t> sum;
  std::vector<std::uint32_t> most;
};

/// A packet has left its source queue, or arrived.
struct NocEvent {
  enum class Kind : std::uint8_t { arrived, left };
  Kind kind = Kind::arrived;
  Packet packet;
  std::uint64_t created = 0;  ///< cycle given to inject()
  std::uint64_t entered = 0;  ///< cycle in which the head was sent
  std::uint32_t hops = 0;     ///< channels between routers
};

/// Flits of one packet that followed one another over a link without a gap: one in each of the cycles [start,
/// end), in which they won the switch of the router that the link comes from.
struct FlitRun {
  std::uint32_t link = 0;  ///< index in LinkGraph::links
  std::uint32_t vc = 0;
  std::uint64_t start = 0, end = 0;
  std::uint32_t first = 0;  ///< number of the first of them in the packet; 0: the head
  Packet packet;            ///< of a branch of a multicast: `destination` says nothing
};

/// Why this network cannot be built: too few VCs, more VCs or ports than the masks hold, latencies of 0, a
/// routing that does not fit. Empty if it can.
std::string refuse_network(const NocSpec& spec, std::uint32_t message_classes);

/// Why `packet` cannot be sent: unknown endpoints, a class without VCs, 0 flits, a multicast that the routing
/// cannot fork, that is longer than a buffer or whose destinations are not in ascending order. Empty if it
/// can.
std::string refuse_packet(const NocSpec& spec, const RoutingFunction& routing, std::uint32_t message_classes,
                          const Packet& packet);

/// Event-driven and exact: a router is evaluated in the cycles in which one of its inputs changes or its own
/// state does; in between, streams of body flits and credits are added up when somebody looks. Results do not
/// depend on that, nor on the order of evaluation.
class NetworkCore {
 public:
  struct Options {
    std::uint32_t message_classes = 1;  ///< class c owns the VCs [c*V/C, (c+1)*V/C)
    bool always_evaluate = false;       ///< no router or source sleeps while it has anything to do; for tests
    bool reverse_order = false;         ///< evaluates routers from the last to the first; for tests
  };
  /// `routing` must be bound to spec.graph and outlive the core. Throws SimulationError where
  /// refuse_network() objects.
  NetworkCore(const NocSpec& spec, const RoutingFunction& routing, Options options);
  NetworkCore(const NocSpec& spec, const RoutingFunction& routing) : NetworkCore(spec, routing, Options{}) {}
  ~NetworkCore();

  /// Appends to the source queue of packet.source; the head may be sent from `cycle` on. All cycles before
  /// `cycle` with something to do must have been evaluated or not be later than cycle - 1, and `cycle` itself
  /// must not. `coins` are the packet's random bits. Throws SimulationError where refuse_packet() objects.
  void inject(const Packet& packet, std::uint64_t cycle, std::uint32_t coins = 0);

  /// Evaluates the cycles up to `last` (inclusive), but stops before the first one that begins with events
  /// (arrivals, or packets that left their source queue in the cycle before) and returns true; `events()` are
  /// those of `event_cycle()`. Calling again goes on with that cycle.
  bool run_until(std::uint64_t last);
  std::span<const NocEvent> events() const;
  std::uint64_t event_cycle() const;

  /// The next cycle in which anything can happen without an injection, or kNever.
  std::uint64_t next_activity() const;
  /// Arrivals still to come: one per packet, of a multicast one per destination.
  std::uint64_t packets_in_flight() const;

  /// Exact as of the last evaluated cycle, or `end` - 1 if later (the cycles between must have nothing to
  /// do).
  NocCounters counters(std::uint64_t end = 0);
  /// Flits over each link, in the order of LinkGraph::links.
  std::vector<std::uint64_t> link_flits(std::uint64_t end = 0);
  std::uint64_t flits_sent_by(EndpointId endpoint, std::uint64_t end = 0);
  /// Flits that have left the last router towards this endpoint.
  std::uint64_t flits_ejected_to(EndpointId endpoint, std::uint64_t end = 0);
  /// Adds what the buffers hold before cycle `end` (see counters()) to `samples`.
  void sample_buffers(std::uint64_t end, BufferSamples& samples);
  /// Whether the flits on every link are noted. Between runs only: the network is as new. Results do not
  /// depend on it.
  void watch_flits(bool watch);
  /// Takes what was noted: those of one link and VC in order of time, and none that may still go on.
  std::vector<FlitRun> take_flit_runs();
  /// Cycles before `now` in which the endpoint had a flit to send and sent none. `now` is at least the last
  /// evaluated cycle.
  std::uint64_t blocked_cycles(EndpointId endpoint, std::uint64_t now) const;

  /// Back to an empty network at cycle 0; costs what the last run touched.
  void reset();

  /// Virtual channels that wait for each other in a circle, one per line; empty if there is none.
  std::string deadlock_report() const;
  /// What distinguishes the network from an empty one, one finding per line: flits in buffers, output VCs
  /// held, credits missing or too many. Empty once everything has arrived and all credits are home.
  std::string leftovers();
  const NocSpec& spec() const { return spec_; }
  /// Router evaluations so far, for measurements of speed.
  std::uint64_t evaluations() const;

  class Engine;  // engine.h

 private:
  template <bool Watched>
  void make_engine();

  NocSpec spec_;
  const RoutingFunction& routing_;
  Options options_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace dfsim
