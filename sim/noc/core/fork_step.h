// One cycle of a router with multicast packets at its fronts: as in router_step.h, with the branches among
// the packets. It is evaluated in every cycle in which a branch may move, flit by flit; the streams of other
// packets go on as they are. While all branches wait it rests.
#pragma once

#include "sim/noc/core/multicast.h"
#include "sim/noc/core/vc_allocation.h"

namespace dfsim {

template <unsigned W, bool Watched>
template <bool Hold, typename RouterEngine<W, Watched>::Stages S>
[[gnu::noinline]] bool RouterEngine<W, Watched>::step_forking_router(std::uint32_t index) {
  constexpr bool early = S != Stages::route_first, spec = S == Stages::speculative;
  Router& router = routers_[index];
  Step step{router, index};
  ++evaluations;
  count_stalls(router, now_);  // it may have rested
  router.done = now_ + 1;
  router.new_head = false;
  if (!early && router.granted.any() && router.grant_cycle < now_) activate_granted(router);
  check_streams(step);
  ForkStep forks = find_requests<Hold, spec>(step);
  allocate_forking_switch<Hold, spec>(step, forks);
  if (early) step.vc = allocate_forking_vcs(step.index, now_ + 1);
  if (router.granted.any()) {
    activate_granted(router);
    step.activated = true;
  }
  if constexpr (spec) drop_lost_slots(step);
  if constexpr (Hold) router.held |= step.moved;
  commit(step);
  commit_forks(step, forks);
  if (!early) {
    router.grant_cycle = now_ + 1;
    step.vc = allocate_forking_vcs(step.index, now_ + 2);
  }
  const bool rest = forks_rest(step, forks);
  if (step.new_fronts) start_next_fronts(step);
  router.stalls.lost_arbitration += forks.asking - forks.moving;
  if (!try_to_sleep<Hold, S>(step) || !rest) return false;
  router.awake = router.forks != kNoSlot;
  if (router.awake) resting_.push_back(step.index);
  return true;
}

/// What branches and packets could move, and what keeps the switch.
template <unsigned W, bool Watched>
template <bool Hold, bool Spec>
typename RouterEngine<W, Watched>::ForkStep RouterEngine<W, Watched>::find_requests(Step& step) {
  Router& router = step.router;
  const Channels full = router.active & router.occupied;
  step.ready = full & router.credit_ok;
  step.no_credit = (full & ~step.ready).count();
  if constexpr (Hold) router.held &= step.ready;
  ForkStep forks;
  for (std::uint32_t f = router.forks; f != kNoSlot; f = forks_[f].next) {
    const Fork& fork = forks_[f];
    forks.channels.insert(fork.channel);
    const std::uint32_t there =
        fork.freed + stored(router, fork.channel, now_) + (router.arriving.contains(fork.channel) ? 1u : 0u);
    for (Branch& branch : branches_of(f)) {
      branch.speculative = false;
      if (branch.sent == fork.flits) continue;
      if (branch.out == kNoChannel) {
        if constexpr (Spec) {
          const Channels usable =
              Channels::from_bits(branch.vcs, branch.port * vcs_) & router.free_vcs & router.credited;
          for (const std::uint32_t out : usable)
            if (has_room(router, fork, branch, out)) forks.heads[branch.port].insert(fork.channel);
        }
        continue;
      }
      if (branch.ready_at > now_ || branch.sent >= there) continue;
      if (!has_room(router, fork, branch, branch.out)) {
        ++step.no_credit;
        continue;
      }
      ++forks.asking;
      forks.asks[branch.port].insert(fork.channel);
      if (!Hold || branch.held_in != now_) continue;
      forks.kept.insert(fork.channel);
      forks.kept_outs |= 1u << branch.port;
      forks.wins[branch.port].insert(fork.channel);
    }
  }
  return forks;
}

// iSLIP, one iteration, over the ports that no packet keeps. An input accepts one grant as ever; if it is for
// a branch, the grants for other branches of the same packet come with it. Of a packet that keeps its input
// further branches may ask.
template <unsigned W, bool Watched>
template <bool Hold, bool Spec>
void RouterEngine<W, Watched>::allocate_forking_switch(Step& step, ForkStep& forks) {
  const Router& router = step.router;
  Channels barred;
  std::uint32_t kept_outs = forks.kept_outs;
  if constexpr (Hold) {
    step.moved = router.held;
    for (const std::uint32_t in : router.held) {
      barred |= port_channels_[port_of_[in]];
      kept_outs |= 1u << step.inputs[in].out_port;
    }
    for (const std::uint32_t in : forks.kept) barred |= port_channels_[port_of_[in]] & ~Channels::single(in);
  }
  ForkRequests requests;
  std::uint32_t grants[kMaxPorts] = {};  // by input: outputs
  Channels heads[Spec ? kMaxPorts : 1];
  if constexpr (Spec) ask_for_heads<Hold>(step, Hold ? router.held : Channels{}, heads);
  for (std::uint32_t out = 0; out < router.port_count; ++out) {
    if (kept_outs >> out & 1) continue;
    requests.strong[out] = ((step.ready & step.outgoing[out]) | forks.asks[out]) & ~barred;
    if constexpr (Spec) requests.weak[out] = (heads[out] | forks.heads[out]) & ~barred;
    const Channels all = requests.strong[out] | requests.weak[out];
    if (all.any()) grants[port_of_[all.next_from(step.ports[out].grant_pointer)]] |= 1u << out;
  }
  for (std::uint32_t in = 0; in < router.port_count; ++in)
    if (grants[in]) accept<Spec>(step, forks, requests, in, grants[in]);
  const Channels losers = step.ready & ~step.moved;
  step.unmatched = losers.any();
  step.contested = !Hold && step.unmatched;
}

/// Input `in` has grants of the outputs `outs`.
template <unsigned W, bool Watched>
template <bool Spec>
void RouterEngine<W, Watched>::accept(Step& step, ForkStep& forks, const ForkRequests& requests,
                                      std::uint32_t in, std::uint32_t outs) {
  PortState& port = step.ports[in];
  const std::uint32_t pointer = port.vc_pointer;
  const auto candidate = [&](std::uint32_t out, bool& speculative) {
    const Channels strong = requests.strong[out] & port_channels_[in];
    speculative = strong.empty();
    return (speculative ? requests.weak[out] & port_channels_[in] : strong).next_from(pointer);
  };
  const std::uint32_t first = round_robin(outs, port.accept_pointer);
  bool speculative = false;
  const std::uint32_t channel = candidate(first, speculative);
  port.vc_pointer = static_cast<std::uint16_t>(channel + 1);
  port.accept_pointer = static_cast<std::uint8_t>(first + 1);
  if (!forks.channels.contains(channel)) {
    step.ports[first].grant_pointer = static_cast<std::uint16_t>((in + 1) * vcs_);
    step.moved.insert(channel);
    if (Spec && speculative) speculative_outs_[in] = static_cast<std::uint8_t>(first);
    return;
  }
  for (std::uint32_t rest = outs; rest; rest &= rest - 1) {
    const std::uint32_t out = lowest(rest);
    if (candidate(out, speculative) != channel) continue;
    step.ports[out].grant_pointer = static_cast<std::uint16_t>((in + 1) * vcs_);
    forks.wins[out].insert(channel);
  }
}

/// iSLIP as in allocate_vcs(), with a request per branch. A branch that gets an output VC may use the switch
/// from `ready_at` on.
template <unsigned W, bool Watched>
typename RouterEngine<W, Watched>::VcOutcome RouterEngine<W, Watched>::allocate_forking_vcs(
    std::uint32_t index, std::uint64_t ready_at) {
  Router& router = routers_[index];
  VcOutcome outcome;
  fork_requesters_.clear();
  Channels wanted;
  const auto ask = [&](std::uint32_t channel, std::uint32_t fork, std::uint32_t branch,
                       const Channels& choice) {
    if (choice.empty()) {
      ++outcome.refused;
      return;
    }
    wanted |= choice;
    fork_requesters_.push_back(
        {static_cast<std::uint16_t>(channel), kNoChannel, kNoChannel, fork, branch, choice});
  };
  for (const std::uint32_t channel : router.requesting)
    ask(channel, kNoSlot, 0, wanted_[first_channel(index) + channel] & router.free_vcs);
  for (std::uint32_t f = router.forks; f != kNoSlot; f = forks_[f].next)
    for (std::uint32_t b = 0; b < forks_[f].branches; ++b)
      if (const Branch& branch = branches_of(f)[b]; branch.out == kNoChannel)
        ask(forks_[f].channel, f, b, Channels::from_bits(branch.vcs, branch.port * vcs_) & router.free_vcs);

  const std::uint32_t all = router.port_count * vcs_;
  const auto steps_ahead = [all](std::uint32_t pointer, std::uint32_t place) {
    return place >= pointer ? place - pointer : place + all - pointer;
  };
  for (const std::uint32_t out : wanted) {
    ForkRequester* granted = nullptr;
    std::uint32_t nearest = all;
    for (ForkRequester& requester : fork_requesters_) {
      const std::uint32_t distance = steps_ahead(router.outputs[out].grant_pointer, requester.channel);
      if (!requester.wanted.contains(out) || distance >= nearest) continue;
      nearest = distance;
      granted = &requester;
    }
    const std::uint32_t distance = steps_ahead(router.inputs[granted->channel].accept_pointer, out);
    if (distance >= granted->best_distance) continue;
    granted->best_distance = static_cast<std::uint16_t>(distance);
    granted->out = static_cast<std::uint16_t>(out);
  }
  for (const ForkRequester& winner : fork_requesters_) {
    if (winner.out == kNoChannel) {
      ++outcome.refused;
      outcome.contest = true;
    } else if (winner.fork == kNoSlot) {
      grant(router, winner.channel, winner.out);
    } else {
      OutputVc& output = router.outputs[winner.out];
      output.grant_pointer = static_cast<std::uint16_t>(winner.channel + 1);
      output.owner = winner.channel;
      router.inputs[winner.channel].accept_pointer = static_cast<std::uint16_t>(winner.out + 1);
      router.free_vcs.erase(winner.out);
      Branch& branch = branches_of(winner.fork)[winner.branch];
      branch.out = winner.out;
      branch.ready_at = ready_at;
    }
  }
  return outcome;
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::commit_forks(Step& step, ForkStep& forks) {
  for (std::uint32_t f = step.router.forks, next; f != kNoSlot; f = next) {
    Fork& fork = forks_[f];
    next = fork.next;
    std::uint32_t moved = 0, least = fork.flits;
    for (Branch& branch : branches_of(f)) {
      // Without a VC that has room the slot of the switch is lost.
      if (branch.sent != fork.flits && forks.wins[branch.port].contains(fork.channel) &&
          branch.out != kNoChannel && has_room(step.router, fork, branch, branch.out)) {
        if (forks.asks[branch.port].contains(fork.channel)) ++forks.moving;
        send_from_branch(step, fork, branch);
        ++moved;
      }
      least = std::min<std::uint32_t>(least, branch.sent);
    }
    flits_forked_ += moved;
    if (least == fork.freed) continue;
    --flits_forked_;
    free_fork_slot(step, fork);
    if (fork.freed == fork.flits) finish_fork(step, f);
  }
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::send_from_branch(Step& step, const Fork& fork, Branch& branch) {
  Router& router = step.router;
  OutputVc& output = step.outputs[branch.out];
  const bool head = branch.sent == 0;
  ++step.ports[branch.port].flits;
  if (output.kind == PortKind::link) {
    slots_[branch.slot].hops = static_cast<std::uint16_t>(slots_[branch.slot].hops + (head ? 1 : 0));
    out_.flits->single_flits.push({output.flits_on, head ? branch.slot : kNoSlot});
  } else {
    out_.ejection_credits->single_credits.push(output.flits_on);
  }
  if (--output.credits == 0 && !router.paying.contains(branch.out)) router.credited.erase(branch.out);
  single_flit(step.index, branch.out, branch.slot, branch.sent + 1u == fork.flits);
  branch.held_in = now_ + 1;
  if (++branch.sent != fork.flits) return;
  router.free_vcs.insert(branch.out);
  output.owner = kNoChannel;
  if (output.kind == PortKind::local)
    wheel_.post(now_ + engine_detail::kEjectionDelay).notices.push({branch.slot, true});
}

/// The last branch has read the flit in it.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::free_fork_slot(Step& step, Fork& fork) {
  InputVc& input = step.inputs[fork.channel];
  ++fork.freed;
  if (--input.count == 0 && !step.router.arriving.contains(fork.channel))
    step.router.occupied.erase(fork.channel);
  (input.kind == PortKind::link ? out_.credits->single_credits
                                : out_.terminal_credits->single_terminal_credits)
      .push(input.credits_on);
}

/// The branches will do nothing until a wire changes. The router counts as awake, so that changes are simply
/// taken in; it is looked at in the next cycle in which anything happens anywhere.
template <unsigned W, bool Watched>
bool RouterEngine<W, Watched>::forks_rest(const Step& step, const ForkStep& forks) const {
  const Router& router = step.router;
  if (forks.asking) return false;
  for (std::uint32_t f = router.forks; f != kNoSlot; f = forks_[f].next) {
    for (const Branch& branch : branches_of(f)) {
      if (branch.sent == forks_[f].flits) continue;
      if (branch.out == kNoChannel) {
        // Asks speculatively, or may get an output VC that has become free.
        if (forks.heads[branch.port].any() || step.tails.any()) return false;
      } else if (branch.ready_at > now_ || router.arriving.contains(forks_[f].channel) ||
                 router.paying.contains(branch.out)) {
        return false;
      }
    }
  }
  return true;
}

}  // namespace dfsim
