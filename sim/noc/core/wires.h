// Wires change; and what those who slept have missed.
//
// A sleeping router has, in each cycle, sent one flit of each of the channels `sending`, taken in what its
// wires say, and counted its stalls. None of that changed a decision, or a timer would have gone off. A
// change wakes it only if somebody may move because of it; if a stream loses its source of flits or credits,
// a timer is set for the cycle in which what is stored has been used up.
#pragma once

#include <algorithm>

#include "sim/noc/core/stepping.h"

namespace dfsim {

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::deliver_changes(WheelSlot& slot) {
  Router* const routers = routers_.data();
  for (const FlitChange& change : slot.flits) change_flits(routers[change.wire.router], change);
  for (const WireChange& change : slot.credits) change_credits(routers[change.router], change);
  for (const WireChange& change : slot.terminal_credits)
    change_terminal_credit(change.router,
                           change.channel == kNoChannel ? 0 : static_cast<std::uint8_t>(change.channel + 1));
  for (const FlitChange& flit : slot.single_flits) take_single_flit(routers[flit.wire.router], flit);
  for (const WireChange& credit : slot.single_credits) take_single_credit(routers[credit.router], credit);
  for (const WireChange& credit : slot.single_terminal_credits) take_single_terminal_credit(credit);
  for (const std::uint32_t router : slot.router_timers)
    if (routers_[router].timer == now_) wake_router(router);
  for (const std::uint32_t terminal : slot.terminal_timers)
    if (terminals_[terminal].timer == now_) wake_terminal(terminal);
  for (const std::uint32_t terminal : slot.injections) wake_terminal(terminal);
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::change_flits(Router& router, const FlitChange& change) {
  const WireChange& wire = change.wire;
  const bool asleep = !router.awake;
  if (asleep) {
    if (sleeps_on(change))
      outlast_flits(wire.router, router.arriving & router.sending & channels_of_port(wire.first));
    else
      wake_router(wire.router);
  }
  end_flits(router, wire.first);
  if (wire.channel == kNoChannel) return;
  start_flits(router, wire.channel);
  if (change.slot != kNoSlot) take_arriving_head(router, change, asleep);
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::take_single_flit(Router& router, const FlitChange& flit) {
  const bool asleep = !router.awake;
  if (asleep && !sleeps_on(flit)) wake_router(flit.wire.router);
  ++router.inputs[flit.wire.channel].count;
  router.occupied.insert(flit.wire.channel);
  if (flit.slot != kNoSlot) take_arriving_head(router, flit, asleep);
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::take_arriving_head(Router& router, const FlitChange& change,
                                                               bool asleep) {
  const WireChange& wire = change.wire;
  take_head(wire.router, wire.channel, change.slot);
  if (!asleep || router.new_head || !router.requesting.contains(wire.channel)) return;
  router.new_head = true;
  new_heads_.push_back(wire.router);
  set_bit(touched_routers_, wire.router);
}

/// Whether nobody in the sleeping router may move because of these flits.
template <unsigned W, bool Watched>
bool RouterEngine<W, Watched>::sleeps_on(const FlitChange& change) const {
  if (options_.always_evaluate) return false;
  // A head asks for the switch at once, or is served without it.
  if (change.slot != kNoSlot) return stages_ != Stages::speculative;
  const Router& router = routers_[change.wire.router];
  const std::uint32_t channel = change.wire.channel;
  return channel == kNoChannel || !router.active.contains(channel) || stored(router, channel, now_) != 0;
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::start_flits(Router& router, std::uint32_t channel) {
  std::uint16_t& count = router.inputs[channel].count;
  count = static_cast<std::uint16_t>(count - now_);
  router.arriving.insert(channel);
  router.occupied.insert(channel);
}

/// Whatever arrives at the port with this first channel.
template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::end_flits(Router& router, std::uint32_t first) {
  const Channels old = router.arriving & channels_of_port(first);
  if (old.empty()) return;
  const std::uint32_t channel = old.first();
  std::uint16_t& count = router.inputs[channel].count;
  count = static_cast<std::uint16_t>(count + now_);
  router.arriving &= ~old;
  if (count == 0 && !router.sending.contains(channel)) router.occupied.erase(channel);
}

/// The stream into `channels` (one or none) ends, the one out of it goes on as long as it can.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::outlast_flits(std::uint32_t index, const Channels& channels) {
  if (channels.empty()) return;
  const Router& router = routers_[index];
  const std::uint32_t channel = channels.first();
  const std::uint32_t lasts = stored(router, channel, now_);
  if (left(router, channel, now_) > lasts) look_again(index, now_ + lasts);
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::change_credits(Router& router, const WireChange& change) {
  if (!router.awake) {
    if (sleeps_on(change))
      outlast_credits(change.router, router.paying & channels_of_port(change.first));
    else
      wake_router(change.router);
  }
  end_credits(router, change.first);
  if (change.channel != kNoChannel) start_credits(router, change.channel);
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::take_single_credit(Router& router, const WireChange& credit) {
  if (!router.awake && !sleeps_on(credit)) wake_router(credit.router);
  OutputVc& output = router.outputs[credit.channel];
  ++output.credits;
  if (router.credited.contains(credit.channel)) return;
  router.credited.insert(credit.channel);
  if (output.owner != kNoChannel) router.credit_ok.insert(output.owner);
}

/// Whether nobody in the sleeping router may move because of these credits.
template <unsigned W, bool Watched>
bool RouterEngine<W, Watched>::sleeps_on(const WireChange& change) const {
  if (options_.always_evaluate) return false;
  const Router& router = routers_[change.router];
  if (change.channel == kNoChannel || credits(router, change.channel, now_) != 0) return true;
  if (stages_ == Stages::speculative && router.requesting.any()) return false;
  const std::uint32_t owner = router.outputs[change.channel].owner;
  return owner == kNoChannel || !(router.active & router.occupied).contains(owner);
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::start_credits(Router& router, std::uint32_t channel) {
  OutputVc& output = router.outputs[channel];
  output.credits = static_cast<std::uint16_t>(output.credits - now_);
  router.paying.insert(channel);
  if (router.credited.contains(channel)) return;
  router.credited.insert(channel);
  if (output.owner != kNoChannel) router.credit_ok.insert(output.owner);
}

/// Whatever credits come to the port with this first channel.
template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::end_credits(Router& router, std::uint32_t first) {
  const Channels old = router.paying & channels_of_port(first);
  if (old.empty()) return;
  const std::uint32_t channel = old.first();
  OutputVc& output = router.outputs[channel];
  output.credits = static_cast<std::uint16_t>(output.credits + now_);
  router.paying &= ~old;
  if (output.credits != 0) return;
  if (output.owner != kNoChannel) {
    if (router.sending.contains(output.owner)) return;
    router.credit_ok.erase(output.owner);
  }
  router.credited.erase(channel);
}

/// The credits of `channels` (one or none) end, the stream that uses them goes on as long as it can.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::outlast_credits(std::uint32_t index, const Channels& channels) {
  if (channels.empty()) return;
  const Router& router = routers_[index];
  const std::uint32_t owner = router.outputs[channels.first()].owner;
  if (owner == kNoChannel || !router.sending.contains(owner)) return;
  look_again(index, now_ + credits(router, channels.first(), now_));
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::take_single_terminal_credit(const WireChange& credit) {
  const Terminal& source = terminals_[credit.router];
  if ((!source.sending && source.waiting != 0) || options_.always_evaluate)
    wake_terminal(credit.router);
  else
    catch_up_terminal(credit.router, now_);
  ++terminal_credits_[credit.router * vcs_ + credit.channel];
}

// A sleeping source needs to know of credits if it is blocked, and of the end of those on which its stream
// lives.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::change_terminal_credit(std::uint32_t terminal, std::uint8_t vc) {
  Terminal& source = terminals_[terminal];
  const std::uint32_t streaming_vc = queues_[terminal * options_.message_classes + source.holder].vc;
  const bool needed = source.sending ? source.credit_in == streaming_vc + 1 : source.waiting != 0;
  if (needed || options_.always_evaluate)
    wake_terminal(terminal);
  else
    catch_up_terminal(terminal, now_);
  source.credit_in = vc;
}

/// Of the cycles before `end`, in which the router has slept.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::count_stalls(Router& router, std::uint64_t end) {
  if (router.done >= end) return;
  const std::uint64_t cycles = end - router.done;
  router.done = end;
  router.held &= router.sending;  // who has sent a single flit could not go on
  if ((router.no_credit | router.lost | router.no_vc) == 0) return;
  router.stalls.no_credit += router.no_credit * cycles;
  router.stalls.lost_arbitration += router.lost * cycles;
  router.stalls.no_vc += router.no_vc * cycles;
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::catch_up_terminal(std::uint32_t index, std::uint64_t end) {
  Terminal& source = terminals_[index];
  if (source.done >= end) return;
  const std::uint64_t cycles = end - source.done;
  source.done = end;
  std::uint16_t* credits = &terminal_credits_[index * vcs_];
  if (source.credit_in)
    credits[source.credit_in - 1] = static_cast<std::uint16_t>(credits[source.credit_in - 1] + cycles);
  if (source.sending) {
    SourceQueue& queue = queues_[index * options_.message_classes + source.holder];
    queue.left -= static_cast<std::uint32_t>(cycles);
    credits[queue.vc] = static_cast<std::uint16_t>(credits[queue.vc] - cycles);
    source.sent += cycles;
  }
  if (source.blocked_now) source.blocked += cycles;
}

}  // namespace dfsim
