// One router in one cycle: take in, decide on the state at the start of the cycle, then change it and drive
// the outputs. This is where the time goes: the parts are inlined into one function, so that what a step
// knows stays in registers.
#include <algorithm>

#include "sim/noc/core/masks.h"
#include "sim/noc/core/network_core.h"

#define DFSIM_INLINE [[gnu::always_inline]] inline

namespace dfsim {

struct NetworkCore::Step {
  RouterState& router;
  PortState* const ports;
  InputVc* const inputs;
  OutputVc* const outputs;
  const std::uint32_t index;
  const std::uint32_t vcs;
  const std::uint64_t now;
  std::uint32_t moves = 0;
  std::uint32_t speculative = 0;  ///< moves of heads that were not ready at the start of the cycle
  std::uint32_t ready = 0;        ///< VCs that could have moved
  std::uint32_t unmatched = 0;    ///< see SwitchOutcome
  std::uint32_t no_credit = 0;
  std::uint32_t edges = 0;        ///< moves (bits) of heads and tails
  std::uint64_t steady = kNever;  ///< cycles until the first of the streams changes
  VcOutcome vc = VcOutcome();
  bool activated = false;   ///< VCs may use the switch from the next cycle on
  bool tails = false;       ///< tails have moved
  bool new_fronts = false;  ///< packets have come to the front behind them
};

void NetworkCore::evaluate_routers() {
  const bool spec = spec_.preset == RouterPreset::spec;
  if (spec_.arbitration == SwitchArbitration::packet_hold)
    spec ? evaluate_routers<true, true>() : evaluate_routers<true, false>();
  else
    spec ? evaluate_routers<false, true>() : evaluate_routers<false, false>();
}

template <bool Hold, bool Spec>
void NetworkCore::evaluate_routers() {
  const std::size_t words = awake_routers_.size();
  for (std::size_t i = 0; i < words; ++i) {
    const std::size_t word = options_.reverse_order ? words - 1 - i : i;
    std::uint64_t& awake = awake_routers_[word];
    for (std::uint64_t rest = awake; rest;) {
      const int place = options_.reverse_order ? 63 - std::countl_zero(rest) : std::countr_zero(rest);
      const std::uint64_t bit = std::uint64_t{1} << place;
      rest &= ~bit;
      if (step_router<Hold, Spec>(static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(place)))
        awake &= ~bit;
    }
    any_awake_ |= awake != 0;
  }
}

// VC allocation of a cycle sees the heads that asked before it, and frees and grants of the cycle before.
// Without an RC stage that includes heads that have just arrived. With one, all is known at the end of the
// cycle before, and is done there: a router with a single packet need not be looked at again until the head
// can ask for the switch.
template <bool Hold, bool Spec>
bool NetworkCore::step_router(std::uint32_t index) {
  const std::size_t port = std::size_t{index} * stride_;
  const std::size_t channel = port * vcs_;
  Step step{routers_[index], &ports_[port], &inputs_[channel], &outputs_[channel], index, vcs_, now_};
  RouterState& router = step.router;
  Move moves[kMaxPorts];
  ++evaluations_;
  router.done = step.now + 1;
  if (router.granted_ports && router.grant_cycle < step.now) activate_granted(index);
  latch(step);
  if (router.occupied_ports)
    allocate_switch<Hold, Spec>(step, moves);
  else
    router.held = 0;  // nobody can move
  if (early_route_ && router.requesting_ports) {
    router.grant_cycle = step.now;
    step.vc = allocate_vcs(index);
  }
  if (router.granted_ports) {
    activate_granted(index);
    step.activated = true;
  }
  commit<Hold, Spec>(step, moves);
  if (!early_route_ && router.requesting_ports) {
    router.grant_cycle = step.now + 1;
    step.vc = allocate_vcs(index);
  }
  if (step.new_fronts) start_next_fronts(index, moves, step.moves);
  return try_to_sleep<Hold>(step, moves);
}

DFSIM_INLINE void NetworkCore::latch(Step& step) {
  for (std::uint32_t rest = step.router.credit_ports; rest; rest &= rest - 1) {
    const std::uint32_t p = lowest(rest);
    PortState& port = step.ports[p];
    const std::uint32_t vc = port.credit_in - 1u;
    OutputVc& output = step.outputs[p * step.vcs + vc];
    if (output.credits++ != 0) continue;
    port.credited |= 1u << vc;
    if (output.owner_port != kNoOwner) step.ports[output.owner_port].credit_ok |= 1u << output.owner_vc;
  }
  const std::uint32_t arriving = step.router.flit_ports;
  step.router.occupied_ports |= arriving;
  for (std::uint32_t rest = arriving; rest; rest &= rest - 1) {
    const std::uint32_t p = lowest(rest);
    PortState& port = step.ports[p];
    const std::uint32_t value = port.flit_in;
    const std::uint32_t vc = value & kVcBits;
    ++step.inputs[p * step.vcs + vc].count;
    port.occupied |= 1u << vc;
    if (value >= kFirstHeadValue) take_head(step.index, p, vc, value / 64 - 1);
  }
}

// With Hold, a packet that has won keeps its input and output while it can move, and the ports that are left
// take part in the allocation. With Spec, heads that ask for an output VC ask for the switch at the same
// time.
template <bool Hold, bool Spec>
DFSIM_INLINE void NetworkCore::allocate_switch(Step& step, Move* moves) {
  RouterState& router = step.router;
  std::uint32_t busy_in = 0, busy_out = 0;
  std::uint32_t kept = 0;
  if constexpr (Hold) {
    for (std::uint32_t rest = router.held; rest; rest &= rest - 1) {
      const std::uint32_t p = lowest(rest);
      const PortState& port = step.ports[p];
      const std::uint32_t vc = port.held_vc;
      if ((port.active & port.occupied & port.credit_ok) >> vc & 1) {
        const std::uint32_t out = step.inputs[p * step.vcs + vc].out_port;
        moves[kept++] = Move(p, vc, out);
        busy_in |= 1u << p;
        busy_out |= 1u << out;
      } else {
        router.held &= ~(1u << p);
      }
    }
  }
  // Mostly every input has one VC to offer and every output is asked by one input: then all win.
  step.moves = kept;
  std::uint32_t outs = busy_out;
  bool contested = Spec && router.requesting_ports != 0;
  for (std::uint32_t rest = router.occupied_ports; rest; rest &= rest - 1) {
    const std::uint32_t p = lowest(rest);
    const PortState& port = step.ports[p];
    const std::uint32_t full = port.active & port.occupied;
    const std::uint32_t ready = full & port.credit_ok;
    if (full != ready) step.no_credit += count_bits(full ^ ready);
    if (ready == 0) continue;
    const bool several = (ready & (ready - 1)) != 0;
    step.ready += several ? count_bits(ready) : 1;
    if (Hold && (busy_in >> p & 1)) continue;
    if (several || contested) {
      contested = true;
      continue;
    }
    const std::uint32_t vc = lowest(ready);
    const std::uint32_t out = step.inputs[p * step.vcs + vc].out_port;
    if (Hold && (busy_out >> out & 1)) continue;
    contested = (outs >> out & 1) != 0;
    outs |= 1u << out;
    moves[step.moves++] = Move(p, vc, out);
  }
  if (contested) {
    const SwitchOutcome outcome =
        match_ports<Hold, Spec>(step.index, busy_in, busy_out, step.ready, moves, kept);
    step.moves = outcome.moves;
    step.unmatched = outcome.unmatched;
    return;
  }
  for (std::uint32_t i = kept; i < step.moves; ++i) {
    const Move move = moves[i];
    PortState& in = step.ports[move.in()];
    in.vc_pointer = static_cast<std::uint8_t>(move.vc() + 1);
    in.accept_pointer = static_cast<std::uint8_t>(move.out() + 1);
    step.ports[move.out()].grant_pointer = static_cast<std::uint8_t>(move.in() + 1);
  }
}

// ------------------------------------------------------------------ the switch moves flits

template <bool Hold, bool Spec>
DFSIM_INLINE void NetworkCore::commit(Step& step, Move* moves) {
  RouterState& router = step.router;
  std::uint32_t drove = 0, credited = 0;
  const std::uint32_t allocated = step.moves;
  step.moves = 0;
  for (std::uint32_t i = 0; i < allocated; ++i) {
    const Move move = moves[i];
    if constexpr (Spec) {
      const PortState& in = step.ports[move.in()];
      const InputVc& input = step.inputs[move.in() * step.vcs + move.vc()];
      // The slot is lost unless the head got a VC of this output, with a credit, in this same cycle.
      if (move.speculative()) {
        if (!((in.active & in.credit_ok) >> move.vc() & 1 && input.out_port == move.out())) continue;
        ++step.speculative;
      }
      moves[step.moves] = move;
    }
    if constexpr (Hold) {
      router.held |= 1u << move.in();
      step.ports[move.in()].held_vc = static_cast<std::uint8_t>(move.vc());
    }
    forward(step, move);
    ++step.moves;
    drove |= 1u << move.out();
    credited |= 1u << move.in();
  }
  for (std::uint32_t rest = router.driving & ~drove; rest; rest &= rest - 1)
    drive(step.ports[lowest(rest)], 0, step.now);
  for (std::uint32_t rest = router.crediting & ~credited; rest; rest &= rest - 1)
    drive_credit(step.ports[lowest(rest)], 0, step.now);
  router.driving = drove;
  router.crediting = credited;
}

DFSIM_INLINE void NetworkCore::forward(Step& step, Move move) {
  PortState& in = step.ports[move.in()];
  PortState& out = step.ports[move.out()];
  InputVc& input = step.inputs[move.in() * step.vcs + move.vc()];
  const std::uint32_t out_vc = input.out_vc;
  OutputVc& output = step.outputs[move.out() * step.vcs + out_vc];
  ++out.flits;
  std::uint32_t value = body_value(out_vc);
  if (input.at_head) {
    input.at_head = false;
    step.edges |= 1u << step.moves;
    if (out.kind == PortKind::link) {
      value = head_value(input.packet, out_vc);
      ++slots_[input.packet].hops;
    }
  }
  drive(out, value, step.now);
  drive_credit(in, static_cast<std::uint8_t>(move.vc() + 1), step.now);
  const std::uint32_t credits = --output.credits;
  if (credits == 0) {
    out.credited &= ~(1u << out_vc);
    in.credit_ok &= ~(1u << move.vc());
  }
  const std::uint32_t flits = --input.count;
  if (flits == 0) {
    in.occupied &= ~(1u << move.vc());
    if (in.occupied == 0) step.router.occupied_ports &= ~(1u << move.in());
  }
  const std::uint32_t left = --input.left;
  if (left == 0) {
    step.edges |= 1u << step.moves;
    step.tails = true;
    step.new_fronts |= finish_packet(step.index, move);
    return;
  }
  const bool fed = in.flit_in != 0 && (in.flit_in & kVcBits) == move.vc();
  const bool paid = out.credit_in == out_vc + 1;
  const std::uint32_t lasts = std::min({left, fed ? left : flits + 1, paid ? left : credits + 1});
  step.steady = std::min<std::uint64_t>(step.steady, lasts);
}

// The sink takes every flit at once and answers with a credit: its wire is that of the ejection channel,
// later.
DFSIM_INLINE void NetworkCore::drive(PortState& port, std::uint32_t value, std::uint64_t cycle) {
  if (port.flit_out == value) return;
  port.flit_out = value;
  if (port.kind == PortKind::link) {
    wheel_.post(cycle + flit_delay_).flits.push_back({port.flit_target, value});
  } else {
    const auto self = static_cast<std::uint32_t>(&port - ports_.data());
    wheel_.post(cycle + ejection_credit_delay_).credits.push_back({self, value ? (value & kVcBits) + 1 : 0});
  }
}

DFSIM_INLINE void NetworkCore::drive_credit(PortState& port, std::uint8_t value, std::uint64_t cycle) {
  if (port.credit_out == value) return;
  port.credit_out = value;
  if (port.kind == PortKind::link)
    wheel_.post(cycle + credit_delay_).credits.push_back({port.credit_target, value});
  else
    wheel_.post(cycle + terminal_credit_delay_).terminal_credits.push_back({port.credit_target, value});
}

// ------------------------------------------------------------------ what happens when nothing changes

// The router sleeps if the next cycles are known: the streams of this cycle go on (but for those whose tail
// has gone) and nobody else can move, until a wire changes, a stream runs out of flits or credits, its tail
// comes, or a grant takes effect.
template <bool Hold>
DFSIM_INLINE bool NetworkCore::try_to_sleep(Step& step, const Move* moves) {
  RouterState& router = step.router;
  const std::uint32_t lost = step.ready + step.speculative - step.moves;
  if (step.no_credit | step.vc.refused | lost) {
    router.stalls.no_credit += step.no_credit;
    router.stalls.no_vc += step.vc.refused;
    router.stalls.lost_arbitration += lost;
  }
  router.no_credit = static_cast<std::uint16_t>(step.no_credit);
  router.no_vc = static_cast<std::uint16_t>(step.vc.refused);
  router.lost = static_cast<std::uint16_t>(lost);
  if (step.activated || step.new_fronts || step.unmatched || step.vc.contest) return false;
  if (step.tails && ((Hold && lost) || (early_route_ && router.requesting_ports))) return false;
  if (options_.always_evaluate)
    return !(router.driving | router.crediting | router.occupied_ports | router.flit_ports |
             router.credit_ports);
  const std::uint64_t cycles = router.granted_ports ? std::min<std::uint64_t>(step.steady, 2) : step.steady;
  if (cycles < 2) return false;
  if (step.edges) predict_outputs(step, moves);
  if (cycles != kNever) set_router_timer(step.index, cycles);
  return true;
}

// What the outputs will be in the next cycle: body flits behind heads, nothing behind tails. Should a change
// that arrives in the next cycle make it different, the router is evaluated and its values come after these
// and prevail.
DFSIM_INLINE void NetworkCore::predict_outputs(Step& step, const Move* moves) {
  for (std::uint32_t rest = step.edges; rest; rest &= rest - 1) {
    const Move move = moves[lowest(rest)];
    const InputVc& input = step.inputs[move.in() * step.vcs + move.vc()];
    PortState& out = step.ports[move.out()];
    if (input.left != 0) {
      drive(out, body_value(input.out_vc), step.now + 1);
      continue;
    }
    drive(out, 0, step.now + 1);
    drive_credit(step.ports[move.in()], 0, step.now + 1);
    step.router.driving &= ~(1u << move.out());
    step.router.crediting &= ~(1u << move.in());
  }
}

}  // namespace dfsim
