// What happens once per packet and router: its head arrives, gets a route, comes to the front, gets an output
// virtual channel.
#pragma once

#include "sim/noc/core/switch_allocation.h"

namespace dfsim {

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::take_head(std::uint32_t router, std::uint32_t channel,
                                                      std::uint32_t slot) {
  InputVc& input = inputs_[first_channel(router) + channel];
  if (input.left == 0 && !routers_[router].sending.contains(channel))
    return start_front(router, channel, slot);
  const std::uint32_t place = (input.queue_first + input.queue_size++) & (queue_capacity_ - 1);
  head_queues_[(first_channel(router) + channel) * queue_capacity_ + place] = slot;
}

/// A packet has come to the front of its buffer; it asks for an output VC in the next VC allocation.
template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::start_front(std::uint32_t router, std::uint32_t channel,
                                                        std::uint32_t slot) {
  InputVc& input = inputs_[first_channel(router) + channel];
  const PacketSlot& packet = slots_[slot];
  if (packet.leaves != kNoSlot) [[unlikely]]
    return start_fork(router, channel, slot);
  input.packet = slot;
  input.left = packet.flits;
  wanted_[first_channel(router) + channel] = route(router, channel, packet);
  routers_[router].requesting.insert(channel);
}

template <unsigned W, bool Watched>
typename RouterEngine<W, Watched>::Channels RouterEngine<W, Watched>::route(std::uint32_t router,
                                                                            std::uint32_t channel,
                                                                            const PacketSlot& packet) const {
  const std::uint32_t first = first_vc(packet.message_class);
  const std::uint32_t amount = class_vcs(packet.message_class);
  if (packet.router == router) return Channels::from_bits(vc_mask(0, amount), packet.port * vcs_ + first);
  RouteOptions options;
  routing_.route({.router = router,
                  .destination = packet.router,
                  .in_port = port_of_[channel],
                  .in_vc = vc_of_[channel],
                  .first_vc = static_cast<std::uint8_t>(first),
                  .vc_count = static_cast<std::uint8_t>(amount),
                  .coins = packet.coins},
                 options);
  Channels result;
  for (std::uint32_t i = 0; i < options.count; ++i)
    result |= Channels::from_bits(options.options[i].vcs, options.options[i].port * vcs_);
  return result;
}

/// Behind each tail the next packet comes to the front: with an RC stage it takes the next cycle for that and
/// asks in the one after it, else it asks in the next cycle.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::start_next_fronts(Step& step) {
  for (const std::uint32_t channel : step.tails) {
    InputVc& input = step.inputs[channel];
    if (input.queue_size == 0) continue;
    const std::uint32_t slot =
        head_queues_[(first_channel(step.index) + channel) * queue_capacity_ + input.queue_first];
    input.queue_first = static_cast<std::uint16_t>((input.queue_first + 1u) & (queue_capacity_ - 1));
    --input.queue_size;
    start_front(step.index, channel, slot);
  }
}

/// The cycle of the grant is over, or its switch allocation is: the head may ask for the switch in the next.
template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::activate_granted(Router& router) {
  router.active |= router.granted;
  router.granted = {};
}

/// VC allocation for a router that has got a head in its sleep and sleeps on. What it sends does not change
/// in this cycle, so nobody else's request does either.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::serve_new_head(std::uint32_t index) {
  Router& router = routers_[index];
  if (!router.new_head) return;  // woken after all
  router.new_head = false;
  activate_granted(router);  // those of the cycle before
  const bool early = stages_ != Stages::route_first;
  router.grant_cycle = now_ + 1;
  const VcOutcome outcome = allocate_vcs(index);
  count_stalls(router, now_);
  router.no_vc = static_cast<std::uint16_t>(outcome.refused);
  if (outcome.contest || (early && router.granted.any())) {
    wake_in_next_cycle(index);
    if (early) activate_granted(router);
  } else if (router.granted.any()) {
    look_again(index, now_ + 2);
  }
}

