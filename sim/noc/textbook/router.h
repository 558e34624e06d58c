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
  struct InputVc {
    enum class State : std::uint8_t { idle, waiting, active };
    std::deque<Flit> buffer;
    State state = State::idle;
    std::uint64_t ready_at = 0;              ///< waiting: first cycle of VA; active: first of SA
    RouteOptions options;                    ///< waiting
    std::uint32_t out_port = 0, out_vc = 0;  ///< active
    std::uint32_t accept_pointer = 0;        ///< output channel
  };
  struct OutputVc {
    std::uint32_t owner = kNone;  ///< input channel
    std::uint32_t credits = 0;
    std::uint32_t grant_pointer = 0;  ///< input channel
  };
  struct Port {
    std::uint32_t vc_pointer = 0, accept_pointer = 0;  ///< input side: VC, output port
    std::uint32_t grant_pointer = 0;                   ///< output side: input port
    std::uint32_t held_vc = kNone;
    std::uint64_t flits = 0;
    bool moved = false;  ///< a flit through this output in the last cycle
  };
  struct Match {
    std::uint32_t in_port, vc, out_port;
    bool speculative;
  };

  void step();
  void take_in(std::uint64_t now);
  void compute_route(InputVc& input, std::uint32_t port, std::uint32_t vc);
  bool asks_for_vc(const InputVc& input, std::uint64_t now) const;
  bool wants(const InputVc& input, std::uint32_t out) const;
  bool asks_for_switch(const InputVc& input, std::uint64_t now) const;
  std::vector<std::uint32_t> allocate_vcs(std::uint64_t now);
  std::uint32_t candidate(std::uint32_t in, std::uint32_t out, std::uint64_t now, bool& speculative) const;
  std::vector<Match> allocate_switch(std::uint64_t now);
  void give_vcs(const std::vector<std::uint32_t>& grants, std::uint64_t now);
  bool move(const Match& match, const std::vector<std::uint32_t>& grants, std::uint64_t now);

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
  std::uint64_t last_cycle_ = 0;
};

}  // namespace dfsim::textbook
