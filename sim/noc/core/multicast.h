// Multicast packets: where they fork, and what is kept of them at the front of a buffer.
//
// A multicast packet is split by output port wherever it comes to the front of an input VC. Each branch is a
// packet of its own from there on. A branch takes an output VC like any packet, and its head goes when the
// buffer behind that VC has room for all of it: so flits that are on their way never wait for space, whatever
// the other branches do (virtual cut-through; docs/noc.md has the argument why nothing can lock up).
#pragma once

#include "sim/noc/core/switch_allocation.h"

namespace dfsim {

template <unsigned W, bool Watched>
std::uint32_t RouterEngine<W, Watched>::take_leaves(std::span<const EndpointId> destinations) {
  std::uint32_t first = kNoSlot;
  for (const EndpointId endpoint : destinations) {
    std::uint32_t leaf = free_leaves_;
    if (leaf != kNoSlot) {
      free_leaves_ = leaves_[leaf].next;
    } else {
      leaf = static_cast<std::uint32_t>(leaves_.size());
      leaves_.emplace_back();
    }
    leaves_[leaf] = {endpoint.value(), first};
    first = leaf;
  }
  return first;
}

template <unsigned W, bool Watched>
std::uint32_t RouterEngine<W, Watched>::take_fork() {
  if (free_forks_ == kNoSlot) {
    forks_.emplace_back();
    branches_.resize(branches_.size() + stride_);
    return static_cast<std::uint32_t>(forks_.size() - 1);
  }
  const std::uint32_t fork = free_forks_;
  free_forks_ = forks_[fork].next;
  return fork;
}

template <unsigned W, bool Watched>
std::uint32_t RouterEngine<W, Watched>::copy_slot(std::uint32_t slot) {
  const Packet packet = packets_[slot];  // take_slot() may move it
  const std::uint32_t copy = take_slot(packet);
  slots_[copy] = slots_[slot];
  return copy;
}

/// Sorts the leaves of the packet by output port, into ways_. Returns the ports, a bit each. Of those behind
/// one port the farthest decides on the VCs: its way is that of a unicast packet, and contains the others'.
template <unsigned W, bool Watched>
std::uint32_t RouterEngine<W, Watched>::sort_leaves(std::uint32_t router, std::uint32_t channel,
                                                    std::uint32_t slot) {
  const PacketSlot& packet = slots_[slot];
  const std::uint32_t first = first_vc(packet.message_class);
  const std::uint32_t amount = class_vcs(packet.message_class);
  std::uint32_t ports = 0;
  for (std::uint32_t leaf = packet.leaves; leaf != kNoSlot;) {
    const std::uint32_t next = leaves_[leaf].next;
    const Terminal& terminal = terminals_[leaves_[leaf].endpoint];
    std::uint32_t port = terminal.port, vcs = vc_mask(first, amount), steps = 0;
    if (terminal.router != router) {
      RouteOptions options;
      routing_.route({.router = router,
                      .destination = terminal.router,
                      .in_port = port_of_[channel],
                      .in_vc = vc_of_[channel],
                      .first_vc = static_cast<std::uint8_t>(first),
                      .vc_count = static_cast<std::uint8_t>(amount),
                      .coins = packet.coins},
                     options);
      port = options.options[0].port;
      vcs = options.options[0].vcs;
      steps = steps_along(spec_.graph, router, terminal.router, port);
    }
    Way& way = ways_[port];
    if (!(ports >> port & 1))
      way = {kNoSlot, vcs, steps};
    else if (steps > way.steps)
      way = {way.leaves, vcs, steps};
    ports |= 1u << port;
    leaves_[leaf].next = way.leaves;
    way.leaves = leaf;
    leaf = next;
  }
  return ports;
}

/// A multicast packet has come to the front. Its router is looked at in every cycle in which it may move.
template <unsigned W, bool Watched>
[[gnu::noinline]] void RouterEngine<W, Watched>::start_fork(std::uint32_t router, std::uint32_t channel,
                                                            std::uint32_t slot) {
  const std::uint32_t ports = sort_leaves(router, channel, slot);
  const std::uint32_t index = take_fork();
  Fork& fork = forks_[index];
  fork = {.next = routers_[router].forks,
          .channel = static_cast<std::uint16_t>(channel),
          .flits = static_cast<std::uint16_t>(slots_[slot].flits)};
  routers_[router].forks = index;
  set_bit(forking_routers_, router);
  InputVc& input = inputs_[first_channel(router) + channel];
  input.packet = slot;
  input.left = slots_[slot].flits;
  Branch* branch = &branches_[std::size_t{index} * stride_];
  for (std::uint32_t rest = ports & (ports - 1); rest; rest &= rest - 1)
    add_branch(fork, branch[fork.branches + 1], lowest(rest), copy_slot(slot));
  // The first one is the packet itself; its copies have been made.
  const auto copies = fork.branches;
  add_branch(fork, branch[0], lowest(ports), slot);
  fork.branches = static_cast<std::uint16_t>(copies + 1);
  wake_router(router);
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::add_branch(Fork& fork, Branch& branch, std::uint32_t port,
                                          std::uint32_t slot) {
  const Way& way = ways_[port];
  branch = {.slot = slot, .vcs = way.vcs, .port = static_cast<std::uint8_t>(port)};
  ++fork.branches;
  if (port < 2 * spec_.graph.dimensions) {
    slots_[slot].leaves = way.leaves;
    return;
  }
  packets_[slot].destination = EndpointId(leaves_[way.leaves].endpoint);
  slots_[slot].leaves = kNoSlot;
  leaves_[way.leaves].next = free_leaves_;
  free_leaves_ = way.leaves;
}

/// In the buffer behind output channel `out`, with the credits that come in this cycle, for all flits of the
/// branch that have not gone.
template <unsigned W, bool Watched>
bool RouterEngine<W, Watched>::has_room(const Router& router, const Fork& fork, const Branch& branch,
                                        std::uint32_t out) const {
  const std::uint32_t usable = credits(router, out, now_) + (router.paying.contains(out) ? 1 : 0);
  return usable + branch.sent >= fork.flits;
}

/// All branches have gone.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::finish_fork(Step& step, std::uint32_t index) {
  Fork& fork = forks_[index];
  InputVc& input = step.inputs[fork.channel];
  input.left = 0;
  step.tails.insert(fork.channel);
  step.new_fronts |= input.queue_size != 0;
  std::uint32_t* link = &step.router.forks;
  while (*link != index) link = &forks_[*link].next;
  *link = fork.next;
  fork.next = free_forks_;
  free_forks_ = index;
  if (step.router.forks == kNoSlot)
    forking_routers_[step.index / 64] &= ~(std::uint64_t{1} << step.index % 64);
}

}  // namespace dfsim
