// sim/noc/core/engine.h: what NetworkCore is made of. Included by the files of this folder only.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/noc/core/event_wheel.h"
#include "sim/noc/core/flit_merger.h"
#include "sim/noc/core/network_core.h"
#include "sim/noc/core/router_state.h"

#define DFSIM_INLINE [[gnu::always_inline]] inline

namespace dfsim {

/// Ports of each router: two per dimension, then one per endpoint.
std::vector<std::uint32_t> ports_per_router(const NocSpec& spec);

/// NetworkCore behind one virtual call per packet or activation; see there for what the functions do.
class NetworkCore::Engine {
 public:
  virtual ~Engine() = default;
  virtual void inject(const Packet& packet, std::uint64_t cycle, std::uint32_t coins) = 0;
  virtual bool run_until(std::uint64_t last) = 0;
  virtual std::uint64_t next_activity() const = 0;
  virtual NocCounters counters(std::uint64_t end) = 0;
  virtual std::vector<std::uint64_t> link_flits(std::uint64_t end) = 0;
  virtual std::uint64_t flits_sent_by(EndpointId endpoint, std::uint64_t end) = 0;
  virtual std::uint64_t flits_ejected_to(EndpointId endpoint, std::uint64_t end) = 0;
  virtual void sample_buffers(std::uint64_t end, BufferSamples& samples) = 0;
  virtual std::uint64_t blocked_cycles(EndpointId endpoint, std::uint64_t now) const = 0;
  virtual void reset() = 0;
  virtual std::string deadlock_report() const = 0;
  virtual std::string leftovers() = 0;

  std::vector<NocEvent> events;
  std::vector<FlitRun> flit_runs;  ///< complete
  std::uint64_t event_cycle = 0;
  std::uint64_t packets_injected = 0, packets_ejected = 0, evaluations = 0;
  std::uint64_t arrivals_due = 0;  ///< of all packets injected
};

/// Up to 64 * W channels (ports x VCs) per router. `Watched`: notes single flits, which costs a few
/// instructions for each.
template <unsigned W, bool Watched>
class RouterEngine : public NetworkCore::Engine {
 public:
  RouterEngine(const NocSpec& spec, const RoutingFunction& routing, NetworkCore::Options options);

  void inject(const Packet& packet, std::uint64_t cycle, std::uint32_t coins) override;
  bool run_until(std::uint64_t last) override;
  std::uint64_t next_activity() const override { return any_awake_ ? next_ : wheel_.next_after(next_ - 1); }
  NocCounters counters(std::uint64_t end) override;
  std::vector<std::uint64_t> link_flits(std::uint64_t end) override;
  std::uint64_t flits_sent_by(EndpointId endpoint, std::uint64_t end) override;
  std::uint64_t flits_ejected_to(EndpointId endpoint, std::uint64_t end) override;
  void sample_buffers(std::uint64_t end, BufferSamples& samples) override;
  std::uint64_t blocked_cycles(EndpointId endpoint, std::uint64_t now) const override;
  void reset() override;
  std::string deadlock_report() const override;
  std::string leftovers() override;

