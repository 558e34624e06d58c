// One router in one cycle: decide on the state at the start of the cycle, with what arrives in it; then
// change the state and drive the outputs. This is where the time goes: the parts are inlined into one
// function, so that what a step knows stays in registers.
#pragma once

#include <algorithm>

#include "sim/noc/core/wires.h"

namespace dfsim {

// VC allocation of a cycle sees the heads that asked before it, and frees and grants of the cycle before.
// Without an RC stage that includes heads that have just arrived. With one, all is known at the end of the
// cycle before, and is done there: a router with a single packet need not be looked at again until the head
// can ask for the switch.
template <unsigned W, bool Watched>
template <bool Hold, typename RouterEngine<W, Watched>::Stages S>
bool RouterEngine<W, Watched>::step_router(std::uint32_t index) {
  constexpr bool early = S != Stages::route_first, spec = S == Stages::speculative;
  Router& router = routers_[index];
  Step step{router, index};
  ++evaluations;
  router.done = now_ + 1;
  router.new_head = false;
  if (!early && router.granted.any() && router.grant_cycle < now_) activate_granted(router);
  check_streams(step);
  allocate_switch<Hold, spec>(step);
  if (early && router.requesting.any()) step.vc = allocate_vcs(index);
  if (router.granted.any()) {
    activate_granted(router);
    step.activated = true;
  }
  if constexpr (spec) drop_lost_slots(step);
  if constexpr (Hold) router.held |= step.moved;
  commit(step);
  if (!early && router.requesting.any()) {
    router.grant_cycle = now_ + 1;
    step.vc = allocate_vcs(index);
  }
  if (step.new_fronts) start_next_fronts(step);
  router.awake = !try_to_sleep<Hold, S>(step);
  return !router.awake;
}

/// Streams that have used up what was stored.
template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::check_streams(Step& step) {
  Router& router = step.router;
  for (const std::uint32_t in : router.sending) {
    const InputVc& input = step.inputs[in];
    if (!router.arriving.contains(in) && static_cast<std::uint16_t>(input.count - now_) == 0)
      router.occupied.erase(in);
    if (!router.paying.contains(input.out) &&
        static_cast<std::uint16_t>(step.outputs[input.out].credits - now_) == 0) {
      router.credited.erase(input.out);
      router.credit_ok.erase(in);
    }
  }
}

// With Hold, a packet that has won keeps its input and output while it can move, and the ports that are left
// take part in the allocation. With Spec, heads that ask for an output VC ask for the switch at the same
// time.
template <unsigned W, bool Watched>
template <bool Hold, bool Spec>
DFSIM_INLINE void RouterEngine<W, Watched>::allocate_switch(Step& step) {
  Router& router = step.router;
  const Channels full = router.active & router.occupied;
  step.ready = full & router.credit_ok;
  if (step.ready != full) step.no_credit = (full & ~step.ready).count();
  Channels kept;
  if constexpr (Hold) {
    router.held &= step.ready;
    kept = router.held;
  }
  // Mostly those that can move are those that have moved, or every input has one VC to offer and every output
  // is asked by one input: then all win.
  if (!(Spec && router.requesting.any())) {
    if (step.ready == router.sending || (router.lost == 0 && !conflicts(step))) {
      step.moved = step.ready;
      return;
    }
  }
  match_ports<Hold, Spec>(step, kept);
}

/// Two of the channels that can move have the same input or output port.
template <unsigned W, bool Watched>
DFSIM_INLINE bool RouterEngine<W, Watched>::conflicts(const Step& step) const {
  if (!step.ready.several()) return false;
  std::uint32_t ins = 0, outs = 0;
  for (const std::uint32_t in : step.ready) {
    const std::uint32_t in_bit = 1u << port_of_[in], out_bit = 1u << step.inputs[in].out_port;
    if ((ins & in_bit) | (outs & out_bit)) return true;
    ins |= in_bit;
    outs |= out_bit;
  }
  return false;
}

// The slot is lost unless the head got a VC of this output, with a credit, in this same cycle.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::drop_lost_slots(Step& step) {
  const Router& router = step.router;
  const Channels speculative = step.moved & ~step.ready;
  for (const std::uint32_t in : speculative) {
    const bool got = (router.active & router.credit_ok).contains(in) &&
                     step.inputs[in].out_port == speculative_outs_[port_of_[in]];
    if (got) continue;
    step.moved.erase(in);
    step.unmatched = true;  // the ports of the lost slot
  }
}

