// sim/noc/core/network_core.h: a network on chip at flit level, cycle for cycle, in plain C++. docs/noc.md
// describes the router.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/noc/core/event_wheel.h"
#include "sim/noc/core/router_state.h"
#include "sim/noc/packet.h"
#include "sim/noc/routing/routing.h"

namespace dfsim {

/// Totals since the start of the run. After a run that has drained, injected + forked = ejected.
struct NocCounters {
  std::uint64_t flits_injected = 0;  ///< sent by sources
  std::uint64_t flits_forked = 0;    ///< extra copies made by multicast
  std::uint64_t flits_ejected = 0;   ///< through ejection ports
  std::uint64_t flit_hops = 0;       ///< one flit passing one router
  std::uint64_t packets_injected = 0, packets_ejected = 0;
  StallCycles stalls;
  bool operator==(const NocCounters&) const = default;
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

/// Why this network cannot be built: too few VCs, more VCs or ports than the masks hold, latencies of 0, a
/// routing that does not fit. Empty if it can.
std::string refuse_network(const NocSpec& spec, std::uint32_t message_classes);

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

  /// Appends to the source queue of packet.source; the head may be sent from `cycle` on. All cycles before
  /// `cycle` with something to do must have been evaluated or not be later than cycle - 1, and `cycle` itself
  /// must not. `coins` are the packet's random bits. Throws SimulationError on unknown endpoints, a class
  /// without VCs, or 0 flits.
  void inject(const Packet& packet, std::uint64_t cycle, std::uint32_t coins = 0);

  /// Evaluates the cycles up to `last` (inclusive), but stops before the first one that begins with events
  /// (arrivals, or packets that left their source queue in the cycle before) and returns true; `events()` are
  /// those of `event_cycle()`. Calling again goes on with that cycle.
  bool run_until(std::uint64_t last);
  std::span<const NocEvent> events() const { return events_; }
  std::uint64_t event_cycle() const { return event_cycle_; }

  /// The next cycle in which anything can happen without an injection, or kNever.
  std::uint64_t next_activity() const;
  std::uint64_t packets_in_flight() const { return packets_injected_ - packets_ejected_; }

  /// Exact as of the last evaluated cycle, or `end` - 1 if later (the cycles between must have nothing to
  /// do).
  NocCounters counters(std::uint64_t end = 0);
  /// Flits over each link, in the order of LinkGraph::links.
  std::vector<std::uint64_t> link_flits(std::uint64_t end = 0);
  std::uint64_t flits_sent_by(EndpointId endpoint, std::uint64_t end = 0);
  /// Flits that have left the last router towards this endpoint.
  std::uint64_t flits_ejected_to(EndpointId endpoint, std::uint64_t end = 0);
  /// Cycles before `now` in which the endpoint had a flit to send and sent none. `now` is at least the last
  /// evaluated cycle.
  std::uint64_t blocked_cycles(EndpointId endpoint, std::uint64_t now) const;

  /// Back to an empty network at cycle 0; costs what the last run touched.
  void reset();

  /// Virtual channels that wait for each other in a circle, one per line; empty if there is none.
  std::string deadlock_report() const;
  const NocSpec& spec() const { return spec_; }
  /// Router evaluations so far, for measurements of speed.
  std::uint64_t evaluations() const { return evaluations_; }

 private:
  /// A flit that goes through a switch: input port, VC, output port, and whether its head asked for its
  /// output VC in the same cycle, packed into one word.
  class Move {
   public:
    Move() = default;
    Move(std::uint32_t in, std::uint32_t vc, std::uint32_t out, bool speculative = false)
        : code_(in | vc << 8 | out << 16 | (speculative ? 1u << 24 : 0)) {}
    std::uint32_t in() const { return code_ & 0xFF; }
    std::uint32_t vc() const { return code_ >> 8 & 0xFF; }
    std::uint32_t out() const { return code_ >> 16 & 0xFF; }
    bool speculative() const { return code_ >> 24 != 0; }

   private:
    std::uint32_t code_;
  };
  struct Requester {
    std::uint16_t input;  ///< port * V + vc
    std::uint16_t best_distance;
    std::uint8_t out, out_vc;
  };
  struct VcOutcome {
    std::uint32_t refused = 0;  ///< heads without an output VC
    bool contest = false;       ///< one of them lost to another, and may get one in the next cycle
  };
  struct SwitchOutcome {
    std::uint32_t moves = 0;  ///< in all
    std::uint32_t unmatched =
        0;  ///< VCs that the switch may serve in the next cycle although nothing changes
  };
  struct Step;  // router_step.cpp

  // network_core.cpp: construction, injection, reset.
  void build_ports();
  void clear_router(std::uint32_t router);
  void clear_terminal(std::uint32_t terminal);
  std::uint32_t take_slot(const Packet& packet);
  void free_slot(std::uint32_t slot);

  // run.cpp: time.
  void process(std::uint64_t cycle);
  void deliver_changes(WheelSlot& slot);
  void change_flit_wire(PortState& port, std::uint32_t value);
  void change_credit_wire(PortState& port, std::uint8_t value);
  void change_terminal_credit(std::uint32_t terminal, std::uint8_t value);
  bool awake(std::uint32_t router) const { return (awake_routers_[router / 64] >> (router % 64) & 1) != 0; }
  void collect_events(std::uint64_t cycle);
  void release_events();
  void wake_router(std::uint32_t router);
  void wake_terminal(std::uint32_t terminal);
  void catch_up_router(std::uint32_t router, std::uint64_t end);
  void catch_up_terminal(std::uint32_t terminal, std::uint64_t end);
  void settle(std::uint64_t end);
  void set_router_timer(std::uint32_t router, std::uint64_t cycles);
  void set_terminal_timer(std::uint32_t terminal, std::uint64_t cycles);
  template <bool Hold, bool Spec>
  void evaluate_routers();
  void evaluate_routers();
  void evaluate_terminals();