// iSLIP, one iteration, over (input VC) x (output VC): every free output VC grants the first requester from
// its pointer on, every input VC accepts the first grant from its pointer on, and matched pointers move one
// beyond.
template <unsigned W, bool Watched>
typename RouterEngine<W, Watched>::VcOutcome RouterEngine<W, Watched>::allocate_vcs(std::uint32_t index) {
  Router& router = routers_[index];
  if (router.requesting.several()) return allocate_several(index);
  const std::uint32_t channel = router.requesting.first();
  const Channels choice = wanted_[first_channel(index) + channel] & router.free_vcs;
  if (choice.empty()) return {1, false};
  grant(router, channel, choice.next_from(router.inputs[channel].accept_pointer));
  return {};
}

template <unsigned W, bool Watched>
typename RouterEngine<W, Watched>::VcOutcome RouterEngine<W, Watched>::allocate_several(std::uint32_t index) {
  Router& router = routers_[index];
  const Channels* const wanted = &wanted_[first_channel(index)];
  const Channels free = router.free_vcs;
  VcOutcome outcome;
  std::uint32_t requesters = 0;
  Channels all_wanted;
  bool disjoint = true;
  for (const std::uint32_t channel : router.requesting) {
    const Channels choice = wanted[channel] & free;
    if (choice.empty()) {
      ++outcome.refused;
      continue;
    }
    disjoint &= (all_wanted & choice).empty();
    all_wanted |= choice;
    requesters_[requesters++] = {static_cast<std::uint16_t>(channel), kNoChannel, 0};
  }
  if (!disjoint) match_heads(index, requesters, all_wanted);
  for (std::uint32_t i = 0; i < requesters; ++i) {
    const Requester& winner = requesters_[i];
    std::uint32_t out = winner.out;
    if (disjoint) {
      out = (wanted[winner.channel] & free).next_from(router.inputs[winner.channel].accept_pointer);
    } else if (winner.best_distance == kNoChannel) {
      ++outcome.refused;
      outcome.contest = true;
      continue;
    }
    grant(router, winner.channel, out);
  }
  return outcome;
}

/// Fills in what each of the first `requesters` of requesters_ gets of `wanted`, all of it free.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::match_heads(std::uint32_t index, std::uint32_t requesters,
                                           const Channels& wanted) {
  const Router& router = routers_[index];
  const std::uint32_t all = router.port_count * vcs_;
  // From `pointer` to `place`, counting round all channels.
  const auto steps_ahead = [all](std::uint32_t pointer, std::uint32_t place) {
    return place >= pointer ? place - pointer : place + all - pointer;
  };
  for (const std::uint32_t out : wanted) {
    const std::uint32_t pointer = router.outputs[out].grant_pointer;
    Requester* granted = nullptr;
    std::uint32_t nearest = all;
    for (std::uint32_t i = 0; i < requesters; ++i) {
      if (!wanted_[first_channel(index) + requesters_[i].channel].contains(out)) continue;
      const std::uint32_t distance = steps_ahead(pointer, requesters_[i].channel);
      if (distance >= nearest) continue;
      nearest = distance;
      granted = &requesters_[i];
    }
    const std::uint32_t distance = steps_ahead(router.inputs[granted->channel].accept_pointer, out);
    if (distance >= granted->best_distance) continue;
    granted->best_distance = static_cast<std::uint16_t>(distance);
    granted->out = static_cast<std::uint16_t>(out);
  }
}

template <unsigned W, bool Watched>
DFSIM_INLINE void RouterEngine<W, Watched>::grant(Router& router, std::uint32_t channel, std::uint32_t out) {
  InputVc& input = router.inputs[channel];
  OutputVc& output = router.outputs[out];
  output.grant_pointer = static_cast<std::uint16_t>(channel + 1);
  output.owner = static_cast<std::uint16_t>(channel);
  input.accept_pointer = static_cast<std::uint16_t>(out + 1);
  input.out = static_cast<std::uint16_t>(out);
  input.out_port = port_of_[out];
  router.requesting.erase(channel);
  router.granted.insert(channel);
  router.at_head.insert(channel);
  router.free_vcs.erase(out);
  router.credit_ok.assign(channel, router.credited.contains(out));
  router.outgoing[input.out_port].insert(channel);
}

}  // namespace dfsim
