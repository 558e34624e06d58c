#include "sim/noc/textbook/router.h"

#include <algorithm>

namespace dfsim::textbook {
namespace {

/// Ports between routers come first.
std::uint32_t link_ports(const NocSpec& spec) { return 2 * spec.graph.dimensions; }

/// The first of `count` places from `pointer` on, cyclically, for which `is` holds; `count` if there is none.
template <class Predicate>
std::uint32_t round_robin(std::uint32_t count, std::uint32_t pointer, Predicate is) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t place = (pointer + i) % count;
    if (is(place)) return place;
  }
  return count;
}

}  // namespace

Router::Router(sc_core::sc_module_name name, const NocSpec& spec, const RoutingFunction& routing,
               Listener& listener, std::uint32_t index, std::uint32_t ports, std::uint32_t message_classes)
    : sc_module(name),
      flit_in("flit_in", ports),
      flit_out("flit_out", ports),
      credit_in("credit_in", ports),
      credit_out("credit_out", ports),
      spec_(spec),
      routing_(routing),
      listener_(listener),
      index_(index),
      port_count_(ports),
      vcs_(spec.virtual_channels),
      classes_(message_classes),
      early_(spec.preset == RouterPreset::lookahead || spec.preset == RouterPreset::spec),
      speculative_(spec.preset == RouterPreset::spec),
      hold_(spec.arbitration == SwitchArbitration::packet_hold) {
  reset();
  SC_METHOD(step);
  sensitive << clock;
  dont_initialize();
}

void Router::reset() {
  inputs_.assign(std::size_t{port_count_} * vcs_, InputVc{});
  outputs_.assign(std::size_t{port_count_} * vcs_, OutputVc{});
  for (OutputVc& out : outputs_) out.credits = spec_.buffer_flits;
  ports_.assign(port_count_, Port{});
  stalls_ = StallCycles{};
  last_cycle_ = 0;
}

// Everything is decided on the state at the start of the cycle, with what arrives in it.
void Router::step() {
  const std::uint64_t now = clock.read();
  if (now == kNoCycle) return;
  last_cycle_ = now;
  take_in(now);
  const std::vector<std::uint32_t> grants = allocate_vcs(now);
  const std::vector<Match> matches = allocate_switch(now);
  std::uint32_t ready = 0;
  for (const InputVc& in : inputs_) {
    if (!asks_for_switch(in, now)) continue;
    if (output(in.out_port, in.out_vc).credits)
      ++ready;
    else
      ++stalls_.no_credit;
  }
  for (Port& port : ports_) port.moved = false;
  for (std::uint32_t p = 0; p < port_count_; ++p) {
    flit_out[p].write(Flit{});
    credit_out[p].write(Credit{});
  }
  for (const Match& match : matches)
    if (move(match, grants, now) && !match.speculative) --ready;
  stalls_.lost_arbitration += ready;
  give_vcs(grants, now);
}

void Router::take_in(std::uint64_t now) {
  for (std::uint32_t p = 0; p < port_count_; ++p) {
    if (const Flit flit = flit_in[p].read(); flit.valid) {
      input(p, flit.vc).buffer.push_back(flit);
      listener_.busy();
    }
    if (const Credit credit = credit_in[p].read(); credit.valid) {
      ++output(p, credit.vc).credits;
      listener_.busy();
    }
    for (std::uint32_t v = 0; v < vcs_; ++v) {
      InputVc& in = input(p, v);
      if (in.state != InputVc::State::idle || in.buffer.empty()) continue;
      in.state = InputVc::State::waiting;
      in.ready_at = early_ ? now : now + 1;
      compute_route(in, p, v);
      listener_.busy();
    }
  }
}

void Router::compute_route(InputVc& in, std::uint32_t port, std::uint32_t vc) {
  const Journey& packet = listener_.journey(in.buffer.front().packet);
  const std::uint32_t first = packet.message_class * vcs_ / classes_;
  const std::uint32_t count = (packet.message_class + 1) * vcs_ / classes_ - first;
  in.options = RouteOptions{};
  if (packet.router == index_) return in.options.add(packet.port, vc_mask(first, count));
  routing_.route({.router = index_,
                  .destination = packet.router,
                  .in_port = static_cast<std::uint8_t>(port),
                  .in_vc = static_cast<std::uint8_t>(vc),
                  .first_vc = static_cast<std::uint8_t>(first),
                  .vc_count = static_cast<std::uint8_t>(count),
                  .coins = packet.coins},
                 in.options);
}

