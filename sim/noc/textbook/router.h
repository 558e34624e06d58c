// sim/noc/textbook/router.h: one router as docs/noc.md describes it, step by step, with nothing left out for
// speed.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/noc/routing/routing.h"
#include "sim/noc/textbook/channel.h"
#include "sim/noc/textbook/packet_table.h"

namespace dfsim::textbook {

class Router : public sc_core::sc_module {
 public:
  sc_core::sc_in<std::uint64_t> clock;
  // By port. Ports without a channel or an endpoint are bound to wires on which nothing happens.
  sc_core::sc_vector<sc_core::sc_in<Flit>> flit_in;
  sc_core::sc_vector<sc_core::sc_out<Flit>> flit_out;
  sc_core::sc_vector<sc_core::sc_in<Credit>> credit_in;
  sc_core::sc_vector<sc_core::sc_out<Credit>> credit_out;

  Router(sc_core::sc_module_name name, const NocSpec& spec, const RoutingFunction& routing,
         Listener& listener, std::uint32_t index, std::uint32_t ports, std::uint32_t message_classes);
  void reset();

  /// Through this output, in the cycles before `now`.
  std::uint64_t flits(std::uint32_t port, std::uint64_t now) const;
  const StallCycles& stalls() const { return stalls_; }
  /// Extra copies of flits, made in the cycles before `now`.
  std::uint64_t forked(std::uint64_t now) const { return forked_ - (last_cycle_ >= now ? forked_now_ : 0); }

  /// What the packet at the front of an input VC waits for, for deadlock reports.
  struct Wait {
    std::uint32_t in_port, vc, flits, packet;
    bool for_vc;  ///< else for a credit
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        owners;                              ///< for_vc: input port and VC of those that hold them
    std::uint32_t out_port = 0, out_vc = 0;  ///< else
  };
  std::vector<Wait> waits() const;

 private:
  SC_HAS_PROCESS(Router);
  static constexpr std::uint32_t kNone = ~0u;
  /// The packet at the front of an input VC on its way to one output port: all of a unicast packet, one of
  /// several copies of a multicast packet.
  struct Branch {
    enum class State : std::uint8_t { waiting, active, done };
    State state = State::waiting;
    std::uint64_t ready_at = 0;              ///< waiting: first cycle of VA; active: first of SA
    RouteOptions options;                    ///< waiting
    std::uint32_t out_port = 0, out_vc = 0;  ///< active
    std::uint32_t packet = 0;
    std::uint32_t next = 0;  ///< place in the buffer of the flit that goes on next
    std::uint32_t room = 1;  ///< credits that the next flit needs: of a multicast, the head one per flit
    bool held = false;       ///< packet_hold: has the switch
  };
  struct InputVc {
    std::deque<Flit> buffer;
    std::vector<Branch> branches;      ///< none: idle
    std::uint32_t packet = 0;          ///< that has forked into them
    std::uint32_t accept_pointer = 0;  ///< output channel
    std::uint32_t moved = 0;           ///< branches, in this cycle
  };
  struct OutputVc {
    std::uint32_t owner = kNone;  ///< input channel
    std::uint32_t credits = 0;
    std::uint32_t grant_pointer = 0;  ///< input channel
  };
  struct Port {
    std::uint32_t vc_pointer = 0, accept_pointer = 0;  ///< input side: VC, output port
    std::uint32_t grant_pointer = 0;                   ///< output side: input port
    std::uint64_t flits = 0;
    bool moved = false;  ///< a flit through this output in the last cycle
  };
  struct Match {
    std::uint32_t in_port, vc, out_port, branch;
    bool speculative;
  };
  /// What asks for an output in an input's name.
  struct Candidate {
    std::uint32_t vc = kNone, branch = 0;
    bool speculative = false;
  };
  struct Grant {
    std::uint32_t input, branch, output;  ///< input and output channel
  };

  void step();
  void take_in(std::uint64_t now);
  void compute_routes(InputVc& input, std::uint32_t port, std::uint32_t vc);
  void compute_fork(InputVc& input, std::uint32_t port, std::uint32_t vc);
  RouteOptions route_to(const Journey& packet, std::uint32_t router, std::uint32_t local_port,
                        std::uint32_t port, std::uint32_t vc) const;
  bool asks_for_vc(const Branch& branch, std::uint64_t now) const;
  bool wants(const Branch& branch, std::uint32_t out) const;
  bool asks_for_switch(const InputVc& input, const Branch& branch, std::uint64_t now) const;
  bool has_room(const Branch& branch) const;
  std::vector<Grant> allocate_vcs(std::uint64_t now);
  Candidate candidate(std::uint32_t in, std::uint32_t out, std::uint32_t keeper, std::uint64_t now) const;
  std::vector<std::uint32_t> keep_switch(std::uint64_t now, std::vector<bool>& busy_out,
                                         std::vector<Match>& result);
  std::vector<Match> allocate_switch(std::uint64_t now);
  void activate(const Grant& grant, std::uint64_t now);
  bool move(const Match& match, const std::vector<Grant>& grants, std::uint64_t now);
  void free_slots();

  InputVc& input(std::uint32_t port, std::uint32_t vc) { return inputs_[port * vcs_ + vc]; }
  const InputVc& input(std::uint32_t port, std::uint32_t vc) const { return inputs_[port * vcs_ + vc]; }
  OutputVc& output(std::uint32_t port, std::uint32_t vc) { return outputs_[port * vcs_ + vc]; }
  const OutputVc& output(std::uint32_t port, std::uint32_t vc) const { return outputs_[port * vcs_ + vc]; }

  const NocSpec& spec_;
  const RoutingFunction& routing_;
  Listener& listener_;
  const std::uint32_t index_, port_count_, vcs_, classes_;
  const bool early_, speculative_, hold_;
  std::vector<InputVc> inputs_;
  std::vector<OutputVc> outputs_;
  std::vector<Port> ports_;
  StallCycles stalls_;
  std::uint64_t forked_ = 0, forked_now_ = 0;
  std::uint64_t last_cycle_ = 0;
};

}  // namespace dfsim::textbook