 private:
  using Channels = ChannelSet<W>;
  using Router = RouterState<W>;
  /// Before the switch: RC and VA, or VA alone, or VA at the same time.
  enum class Stages : std::uint8_t { route_first, route_known, speculative };
  struct VcOutcome {
    std::uint32_t refused = 0;  ///< heads without an output VC
    bool contest = false;       ///< one of them lost to another, and may get one in the next cycle
  };
  /// Everything of one router in one cycle.
  struct Step {
    Router& router;
    const std::uint32_t index;
    PortState* const ports = router.ports;
    Channels* const outgoing = router.outgoing;
    InputVc* const inputs = router.inputs;
    OutputVc* const outputs = router.outputs;
    Channels ready = {};  ///< could move
    Channels moved = {};  ///< do move
    Channels tails = {};  ///< of `moved`
    std::uint32_t no_credit = 0;
    VcOutcome vc = {};
    bool contested = false;   ///< those that have won may lose in the next cycle
    bool unmatched = false;   ///< the switch may serve others in the next cycle although nothing changes
    bool activated = false;   ///< VCs may use the switch from the next cycle on
    bool new_fronts = false;  ///< packets have come to the front behind tails
  };
  /// What the multicast packets of a router do in one cycle. Ports of absent numbers are not set.
  struct ForkStep {
    Channels channels;            ///< with multicast packets
    Channels kept;                ///< packet_hold: keep their input
    std::uint32_t kept_outs = 0;  ///< and these outputs
    std::uint32_t asking = 0;     ///< branches that could move
    std::uint32_t moving = 0;     ///< those of them that do
    Channels asks[kMaxPorts];     ///< by output: have a branch that could move
    Channels heads[kMaxPorts];    ///< by output: have a branch that asks speculatively
    Channels wins[kMaxPorts];     ///< by output: whose branch does move
  };
  /// By output: packets that own a VC, and heads that ask speculatively.
  struct ForkRequests {
    Channels strong[kMaxPorts], weak[kMaxPorts];
  };
  struct Requester {
    std::uint16_t channel;
    std::uint16_t best_distance;
    std::uint16_t out;
  };
  /// The slots of the calendar that a cycle drives into. What has been put there is marked at the end of
  /// the cycle.
  struct Outboxes {
    WheelSlot *flits, *credits, *terminal_credits, *ejection_credits, *injection;
  };

  // setup.h: construction, injection, reset.
  void build_ports();
  void connect_terminals();
  void clear_router(std::uint32_t router);
  void clear_terminal(std::uint32_t terminal);
  void check_packet(const Packet& packet) const;
  std::uint32_t take_slot(const Packet& packet);
  void free_slot(std::uint32_t slot);

  // stepping.h: which cycle comes next, and who is awake in it.
  void process(std::uint64_t cycle);
  Outboxes outboxes(std::uint64_t cycle);
  void mark_outboxes(const Outboxes& boxes, std::uint64_t cycle);
  void collect_events(std::uint64_t cycle);
  void release_events();
  void wake_router(std::uint32_t router);
  void wake_in_next_cycle(std::uint32_t router);
  void wake_terminal(std::uint32_t terminal);
  void set_router_timer(std::uint32_t router, std::uint64_t due);
  void look_again(std::uint32_t router, std::uint64_t due);
  void set_terminal_timer(std::uint32_t terminal, std::uint64_t cycles);
  template <bool Hold, Stages S>
  void evaluate_routers();
  template <bool Hold>
  void evaluate_routers();
  void evaluate_terminals();
  void settle(std::uint64_t end);

  // wires.h: a wire changes; what a sleeper has missed.
  void deliver_changes(WheelSlot& slot);
  void change_flits(Router& router, const FlitChange& change);
  void change_credits(Router& router, const WireChange& change);
  void change_terminal_credit(std::uint32_t terminal, std::uint8_t vc);
  void outlast_flits(std::uint32_t router, const Channels& channels);
  void outlast_credits(std::uint32_t router, const Channels& channels);
  bool sleeps_on(const FlitChange& change) const;
  bool sleeps_on(const WireChange& change) const;
  void take_single_flit(Router& router, const FlitChange& flit);
  void take_single_credit(Router& router, const WireChange& credit);
  void take_single_terminal_credit(const WireChange& credit);
  void take_arriving_head(Router& router, const FlitChange& change, bool asleep);
  void start_flits(Router& router, std::uint32_t channel);
  void end_flits(Router& router, std::uint32_t first);
  void start_credits(Router& router, std::uint32_t channel);
  void end_credits(Router& router, std::uint32_t first);
  void count_stalls(Router& router, std::uint64_t end);
  void catch_up_terminal(std::uint32_t terminal, std::uint64_t end);