  // router_step.cpp: one router in one cycle.
  template <bool Hold, bool Spec>
  bool step_router(std::uint32_t router);
  void latch(Step& step);
  template <bool Hold, bool Spec>
  void allocate_switch(Step& step, Move* moves);
  template <bool Hold, bool Spec>
  void commit(Step& step, Move* moves);
  void forward(Step& step, Move move);
  template <bool Hold>
  bool try_to_sleep(Step& step, const Move* moves);
  void predict_outputs(Step& step, const Move* moves);
  void drive(PortState& port, std::uint32_t value, std::uint64_t cycle);
  void drive_credit(PortState& port, std::uint8_t value, std::uint64_t cycle);

  // packet_step.cpp: what happens once per packet and router.
  void take_head(std::uint32_t router, std::uint32_t port, std::uint32_t vc, std::uint32_t slot);
  void start_front(std::uint32_t router, std::uint32_t port, std::uint32_t vc, std::uint32_t slot);
  void compute_route(std::uint32_t router, std::uint32_t port, std::uint32_t vc);
  void activate_granted(std::uint32_t router);
  bool finish_packet(std::uint32_t router, Move move);
  void start_next_fronts(std::uint32_t router, const Move* moves, std::uint32_t count);

  // vc_allocation.cpp, switch_allocation.cpp
  VcOutcome allocate_vcs(std::uint32_t router);
  void allocate_vc(std::uint32_t router, std::uint32_t channel);
  void grant(std::uint32_t router, std::uint32_t channel, std::uint32_t out, std::uint32_t out_vc);
  template <bool Hold, bool Spec>
  SwitchOutcome match_ports(std::uint32_t router, std::uint32_t busy_in, std::uint32_t busy_out,
                            std::uint32_t ready, Move* moves, std::uint32_t kept);

  // terminal_step.cpp: one source in one cycle.
  bool step_terminal(std::uint32_t terminal);
  bool choose_class(Terminal& source, std::uint32_t terminal);
  bool can_send(const SourceQueue& queue, const std::uint16_t* credits, std::uint32_t message_class,
                std::uint32_t& vc) const;
  std::uint32_t send_flit(Terminal& source, std::uint32_t terminal);
  bool has_eligible_packet(const Terminal& source, std::uint32_t terminal) const;
  void drive(Terminal& source, std::uint32_t value, std::uint64_t cycle);
  std::uint32_t first_vc(std::uint32_t message_class) const { return class_first_[message_class]; }
  std::uint32_t class_vcs(std::uint32_t message_class) const {
    return first_vc(message_class + 1) - first_vc(message_class);
  }

  NocSpec spec_;
  const RoutingFunction& routing_;
  Options options_;
  std::uint32_t vcs_, buffer_;
  std::vector<std::uint32_t> class_first_;  ///< VC, by message class; one more for the end
  std::uint32_t stride_ = 0;                ///< ports per router in the arrays
  std::uint32_t queue_capacity_ = 1;
  bool early_route_ = false;  ///< no RC stage
  std::uint32_t flit_delay_, credit_delay_, terminal_credit_delay_, ejection_credit_delay_, ejection_delay_,
      injection_delay_;

  std::vector<RouterState> routers_;
  std::vector<PortState> ports_;                 ///< [router * stride + port]
  std::vector<InputVc> inputs_;                  ///< [(router * stride + port) * V + vc]
  std::vector<OutputVc> outputs_;                ///< same
  std::vector<RouteOptions> routes_;             ///< same
  std::vector<std::uint32_t> head_queues_;       ///< same, times queue_capacity_
  std::vector<Terminal> terminals_;              ///< by endpoint
  std::vector<SourceQueue> queues_;              ///< [endpoint * classes + class]
  std::vector<std::uint16_t> terminal_credits_;  ///< [endpoint * V + vc]
  std::vector<std::uint32_t> link_ports_;        ///< by LinkGraph::links: the sending port

  std::vector<PacketSlot> slots_;
  std::vector<Packet> packets_;  ///< by slot
  std::uint32_t free_slots_ = kNoSlot;
  std::uint32_t used_slots_ = 0;

  EventWheel wheel_;
  std::uint64_t now_ = 0;   ///< cycle being evaluated
  std::uint64_t next_ = 0;  ///< all cycles before it have been evaluated
  bool any_awake_ = false;
  std::vector<std::uint64_t> awake_routers_, awake_terminals_;      ///< bit sets
  std::vector<std::uint64_t> touched_routers_, touched_terminals_;  ///< bit sets
  std::vector<NocEvent> events_;
  std::vector<std::uint32_t> arrived_slots_;
  std::uint64_t event_cycle_ = 0;
  std::uint64_t packets_injected_ = 0, packets_ejected_ = 0, evaluations_ = 0;

  // Room for the allocators.
  std::vector<Requester> requesters_;
  std::vector<std::uint8_t> candidates_;  ///< [input * kMaxPorts + output]: VC
};

}  // namespace dfsim