bool Router::asks_for_vc(const InputVc& in, std::uint64_t now) const {
  return in.state == InputVc::State::waiting && in.ready_at <= now;
}

bool Router::wants(const InputVc& in, std::uint32_t out) const {
  for (std::uint32_t k = 0; k < in.options.count; ++k)
    if (in.options.options[k].port == out / vcs_ && (in.options.options[k].vcs >> (out % vcs_) & 1))
      return true;
  return false;
}

bool Router::asks_for_switch(const InputVc& in, std::uint64_t now) const {
  return in.state == InputVc::State::active && in.ready_at <= now && !in.buffer.empty();
}

/// iSLIP, one iteration: each free output VC grants, each input VC accepts. Returns the output VC by input
/// VC.
std::vector<std::uint32_t> Router::allocate_vcs(std::uint64_t now) {
  const auto channels = static_cast<std::uint32_t>(inputs_.size());
  std::vector<std::uint32_t> granted_to(channels, kNone), result(channels, kNone);
  if (std::none_of(inputs_.begin(), inputs_.end(), [&](const InputVc& in) { return asks_for_vc(in, now); }))
    return result;
  for (std::uint32_t out = 0; out < channels; ++out) {
    if (outputs_[out].owner != kNone) continue;
    const std::uint32_t in = round_robin(channels, outputs_[out].grant_pointer, [&](std::uint32_t i) {
      return asks_for_vc(inputs_[i], now) && wants(inputs_[i], out);
    });
    if (in < channels) granted_to[out] = in;
  }
  for (std::uint32_t in = 0; in < channels; ++in) {
    if (!asks_for_vc(inputs_[in], now)) continue;
    const std::uint32_t out = round_robin(channels, inputs_[in].accept_pointer,
                                          [&](std::uint32_t o) { return granted_to[o] == in; });
    if (out == channels) {
      ++stalls_.no_vc;
      continue;
    }
    result[in] = out;
    inputs_[in].accept_pointer = (out + 1) % channels;
    outputs_[out].grant_pointer = (in + 1) % channels;
  }
  return result;
}

/// The VC of input `in` that asks for output `out`: a packet that owns a VC there, or else a head that asks
/// for a VC there that is free and has a credit (speculative). kNone if there is none.
std::uint32_t Router::candidate(std::uint32_t in, std::uint32_t out, std::uint64_t now,
                                bool& speculative) const {
  speculative = false;
  const std::uint32_t pointer = ports_[in].vc_pointer;
  std::uint32_t vc = round_robin(vcs_, pointer, [&](std::uint32_t v) {
    const InputVc& i = input(in, v);
    return asks_for_switch(i, now) && i.out_port == out && output(out, i.out_vc).credits != 0;
  });
  if (vc < vcs_) return vc;
  if (!speculative_) return kNone;
  speculative = true;
  vc = round_robin(vcs_, pointer, [&](std::uint32_t v) {
    if (!asks_for_vc(input(in, v), now)) return false;
    for (std::uint32_t o = 0; o < vcs_; ++o)
      if (output(out, o).owner == kNone && output(out, o).credits && wants(input(in, v), out * vcs_ + o))
        return true;
    return false;
  });
  return vc < vcs_ ? vc : kNone;
}

