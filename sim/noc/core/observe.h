// What the network has counted, and who waits for whom.
#pragma once

#include <fmt/format.h>

#include <algorithm>

#include "sim/noc/core/flit_watch.h"
#include "sim/noc/core/fork_step.h"
#include "sim/noc/core/terminal_step.h"

namespace dfsim {

/// PortState::flits, less those of packets on their way that have not gone through.
template <unsigned W, bool Watched>
std::uint64_t RouterEngine<W, Watched>::flits_through(std::uint32_t router, std::uint32_t port) const {
  std::uint64_t flits = ports_[first_port(router) + port].flits;
  for (const std::uint32_t channel : outgoing_[first_port(router) + port] & ~routers_[router].at_head)
    flits -= left(routers_[router], channel, next_);
  return flits;
}

template <unsigned W, bool Watched>
NocCounters RouterEngine<W, Watched>::counters(std::uint64_t end) {
  settle(end);
  for_each_bit(touched_routers_, [this](std::uint32_t r) { count_stalls(routers_[r], next_); });
  for_each_bit(touched_terminals_, [this](std::uint32_t e) { catch_up_terminal(e, next_); });
  NocCounters result;
  result.packets_injected = packets_injected;
  result.packets_ejected = packets_ejected;
  result.flits_forked = flits_forked_;
  for (const Terminal& terminal : terminals_) result.flits_injected += terminal.sent;
  for_each_bit(touched_routers_, [&](std::uint32_t r) {
    result.stalls.no_credit += routers_[r].stalls.no_credit;
    result.stalls.lost_arbitration += routers_[r].stalls.lost_arbitration;
    result.stalls.no_vc += routers_[r].stalls.no_vc;
    for (std::uint32_t p = 0; p < routers_[r].port_count; ++p) {
      const std::uint64_t flits = flits_through(r, p);
      result.flit_hops += flits;
      if (ports_[first_port(r) + p].kind == PortKind::local) result.flits_ejected += flits;
    }
  });
  return result;
}

template <unsigned W, bool Watched>
std::vector<std::uint64_t> RouterEngine<W, Watched>::link_flits(std::uint64_t end) {
  settle(end);
  std::vector<std::uint64_t> result;
  result.reserve(spec_.graph.links.size());
  for (const Link& link : spec_.graph.links)
    result.push_back(flits_through(link.from.value(), link.port_out));
  return result;
}

template <unsigned W, bool Watched>
std::uint64_t RouterEngine<W, Watched>::flits_sent_by(EndpointId endpoint, std::uint64_t end) {
  settle(end);
  catch_up_terminal(endpoint.value(), next_);
  return terminals_.at(endpoint.value()).sent;
}

template <unsigned W, bool Watched>
std::uint64_t RouterEngine<W, Watched>::flits_ejected_to(EndpointId endpoint, std::uint64_t end) {
  const Terminal& terminal = terminals_.at(endpoint.value());
  settle(end);
  return flits_through(terminal.router, terminal.port);
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::sample_buffers(std::uint64_t end, BufferSamples& samples) {
  settle(end);
  ++samples.samples;
  samples.stride = channels_;
  samples.sum.resize(inputs_.size());
  samples.most.resize(inputs_.size());
  for_each_bit(touched_routers_, [&](std::uint32_t r) {
    for (const std::uint32_t c : routers_[r].occupied | routers_[r].arriving) {
      const std::uint32_t flits = stored(routers_[r], c, next_);
      samples.sum[first_channel(r) + c] += flits;
      samples.most[first_channel(r) + c] = std::max(samples.most[first_channel(r) + c], flits);
    }
  });
}

template <unsigned W, bool Watched>
std::uint64_t RouterEngine<W, Watched>::blocked_cycles(EndpointId endpoint, std::uint64_t now) const {
  const Terminal& source = terminals_.at(endpoint.value());
  if (!source.blocked_now || now == source.done) return source.blocked;
  if (now > source.done) return source.blocked + (now - source.done);
  return source.blocked - (source.done - now);
}

template <unsigned W, bool Watched>
std::string RouterEngine<W, Watched>::leftovers() {
  std::string text;
  for_each_bit(touched_routers_, [&](std::uint32_t r) {
    const Router& router = routers_[r];
    for (std::uint32_t c = 0; c < router.port_count * vcs_; ++c) {
      const auto place = [&](const char* side) {
        return fmt::format("router {} {} {} vc {}: ", r, side, port_of_[c], vc_of_[c]);
      };
      if (const std::uint32_t flits = stored(router, c, next_); flits || router.occupied.contains(c))
        text += place("input") + fmt::format("{} flits\n", flits);
      if ((router.arriving | router.sending | router.requesting | router.granted | router.active).contains(c))
        text += place("input") + "not at rest\n";
      if (fork_of(r, c) != kNoSlot) text += place("input") + "a multicast packet\n";
      if (!router.free_vcs.contains(c)) text += place("output") + "held by a packet\n";
      if (const std::uint32_t left = credits(router, c, next_); left != buffer_)
        text += place("output") + fmt::format("{} of {} credits\n", left, buffer_);
    }
  });
  for_each_bit(touched_terminals_, [&](std::uint32_t e) {
    catch_up_terminal(e, next_);
    if (terminals_[e].waiting) text += fmt::format("endpoint {}: {} packets\n", e, terminals_[e].waiting);
    for (std::uint32_t v = 0; v < vcs_; ++v)
      if (const std::uint32_t left = terminal_credits_[e * vcs_ + v]; left != buffer_)
        text += fmt::format("endpoint {} vc {}: {} of {} credits\n", e, v, left, buffer_);
  });
  return text;
}

/// The multicast packet at the front of an input channel, or kNoSlot.
template <unsigned W, bool Watched>
std::uint32_t RouterEngine<W, Watched>::fork_of(std::uint32_t router, std::uint32_t channel) const {
  std::uint32_t fork = routers_[router].forks;
  while (fork != kNoSlot && forks_[fork].channel != channel) fork = forks_[fork].next;
  return fork;
}

/// A head without an output VC waits for the owners of those it could take, a packet without credits (the
/// branch of a multicast without enough) for the buffer that its flits go to. Channels are numbered router *
/// channels_ + channel.
template <unsigned W, bool Watched>
std::vector<std::uint32_t> RouterEngine<W, Watched>::waits_for(std::uint32_t index,
                                                               std::uint32_t channel) const {
  std::vector<std::uint32_t> result;
  const Router& router = routers_[index];
  const auto first = static_cast<std::uint32_t>(first_channel(index));
  const auto owners_of = [&](const Channels& wanted) {
    for (const std::uint32_t out : wanted)
      if (outputs_[first + out].owner != kNoChannel) result.push_back(first + outputs_[first + out].owner);
  };
  const auto buffer_behind = [&](std::uint32_t out) {
    const OutputVc& output = outputs_[first + out];
    if (output.kind == PortKind::link)
      result.push_back(static_cast<std::uint32_t>(first_channel(output.flits_on.router)) +
                       output.flits_on.channel);
  };
  if (const std::uint32_t fork = fork_of(index, channel); fork != kNoSlot) {
    for (const Branch& branch : branches_of(fork)) {
      if (branch.out == kNoChannel)
        owners_of(Channels::from_bits(branch.vcs, branch.port * vcs_));
      else if (branch.sent == 0 && credits(router, branch.out, next_) < forks_[fork].flits)
        buffer_behind(branch.out);
    }
  } else if (router.requesting.contains(channel)) {
    owners_of(wanted_[first + channel]);
  } else if (router.active.contains(channel) && !router.credit_ok.contains(channel)) {
    buffer_behind(inputs_[first + channel].out);
  }
  return result;
}

template <unsigned W, bool Watched>
std::string RouterEngine<W, Watched>::describe(std::uint32_t router, std::uint32_t channel) const {
  std::uint32_t slot = inputs_[first_channel(router) + channel].packet;
  bool for_vc = routers_[router].requesting.contains(channel);
  if (const std::uint32_t fork = fork_of(router, channel); fork != kNoSlot) {
    for (const Branch& branch : branches_of(fork)) {
      if (branch.sent != 0) continue;
      slot = branch.slot;
      for_vc = branch.out == kNoChannel;
    }
  }
  const Packet& packet = packets_[slot];
  return fmt::format("router {} input {} vc {}: {} flits, packet {} -> {}, {}\n", router, port_of_[channel],
                     vc_of_[channel], stored(routers_[router], channel, next_), packet.source.value(),
                     packet.destination.value(), for_vc ? "waits for an output VC" : "waits for credits");
}

template <unsigned W, bool Watched>
std::string RouterEngine<W, Watched>::deadlock_report() const {
  // Depth first; a channel met again on the current path closes a circle.
  enum class Mark : std::uint8_t { unseen, on_path, done };
  struct Visit {
    std::uint32_t channel;
    std::vector<std::uint32_t> next;
  };
  const auto waits = [this](std::uint32_t channel) {
    return waits_for(channel / channels_, channel % channels_);
  };
  const auto channels = static_cast<std::uint32_t>(inputs_.size());
  std::vector<Mark> marks(channels, Mark::unseen);
  for (std::uint32_t start = 0; start < channels; ++start) {
    if (marks[start] != Mark::unseen) continue;
    std::vector<Visit> path;
    path.push_back({start, waits(start)});
    marks[start] = Mark::on_path;
    while (!path.empty()) {
      if (path.back().next.empty()) {
        marks[path.back().channel] = Mark::done;
        path.pop_back();
        continue;
      }
      const std::uint32_t next = path.back().next.back();
      path.back().next.pop_back();
      if (marks[next] == Mark::on_path) {
        std::string text;
        auto it =
            std::find_if(path.begin(), path.end(), [next](const Visit& v) { return v.channel == next; });
        for (; it != path.end(); ++it) text += describe(it->channel / channels_, it->channel % channels_);
        return text;
      }
      if (marks[next] == Mark::unseen) {
        marks[next] = Mark::on_path;
        path.push_back({next, waits(next)});
      }
    }
  }
  return {};
}

}  // namespace dfsim
