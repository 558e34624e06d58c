// Which virtual channels move a flit through the switch where several want to.
#pragma once

#include "sim/noc/core/masks.h"
#include "sim/noc/core/router_step.h"

namespace dfsim {

// iSLIP, one iteration, over the ports that no packet keeps. The candidate of an (input, output) pair is the
// first VC that asks, from the input's pointer on; with Spec, packets that own a VC go before heads that ask
// for one.
template <unsigned W, bool Watched>
template <bool Hold, bool Spec>
void RouterEngine<W, Watched>::match_ports(Step& step, const Channels& kept) {
  Router& router = step.router;
  PortState* const ports = step.ports;
  Channels asking = step.ready;
  if constexpr (Hold) {
    for (const std::uint32_t in : kept)
      asking &= ~(port_channels_[port_of_[in]] | step.outgoing[step.inputs[in].out_port]);
  }
  if constexpr (Hold && !Spec) {
    if (asking.empty()) {
      step.moved = kept;
      return;
    }
  }
  Channels heads[Spec ? kMaxPorts : 1];  // by output: those that ask for a VC of it
  if constexpr (Spec) ask_for_heads<Hold>(step, kept, heads);

  // Channels are numbered port by port, so the first one from the pointer on belongs to the first port.
  std::uint32_t grants[kMaxPorts];  // by input: outputs
  std::uint32_t granted = 0;
  for (std::uint32_t out = 0; out < router.port_count; ++out) {
    Channels requests = asking & step.outgoing[out];
    if constexpr (Spec) requests |= heads[out];
    if (requests.empty()) continue;
    const std::uint32_t in = port_of_[requests.next_from(ports[out].grant_pointer)];
    grants[in] = (granted >> in & 1 ? grants[in] : 0) | 1u << out;
    granted |= 1u << in;
  }
  step.moved = kept;
  Channels served = ~asking;  // what has no chance in the next cycle either
  for (std::uint32_t rest = granted; rest; rest &= rest - 1) {
    const std::uint32_t in = lowest(rest);
    const std::uint32_t out = round_robin(grants[in], ports[in].accept_pointer);
    Channels candidates = asking & step.outgoing[out] & port_channels_[in];
    if constexpr (Hold) served |= port_channels_[in] | step.outgoing[out];
    if constexpr (Spec) {
      // Used or lost, the pointers move with the grant. Those of others are moved by start_stream(); for a
      // stream that goes on they are as it left them.
      if (candidates.empty()) {
        candidates = heads[out] & port_channels_[in];
        speculative_outs_[in] = static_cast<std::uint8_t>(out);
        const std::uint32_t channel = candidates.next_from(ports[in].vc_pointer);
        ports[in].vc_pointer = static_cast<std::uint16_t>(channel + 1);
        ports[in].accept_pointer = static_cast<std::uint8_t>(out + 1);
        ports[out].grant_pointer = static_cast<std::uint16_t>((in + 1) * vcs_);
        step.moved.insert(channel);
        continue;
      }
    }
    step.moved.insert(candidates.next_from(ports[in].vc_pointer));
  }
  // Under packet_hold those that met a port that is kept from now on go on losing; else all that lost try
  // again with new pointers.
  const Channels losers = step.ready & ~step.moved;
  step.unmatched = Hold ? (losers & ~served).any() : losers.any();
  step.contested = !Hold && step.unmatched;
}

/// Heads that ask for an output VC ask for the switch as well, at the outputs where a VC is free and has a
/// credit.
template <unsigned W, bool Watched>
template <bool Hold>
void RouterEngine<W, Watched>::ask_for_heads(const Step& step, const Channels& kept, Channels* heads) const {
  const Router& router = step.router;
  for (std::uint32_t out = 0; out < router.port_count; ++out) heads[out] = {};
  Channels usable = router.free_vcs & router.credited;
  Channels asking = router.requesting;
  if constexpr (Hold) {
    for (const std::uint32_t in : kept) {
      asking &= ~port_channels_[port_of_[in]];
      usable &= ~port_channels_[step.inputs[in].out_port];
    }
  }
  for (const std::uint32_t in : asking) {
    const Channels wanted = wanted_[first_channel(step.index) + in] & usable;
    for (const std::uint32_t out : wanted) heads[port_of_[out]].insert(in);
  }
}

}  // namespace dfsim