// ------------------------------------------------------------------ the switch moves flits

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::commit(Step& step) {
  Router& router = step.router;
  if (step.moved != router.sending) drive_changes(step);
  for (const std::uint32_t in : router.sending)
    if (step.inputs[in].left == static_cast<std::uint32_t>(now_ + 1)) finish_packet(step, in);
}

// Those that have not sent in the cycle before start a stream if they can go on and nobody stands in the way,
// and else send a single flit.
template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::drive_changes(Step& step) {
  Router& router = step.router;
  const Channels stopped = router.sending & ~step.moved;
  const Channels newcomers = step.moved & ~router.sending;
  router.sending &= step.moved;
  Channels ins, outs;  // channels of the wires with a new stream
  for (const std::uint32_t in : newcomers) {
    if (step.contested || !goes_on(step, in)) {
      send_one(step, in);
      continue;
    }
    ins |= port_channels_[port_of_[in]];
    outs |= step.outgoing[step.inputs[in].out_port];
    start_stream(step, in);
  }
  // What starts on a wire ends what was on it.
  for (const std::uint32_t in : stopped) {
    stream_ends(step.index, in, now_, false);
    bend(router, in, now_, -1);
    if (!outs.contains(in)) stop_flits(step, in, out_);
    if (!ins.contains(in)) stop_credits(step, in, out_);
  }
}

/// There will be a flit and a credit in the next cycle.
template <unsigned W, bool Watched>
DFSIM_INLINE bool RouterEngine<W, Watched>::goes_on(const Step& step, std::uint32_t channel) const {
  const InputVc& input = step.inputs[channel];
  return input.left > 1 && (step.router.arriving.contains(channel) || input.count > 1) &&
         (step.router.paying.contains(input.out) || step.outputs[input.out].credits > 1);
}