  // Values before `cycle`, see router_state.h.
  static std::uint32_t stored(const Router& router, std::uint32_t channel, std::uint64_t cycle) {
    const std::uint64_t streams =
        (router.arriving.contains(channel) ? cycle : 0) - (router.sending.contains(channel) ? cycle : 0);
    return static_cast<std::uint16_t>(router.inputs[channel].count + streams);
  }
  static std::uint32_t left(const Router& router, std::uint32_t channel, std::uint64_t cycle) {
    return static_cast<std::uint32_t>(router.inputs[channel].left -
                                      (router.sending.contains(channel) ? cycle : 0));
  }
  static std::uint32_t credits(const Router& router, std::uint32_t out, std::uint64_t cycle) {
    const std::uint32_t owner = router.outputs[out].owner;
    const std::uint64_t streams = (router.paying.contains(out) ? cycle : 0) -
                                  (owner != kNoChannel && router.sending.contains(owner) ? cycle : 0);
    return static_cast<std::uint16_t>(router.outputs[out].credits + streams);
  }
  /// The stream out of `channel` is one from (`sign` 1) or up to (-1) `cycle`.
  static void bend(Router& router, std::uint32_t channel, std::uint64_t cycle, int sign) {
    const std::uint64_t change = sign > 0 ? cycle : -cycle;
    InputVc& input = router.inputs[channel];
    input.left += static_cast<std::uint32_t>(change);
    input.count = static_cast<std::uint16_t>(input.count + change);
    std::uint16_t& credits = router.outputs[input.out].credits;
    credits = static_cast<std::uint16_t>(credits + change);
  }

  // router_step.h: one router in one cycle.
  template <bool Hold, Stages S>
  bool step_router(std::uint32_t router);
  template <bool Hold, bool Spec>
  void allocate_switch(Step& step);
  bool conflicts(const Step& step) const;
  void drop_lost_slots(Step& step);
  void commit(Step& step);
  void drive_changes(Step& step);
  bool goes_on(const Step& step, std::uint32_t channel) const;
  std::uint32_t win_switch(Step& step, std::uint32_t channel);
  void start_stream(Step& step, std::uint32_t channel);
  void send_one(Step& step, std::uint32_t channel);
  void stop_flits(Step& step, std::uint32_t channel, const Outboxes& boxes);
  void stop_credits(Step& step, std::uint32_t channel, const Outboxes& boxes);
  void check_streams(Step& step);
  void finish_packet(Step& step, std::uint32_t channel);
  template <bool Hold, Stages S>
  bool try_to_sleep(Step& step);

  // switch_allocation.h
  template <bool Hold, bool Spec>
  void match_ports(Step& step, const Channels& kept);
  template <bool Hold>
  void ask_for_heads(const Step& step, const Channels& kept, Channels* heads) const;

  // vc_allocation.h: heads, their routes and their output VCs.
  void take_head(std::uint32_t router, std::uint32_t channel, std::uint32_t slot);
  void start_front(std::uint32_t router, std::uint32_t channel, std::uint32_t slot);
  void start_next_fronts(Step& step);
  void activate_granted(Router& router);
  void serve_new_head(std::uint32_t router);
  Channels route(std::uint32_t router, std::uint32_t channel, const PacketSlot& packet) const;
  VcOutcome allocate_vcs(std::uint32_t router);
  VcOutcome allocate_several(std::uint32_t router);
  void match_heads(std::uint32_t router, std::uint32_t requesters, const Channels& wanted);
  void grant(Router& router, std::uint32_t channel, std::uint32_t out);