/// Packets that hold the switch go first; then iSLIP, one iteration, over the other ports.
std::vector<Router::Match> Router::allocate_switch(std::uint64_t now) {
  std::vector<Match> result;
  if (std::all_of(inputs_.begin(), inputs_.end(), [](const InputVc& in) { return in.buffer.empty(); })) {
    for (Port& port : ports_) port.held_vc = kNone;
    return result;
  }
  std::vector<bool> busy_in(port_count_), busy_out(port_count_);
  for (std::uint32_t p = 0; p < port_count_ && hold_; ++p) {
    if (ports_[p].held_vc == kNone) continue;
    const InputVc& in = input(p, ports_[p].held_vc);
    if (!asks_for_switch(in, now) || output(in.out_port, in.out_vc).credits == 0) {
      ports_[p].held_vc = kNone;
      continue;
    }
    busy_in[p] = busy_out[in.out_port] = true;
    result.push_back({p, ports_[p].held_vc, in.out_port, false});
  }
  bool speculative = false;
  std::vector<std::uint32_t> granted_to(port_count_, kNone);
  for (std::uint32_t out = 0; out < port_count_; ++out) {
    if (busy_out[out]) continue;
    const std::uint32_t in = round_robin(port_count_, ports_[out].grant_pointer, [&](std::uint32_t p) {
      return !busy_in[p] && candidate(p, out, now, speculative) != kNone;
    });
    if (in < port_count_) granted_to[out] = in;
  }
  for (std::uint32_t in = 0; in < port_count_; ++in) {
    const std::uint32_t out = round_robin(port_count_, ports_[in].accept_pointer,
                                          [&](std::uint32_t o) { return granted_to[o] == in; });
    if (out == port_count_) continue;
    const std::uint32_t vc = candidate(in, out, now, speculative);
    result.push_back({in, vc, out, speculative});
    ports_[in].vc_pointer = (vc + 1) % vcs_;
    ports_[in].accept_pointer = (out + 1) % port_count_;
    ports_[out].grant_pointer = (in + 1) % port_count_;
  }
  return result;
}

void Router::give_vcs(const std::vector<std::uint32_t>& grants, std::uint64_t now) {
  for (std::uint32_t i = 0; i < grants.size(); ++i) {
    // A head that has gone in the cycle of its grant is dealt with.
    if (grants[i] == kNone || inputs_[i].state != InputVc::State::waiting) continue;
    inputs_[i].state = InputVc::State::active;
    inputs_[i].ready_at = now + 1;
    inputs_[i].out_port = grants[i] / vcs_;
    inputs_[i].out_vc = grants[i] % vcs_;
    outputs_[grants[i]].owner = i;
    listener_.busy();
  }
}

/// Lets a flit go. False if the slot is lost: the head got no VC of this output, or one without a credit.
bool Router::move(const Match& match, const std::vector<std::uint32_t>& grants, std::uint64_t now) {
  InputVc& in = input(match.in_port, match.vc);
  const std::uint32_t channel = match.in_port * vcs_ + match.vc;
  if (match.speculative) {
    const std::uint32_t out = grants[channel];
    if (out == kNone || out / vcs_ != match.out_port || outputs_[out].credits == 0) return false;
    in.state = InputVc::State::active;
    in.ready_at = now + 1;
    in.out_port = out / vcs_;
    in.out_vc = out % vcs_;
    outputs_[out].owner = channel;
  }
  listener_.busy();
  OutputVc& out = output(in.out_port, in.out_vc);
  Flit flit = in.buffer.front();
  in.buffer.pop_front();
  --out.credits;
  ports_[match.in_port].held_vc = flit.tail ? kNone : match.vc;
  ++ports_[match.out_port].flits;
  ports_[match.out_port].moved = true;
  credit_out[match.in_port].write({true, static_cast<std::uint8_t>(match.vc)});
  flit.vc = static_cast<std::uint8_t>(in.out_vc);
  flit_out[match.out_port].write(flit);
  if (flit.head && match.out_port < link_ports(spec_)) ++listener_.journey(flit.packet).event.hops;
  if (!flit.tail) return true;
  in.state = InputVc::State::idle;
  out.owner = kNone;
  return true;
}

std::uint64_t Router::flits(std::uint32_t port, std::uint64_t now) const {
  return ports_[port].flits - (ports_[port].moved && last_cycle_ >= now ? 1 : 0);
}

std::vector<Router::Wait> Router::waits() const {
  std::vector<Wait> result;
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    const InputVc& in = inputs_[i];
    if (in.state == InputVc::State::idle || in.buffer.empty()) continue;
    Wait wait{i / vcs_, i % vcs_, static_cast<std::uint32_t>(in.buffer.size()), in.buffer.front().packet,
              false,    {}};
    if (in.state == InputVc::State::waiting) {
      wait.for_vc = true;
      for (std::uint32_t o = 0; o < outputs_.size(); ++o)
        if (wants(in, o) && outputs_[o].owner != kNone)
          wait.owners.emplace_back(outputs_[o].owner / vcs_, outputs_[o].owner % vcs_);
    } else if (output(in.out_port, in.out_vc).credits == 0) {
      wait.out_port = in.out_port;
      wait.out_vc = in.out_vc;
    } else {
      continue;
    }
    result.push_back(std::move(wait));
  }
  return result;
}

}  // namespace dfsim::textbook