/// Pointers and counters of a win. Returns the packet if it is its head that goes, else kNoSlot.
template <unsigned W, bool Watched>
DFSIM_INLINE std::uint32_t RouterEngine<W, Watched>::win_switch(Step& step, std::uint32_t channel) {
  const std::uint32_t port = port_of_[channel];
  const InputVc& input = step.inputs[channel];
  PortState& in = step.ports[port];
  PortState& out = step.ports[input.out_port];
  in.vc_pointer = static_cast<std::uint16_t>(channel + 1);
  in.accept_pointer = static_cast<std::uint8_t>(input.out_port + 1);
  out.grant_pointer = static_cast<std::uint16_t>((port + 1) * vcs_);
  if (!step.router.at_head.contains(channel)) return kNoSlot;
  step.router.at_head.erase(channel);
  out.flits += input.left;
  if (out.kind == PortKind::link) ++slots_[input.packet].hops;
  return input.packet;
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::start_stream(Step& step, std::uint32_t channel) {
  const std::uint32_t packet = win_switch(step, channel);
  const InputVc& input = step.inputs[channel];
  const OutputVc& output = step.outputs[input.out];
  stream_starts(step.index, channel);
  bend(step.router, channel, now_, 1);
  step.router.sending.insert(channel);
  // The sink takes every flit at once and answers with a credit: its wire is that of the ejection channel,
  // later.
  if (output.kind == PortKind::link)
    out_.flits->flits.push({output.flits_on, packet});
  else
    out_.ejection_credits->credits.push(output.flits_on);
  (input.kind == PortKind::link ? out_.credits->credits : out_.terminal_credits->terminal_credits)
      .push(input.credits_on);
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::send_one(Step& step, std::uint32_t channel) {
  Router& router = step.router;
  const std::uint32_t packet = win_switch(step, channel);
  InputVc& input = step.inputs[channel];
  single_flit(step.index, input.out, input.packet, input.left == 1);
  OutputVc& output = step.outputs[input.out];
  if (output.kind == PortKind::link)
    out_.flits->single_flits.push({output.flits_on, packet});
  else
    out_.ejection_credits->single_credits.push(output.flits_on);
  (input.kind == PortKind::link ? out_.credits->single_credits
                                : out_.terminal_credits->single_terminal_credits)
      .push(input.credits_on);
  if (--output.credits == 0 && !router.paying.contains(input.out)) {
    router.credited.erase(input.out);
    router.credit_ok.erase(channel);
  }
  if (--input.count == 0 && !router.arriving.contains(channel)) router.occupied.erase(channel);
  if (--input.left == 0) finish_packet(step, channel);
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::stop_flits(Step& step, std::uint32_t channel,
                                                       const Outboxes& boxes) {
  const OutputVc& output = step.outputs[step.inputs[channel].out];
  if (output.kind == PortKind::link)
    boxes.flits->flits.push({output.flits_on.end(), kNoSlot});
  else
    boxes.ejection_credits->credits.push(output.flits_on.end());
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::stop_credits(Step& step, std::uint32_t channel,
                                                         const Outboxes& boxes) {
  const InputVc& input = step.inputs[channel];
  (input.kind == PortKind::link ? boxes.credits->credits : boxes.terminal_credits->terminal_credits)
      .push(input.credits_on.end());
}

/// The tail has won the switch: its output VC may be asked for from the next cycle on, in which nothing of
/// the packet is on the wires.
template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::finish_packet(Step& step, std::uint32_t channel) {
  Router& router = step.router;
  const InputVc& input = step.inputs[channel];
  step.tails.insert(channel);
  if (router.sending.contains(channel)) {
    stop_flits(step, channel, out_next_);
    stop_credits(step, channel, out_next_);
    stream_ends(step.index, channel, now_ + 1, true);
    bend(router, channel, now_ + 1, -1);
    router.sending.erase(channel);
    if (step.outputs[input.out].credits == 0 && !router.paying.contains(input.out))
      router.credited.erase(input.out);
    if (input.count == 0 && !router.arriving.contains(channel)) router.occupied.erase(channel);
  }
  router.held.erase(channel);
  router.active.erase(channel);
  router.free_vcs.insert(input.out);
  step.outgoing[input.out_port].erase(channel);
  step.outputs[input.out].owner = kNoChannel;
  if (step.outputs[input.out].kind == PortKind::local)
    wheel_.post(now_ + engine_detail::kEjectionDelay).notices.push({input.packet, true});
  step.new_fronts |= input.queue_size != 0;
}

// ------------------------------------------------------------------ what happens when nothing changes

// The router sleeps if the next cycles are known: the streams of this cycle go on (but for those whose tail
// has gone) and nobody else can move, until a wire changes, a stream runs out of flits or credits, its tail
// comes, or a grant takes effect.
template <unsigned W, bool Watched>
template <bool Hold, typename RouterEngine<W, Watched>::Stages S>
DFSIM_INLINE bool RouterEngine<W, Watched>::try_to_sleep(Step& step) {
  Router& router = step.router;
  const Channels losers = step.ready & ~step.moved;
  const std::uint32_t lost = losers.count();
  router.stalls.lost_arbitration += lost;
  router.lost = static_cast<std::uint16_t>(lost);
  if (step.no_credit | step.vc.refused | router.no_credit | router.no_vc) {
    router.stalls.no_credit += step.no_credit;
    router.stalls.no_vc += step.vc.refused;
    router.no_credit = static_cast<std::uint16_t>(step.no_credit);
    router.no_vc = static_cast<std::uint16_t>(step.vc.refused);
  }
  if (step.activated | step.new_fronts | step.unmatched | step.vc.contest) return false;
  // Single flits are behind: those behind them may have to wait.
  const Channels once = step.moved & ~(router.sending | step.tails);
  if (once.any() && (lost || (once & router.occupied).any())) return false;
  if (step.tails.any()) {
    if (Hold && lost) return false;
    if (S != Stages::route_first && router.requesting.any()) return false;
  }
  if (options_.always_evaluate)
    return (router.sending | router.occupied | router.arriving | router.paying).empty();
  std::uint64_t cycles = router.granted.any() ? 2 : kNever;
  for (const std::uint32_t in : router.sending) {
    const InputVc& input = step.inputs[in];
    const std::uint64_t next = now_ + 1;
    std::uint64_t lasts = static_cast<std::uint32_t>(input.left - next);
    if (!router.arriving.contains(in))
      lasts = std::min<std::uint64_t>(lasts, static_cast<std::uint16_t>(input.count - next) + 1u);
    if (!router.paying.contains(input.out))
      lasts = std::min<std::uint64_t>(
          lasts, static_cast<std::uint16_t>(step.outputs[input.out].credits - next) + 1u);
    cycles = std::min(cycles, lasts);
  }
  if (cycles < 2) return false;
  if (cycles == kNever)
    router.timer = kNever;
  else
    set_router_timer(step.index, now_ + cycles);
  return true;
}

}  // namespace dfsim