  // multicast.h: multicast packets and their branches.
  std::uint32_t take_leaves(std::span<const EndpointId> destinations);
  std::uint32_t take_fork();
  std::uint32_t copy_slot(std::uint32_t slot);
  void start_fork(std::uint32_t router, std::uint32_t channel, std::uint32_t slot);
  std::uint32_t sort_leaves(std::uint32_t router, std::uint32_t channel, std::uint32_t slot);
  void add_branch(Fork& fork, Branch& branch, std::uint32_t port, std::uint32_t slot);
  std::span<Branch> branches_of(std::uint32_t fork) {
    return {&branches_[std::size_t{fork} * stride_], forks_[fork].branches};
  }
  std::span<const Branch> branches_of(std::uint32_t fork) const {
    return {&branches_[std::size_t{fork} * stride_], forks_[fork].branches};
  }
  bool has_room(const Router& router, const Fork& fork, const Branch& branch, std::uint32_t out) const;
  void finish_fork(Step& step, std::uint32_t fork);

  // fork_step.h: one cycle of a router that has multicast packets.
  template <bool Hold, Stages S>
  bool step_forking_router(std::uint32_t router);
  template <bool Hold, bool Spec>
  ForkStep find_requests(Step& step);
  template <bool Hold, bool Spec>
  void allocate_forking_switch(Step& step, ForkStep& forks);
  template <bool Spec>
  void accept(Step& step, ForkStep& forks, const ForkRequests& requests, std::uint32_t in,
              std::uint32_t outs);
  VcOutcome allocate_forking_vcs(std::uint32_t router, std::uint64_t ready_at);
  void commit_forks(Step& step, ForkStep& forks);
  void send_from_branch(Step& step, const Fork& fork, Branch& branch);
  void free_fork_slot(Step& step, Fork& fork);
  bool forks_rest(const Step& step, const ForkStep& forks) const;

  // terminal_step.h: one source in one cycle.
  bool step_terminal(std::uint32_t terminal);
  bool choose_class(Terminal& source, std::uint32_t terminal);
  bool can_send(const SourceQueue& queue, const std::uint16_t* credits, std::uint32_t message_class,
                std::uint32_t& vc) const;
  void send_flit(Terminal& source, std::uint32_t terminal);
  bool has_eligible_packet(const Terminal& source, std::uint32_t terminal) const;
  std::uint32_t first_vc(std::uint32_t message_class) const { return class_first_[message_class]; }
  std::uint32_t class_vcs(std::uint32_t message_class) const {
    return first_vc(message_class + 1) - first_vc(message_class);
  }

  // flit_watch.h: what is noted of single flits.
  void stream_starts(std::uint32_t router, std::uint32_t channel) {
    if constexpr (Watched) stream_from_[first_channel(router) + channel] = now_;
  }
  void stream_ends(std::uint32_t router, std::uint32_t channel, std::uint64_t end, bool tail) {
    if constexpr (Watched) note_stream(router, channel, end, tail);
  }
  void single_flit(std::uint32_t router, std::uint32_t out, std::uint32_t slot, bool tail) {
    if constexpr (Watched) note_flits(router, out, slot, now_, now_ + 1, tail);
  }
  void note_stream(std::uint32_t router, std::uint32_t channel, std::uint64_t end, bool tail);
  void note_flits(std::uint32_t router, std::uint32_t out, std::uint32_t slot, std::uint64_t start,
                  std::uint64_t end, bool tail);

  // observe.h
  std::uint32_t fork_of(std::uint32_t router, std::uint32_t channel) const;
  std::vector<std::uint32_t> waits_for(std::uint32_t router, std::uint32_t channel) const;
  std::string describe(std::uint32_t router, std::uint32_t channel) const;
  std::uint64_t flits_through(std::uint32_t router, std::uint32_t port) const;

  WireChange wire(std::uint32_t router, std::uint32_t port, std::uint32_t vc) const {
    return {router, static_cast<std::uint16_t>(port * vcs_), static_cast<std::uint16_t>(port * vcs_ + vc)};
  }
  Channels channels_of_port(std::uint32_t first) const { return Channels::from_bits(port_vcs_, first); }
  std::size_t first_port(std::uint32_t router) const { return std::size_t{router} * stride_; }
  std::size_t first_channel(std::uint32_t router) const { return std::size_t{router} * channels_; }

