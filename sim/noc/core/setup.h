// Construction, injection, reset.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/base/errors.h"
#include "sim/noc/core/bit_set.h"
#include "sim/noc/core/engine.h"

namespace dfsim {
namespace engine_detail {

inline constexpr std::uint32_t kEjectionDelay = 3;        ///< from the switch of the last router to the sink
inline constexpr std::uint32_t kInjectionDelay = 2;       ///< from a source to the buffer
inline constexpr std::uint32_t kTerminalCreditDelay = 2;  ///< no processing
/// Timers of streams end within this many cycles or are set again.
inline constexpr std::uint32_t kLeastWheel = 256;

inline std::uint32_t wheel_size(const NocSpec& spec) {
  const std::uint32_t longest =
      std::max({spec.link_latency_cycles + 2, spec.credit_latency_cycles + spec.credit_processing_cycles + 1,
                spec.credit_processing_cycles + 2 + kEjectionDelay});
  return std::bit_ceil(std::max(kLeastWheel, longest + 2));
}

}  // namespace engine_detail

template <unsigned W, bool Watched>
RouterEngine<W, Watched>::RouterEngine(const NocSpec& spec, const RoutingFunction& routing,
                                       NetworkCore::Options options)
    : spec_(spec),
      routing_(routing),
      options_(options),
      vcs_(spec.virtual_channels),
      buffer_(spec.buffer_flits),
      port_vcs_(vc_mask(0, spec.virtual_channels)),
      stages_(spec.preset == RouterPreset::spec        ? Stages::speculative
              : spec.preset == RouterPreset::lookahead ? Stages::route_known
                                                       : Stages::route_first),
      flit_delay_(2 + spec.link_latency_cycles),
      credit_delay_(1 + spec.credit_latency_cycles + spec.credit_processing_cycles),
      ejection_credit_delay_(engine_detail::kEjectionDelay + 2 + spec.credit_processing_cycles),
      wheel_(engine_detail::wheel_size(spec)) {
  for (std::uint32_t c = 0; c <= options.message_classes; ++c)
    class_first_.push_back(c * vcs_ / options.message_classes);
  build_ports();
  const std::size_t routers = routers_.size();
  awake_routers_.assign((routers + 63) / 64, 0);
  touched_routers_ = forking_routers_ = awake_routers_;
  awake_terminals_.assign((terminals_.size() + 63) / 64, 0);
  touched_terminals_ = awake_terminals_;
  for (std::uint32_t r = 0; r < routers; ++r) clear_router(r);
  for (std::uint32_t e = 0; e < terminals_.size(); ++e) clear_terminal(e);
  requesters_.resize(channels_);
  if constexpr (Watched) {
    stream_from_.assign(inputs_.size(), 0);
    merger_ = FlitMerger(spec_);
  }
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::build_ports() {
  const std::vector<std::uint32_t> ports = ports_per_router(spec_);
  stride_ = *std::max_element(ports.begin(), ports.end());
  channels_ = stride_ * vcs_;
  for (std::uint32_t c = 0; c < channels_; ++c) {
    port_of_[c] = static_cast<std::uint8_t>(c / vcs_);
    vc_of_[c] = static_cast<std::uint8_t>(c % vcs_);
  }
  for (std::uint32_t p = 0; p < stride_; ++p)
    port_channels_.push_back(Channels::from_bits(port_vcs_, p * vcs_));
  routers_.resize(ports.size());
  ports_.resize(ports.size() * stride_);
  outgoing_.resize(ports_.size());
  for (std::uint32_t r = 0; r < ports.size(); ++r)
    routers_[r].port_count = static_cast<std::uint8_t>(ports[r]);
  const std::size_t channels = routers_.size() * channels_;
  queue_capacity_ = std::bit_ceil(buffer_);
  inputs_.resize(channels);
  outputs_.resize(channels);
  wanted_.resize(channels);
  head_queues_.resize(channels * queue_capacity_);
  for (const Link& link : spec_.graph.links) {
    const std::uint32_t from = link.from.value(), to = link.to.value();
    ports_[first_port(from) + link.port_out].kind = PortKind::link;
    ports_[first_port(to) + link.port_in].kind = PortKind::link;
    for (std::uint32_t v = 0; v < vcs_; ++v) {
      OutputVc& output = outputs_[first_channel(from) + link.port_out * vcs_ + v];
      output.kind = PortKind::link;
      output.flits_on = wire(to, link.port_in, v);
      InputVc& input = inputs_[first_channel(to) + link.port_in * vcs_ + v];
      input.kind = PortKind::link;
      input.credits_on = wire(from, link.port_out, v);
    }
  }
  connect_terminals();
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::connect_terminals() {
  terminals_.resize(spec_.endpoints.size());
  queues_.resize(terminals_.size() * options_.message_classes);
  terminal_credits_.resize(terminals_.size() * vcs_);
  std::vector<std::uint32_t> next(routers_.size(), 2 * spec_.graph.dimensions);
  for (std::uint32_t e = 0; e < terminals_.size(); ++e) {
    Terminal& terminal = terminals_[e];
    terminal.router = spec_.endpoints[e].router.value();
    terminal.port = next[terminal.router]++;
    PortState& port = ports_[first_port(terminal.router) + terminal.port];
    port.kind = PortKind::local;
    port.endpoint = e;
    for (std::uint32_t v = 0; v < vcs_; ++v) {
      const std::size_t channel = first_channel(terminal.router) + terminal.port * vcs_ + v;
      outputs_[channel].kind = inputs_[channel].kind = PortKind::local;
      outputs_[channel].flits_on = wire(terminal.router, terminal.port, v);
      inputs_[channel].credits_on = {e, 0, static_cast<std::uint16_t>(v)};
    }
  }
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::clear_router(std::uint32_t index) {
  Router fresh;
  fresh.port_count = routers_[index].port_count;
  fresh.ports = &ports_[first_port(index)];
  fresh.outgoing = &outgoing_[first_port(index)];
  fresh.inputs = &inputs_[first_channel(index)];
  fresh.outputs = &outputs_[first_channel(index)];
  for (std::uint32_t p = 0; p < fresh.port_count; ++p) {
    fresh.free_vcs |= port_channels_[p];
    PortState& port = ports_[first_port(index) + p];
    port.flits = 0;
    port.vc_pointer = port.grant_pointer = 0;
    port.accept_pointer = 0;
  }
  fresh.credited = fresh.free_vcs;
  routers_[index] = fresh;
  std::fill_n(outgoing_.begin() + static_cast<std::ptrdiff_t>(first_port(index)), stride_, Channels{});
  for (std::size_t c = first_channel(index); c < first_channel(index) + channels_; ++c) {
    InputVc input;
    input.kind = inputs_[c].kind;
    input.credits_on = inputs_[c].credits_on;
    inputs_[c] = input;
    OutputVc output;
    output.kind = outputs_[c].kind;
    output.flits_on = outputs_[c].flits_on;
    output.credits = static_cast<std::uint16_t>(buffer_);
    outputs_[c] = output;
  }
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::clear_terminal(std::uint32_t terminal) {
  Terminal fresh;
  fresh.router = terminals_[terminal].router;
  fresh.port = terminals_[terminal].port;
  terminals_[terminal] = fresh;
  for (std::uint32_t c = 0; c < options_.message_classes; ++c) {
    SourceQueue& queue = queues_[terminal * options_.message_classes + c];
    queue = SourceQueue{};
    queue.last_vc = static_cast<std::uint8_t>(class_vcs(c) - 1);  // the first packet takes VC 0
  }
  std::fill_n(terminal_credits_.begin() + terminal * vcs_, vcs_, static_cast<std::uint16_t>(buffer_));
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::reset() {
  for_each_bit(touched_routers_, [this](std::uint32_t r) { clear_router(r); });
  for_each_bit(touched_terminals_, [this](std::uint32_t e) { clear_terminal(e); });
  for (auto* bits :
       {&forking_routers_, &awake_routers_, &awake_terminals_, &touched_routers_, &touched_terminals_})
    std::fill(bits->begin(), bits->end(), 0);
  wheel_.clear_all();
  new_heads_.clear();
  resting_.clear();
  events.clear();
  arrived_slots_.clear();
  free_slots_ = kNoSlot;
  used_slots_ = 0;
  now_ = next_ = event_cycle = 0;
  packets_injected = packets_ejected = arrivals_due = 0;
  leaves_.clear();
  forks_.clear();
  branches_.clear();
  free_leaves_ = free_forks_ = kNoSlot;
  flits_forked_ = 0;
  any_awake_ = false;
  flit_runs.clear();
  merger_.clear();
}

template <unsigned W, bool Watched>
std::uint32_t RouterEngine<W, Watched>::take_slot(const Packet& packet) {
  std::uint32_t slot = free_slots_;
  if (slot != kNoSlot) {
    free_slots_ = slots_[slot].next;
  } else {
    slot = used_slots_++;
    if (slot == slots_.size()) {
      slots_.emplace_back();
      packets_.emplace_back();
    }
  }
  packets_[slot] = packet;
  return slot;
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::free_slot(std::uint32_t slot) {
  slots_[slot].next = free_slots_;
  free_slots_ = slot;
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::check_packet(const Packet& packet) const {
  const std::string reason = refuse_packet(spec_, routing_, options_.message_classes, packet);
  if (!reason.empty()) throw SimulationError("network: " + reason);
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::inject(const Packet& packet, std::uint64_t cycle, std::uint32_t coins) {
  const auto message_class =
      options_.message_classes == 1 ? 0u : static_cast<std::uint32_t>(packet.message_class);
  const std::uint32_t source = packet.source.value();
  const bool plain = packet.destinations.empty() && packet.flits > 0 && source < terminals_.size() &&
                     packet.destination.value() < terminals_.size() &&
                     message_class < options_.message_classes;
  if (!plain) check_packet(packet);
  if (!any_awake_ && cycle > next_) next_ = std::min(cycle, wheel_.next_after(next_ - 1));
  if (cycle < next_ || cycle - next_ > wheel_.horizon() - 1)
    throw SimulationError(fmt::format("network: packet for cycle {}, but cycle {} comes next", cycle, next_));

  const bool several = packet.destinations.size() > 1;
  const std::uint32_t slot = take_slot(packet);
  if (!packet.destinations.empty()) packets_[slot].destination = packet.destinations.front();
  packets_[slot].destinations = {};
  const std::uint32_t destination = packets_[slot].destination.value();
  slots_[slot] = PacketSlot{.flits = packet.flits,
                            .router = terminals_[destination].router,
                            .coins = coins,
                            .next = kNoSlot,
                            .leaves = several ? take_leaves(packet.destinations) : kNoSlot,
                            .hops = 0,
                            .room = static_cast<std::uint16_t>(several ? packet.flits : 1),
                            .port = static_cast<std::uint8_t>(terminals_[destination].port),
                            .message_class = static_cast<std::uint8_t>(message_class),
                            .notify_left = packet.notify_left,
                            .created = cycle,
                            .entered = 0};
  SourceQueue& queue = queues_[source * options_.message_classes + message_class];
  (queue.first == kNoSlot ? queue.first : slots_[queue.last].next) = slot;
  queue.last = slot;
  ++packets_injected;
  arrivals_due += several ? packet.destinations.size() : 1;
  ++terminals_[source].waiting;
  set_bit(touched_terminals_, source);
  // A source that is sending looks for the next packet by itself when it has done.
  if (cycle == next_) {
    if (terminals_[source].sending && options_.message_classes == 1) return;
    now_ = cycle;
    wake_terminal(source);
    any_awake_ = true;
  } else {
    wheel_.post(cycle).injections.push(source);
  }
}

}  // namespace dfsim