  const NocSpec spec_;
  const RoutingFunction& routing_;
  const NetworkCore::Options options_;
  const std::uint32_t vcs_, buffer_;
  std::uint32_t port_vcs_;                  ///< a bit per VC
  std::vector<std::uint32_t> class_first_;  ///< VC, by message class; one more for the end
  std::uint32_t stride_ = 0;                ///< ports per router in the arrays
  std::uint32_t channels_ = 0;              ///< stride_ * V
  std::uint32_t queue_capacity_ = 1;
  const Stages stages_;
  const std::uint32_t flit_delay_, credit_delay_, ejection_credit_delay_;
  std::array<std::uint8_t, std::size_t{64} * W> port_of_{}, vc_of_{};  ///< by channel
  std::vector<Channels> port_channels_;                                ///< by port

  std::vector<Router> routers_;
  std::vector<PortState> ports_;            ///< [router * stride + port]
  std::vector<Channels> outgoing_;          ///< same: input channels whose packets have VCs of this output
  std::vector<InputVc> inputs_;             ///< [router * channels + channel]
  std::vector<OutputVc> outputs_;           ///< same
  std::vector<Channels> wanted_;            ///< same: output channels that the front packet may take
  std::vector<std::uint32_t> head_queues_;  ///< same, times queue_capacity_
  std::vector<Terminal> terminals_;         ///< by endpoint
  std::vector<SourceQueue> queues_;         ///< [endpoint * classes + class]
  std::vector<std::uint16_t> terminal_credits_;  ///< [endpoint * V + vc]

  std::vector<PacketSlot> slots_;
  std::vector<Packet> packets_;  ///< by slot
  std::uint32_t free_slots_ = kNoSlot;
  std::uint32_t used_slots_ = 0;

  // Multicast. The lists keep their memory.
  std::vector<Leaf> leaves_;
  std::vector<Fork> forks_;
  std::vector<Branch> branches_;  ///< [fork * stride + i], by ascending port
  std::uint32_t free_leaves_ = kNoSlot, free_forks_ = kNoSlot;
  std::uint64_t flits_forked_ = 0;

  EventWheel wheel_;
  Outboxes out_{}, out_next_{};            ///< for what is driven in now_, and in now_ + 1
  std::uint64_t out_next_cycle_ = kNever;  ///< that out_next_ is for
  std::uint64_t now_ = 0;                  ///< cycle being evaluated
  std::uint64_t next_ = 0;                 ///< all cycles before it have been evaluated
  bool any_awake_ = false;
  std::vector<std::uint64_t> awake_routers_, awake_terminals_;  ///< bit sets
  std::vector<std::uint64_t> forking_routers_;                  ///< bit set: with multicast packets at fronts
  std::vector<std::uint64_t> touched_routers_, touched_terminals_;  ///< bit sets
  std::vector<std::uint32_t> resting_;    ///< routers whose multicast packets wait for a change
  std::vector<std::uint32_t> new_heads_;  ///< routers with new_head
  std::vector<std::uint32_t> arrived_slots_;
  std::vector<std::uint64_t> stream_from_;  ///< by input channel: where its stream began
  FlitMerger merger_;

  // Room for the allocators.
  struct Way {
    std::uint32_t leaves, vcs, steps;
  };
  std::array<Way, kMaxPorts> ways_{};  ///< by output port
  struct ForkRequester {
    std::uint16_t channel, best_distance, out;
    std::uint32_t fork, branch;  ///< fork kNoSlot: the unicast packet of the channel
    Channels wanted;
  };
  std::vector<ForkRequester> fork_requesters_;
  std::vector<Requester> requesters_;
  std::array<std::uint8_t, kMaxPorts> speculative_outs_{};  ///< by input: output won by a head without a VC
};

}  // namespace dfsim
