#include "sim/noc/textbook/router.h"

#include <algorithm>
#include <map>
#include <utility>

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
  forked_ = forked_now_ = 0;
  last_cycle_ = 0;
}

// Everything is decided on the state at the start of the cycle, with what arrives in it.
void Router::step() {
  const std::uint64_t now = clock.read();
  if (now == kNoCycle) return;
  last_cycle_ = now;
  take_in(now);
  const bool idle =
      std::all_of(inputs_.begin(), inputs_.end(), [](const InputVc& in) { return in.branches.empty(); });
  const std::vector<Grant> grants = idle ? std::vector<Grant>{} : allocate_vcs(now);
  const std::vector<Match> matches = idle ? std::vector<Match>{} : allocate_switch(now);
  std::uint64_t ready = 0;
  for (const InputVc& in : inputs_) {
    for (const Branch& branch : in.branches) {
      if (!asks_for_switch(in, branch, now)) continue;
      ++(has_room(branch) ? ready : stalls_.no_credit);
    }
  }
  for (Port& port : ports_) port.moved = false;
  for (std::uint32_t p = 0; p < port_count_; ++p) {
    flit_out[p].write(Flit{});
    credit_out[p].write(Credit{});
  }
  for (const Match& match : matches)
    if (move(match, grants, now) && !match.speculative) --ready;
  stalls_.lost_arbitration += ready;
  free_slots();
  // A head that has gone in the cycle of its grant is dealt with.
  for (const Grant& grant : grants) {
    const InputVc& in = inputs_[grant.input];
    if (!in.branches.empty() && in.branches[grant.branch].state == Branch::State::waiting)
      activate(grant, now);
  }
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
      if (!in.branches.empty() || in.buffer.empty()) continue;
      compute_routes(in, p, v);
      for (Branch& branch : in.branches) branch.ready_at = early_ ? now : now + 1;
      listener_.busy();
    }
  }
}

RouteOptions Router::route_to(const Journey& packet, std::uint32_t router, std::uint32_t local_port,
                              std::uint32_t port, std::uint32_t vc) const {
  const std::uint32_t first = packet.message_class * vcs_ / classes_;
  const std::uint32_t count = (packet.message_class + 1) * vcs_ / classes_ - first;
  RouteOptions options;
  if (router == index_) {
    options.add(local_port, vc_mask(first, count));
    return options;
  }
  routing_.route({.router = index_,
                  .destination = router,
                  .in_port = static_cast<std::uint8_t>(port),
                  .in_vc = static_cast<std::uint8_t>(vc),
                  .first_vc = static_cast<std::uint8_t>(first),
                  .vc_count = static_cast<std::uint8_t>(count),
                  .coins = packet.coins},
                 options);
  return options;
}

void Router::compute_routes(InputVc& in, std::uint32_t port, std::uint32_t vc) {
  in.packet = in.buffer.front().packet;
  const Journey& packet = listener_.journey(in.packet);
  if (packet.multicast()) return compute_fork(in, port, vc);
  Branch branch;
  branch.packet = in.packet;
  branch.options = route_to(packet, packet.router, packet.port, port, vc);
  in.branches.push_back(branch);
}

/// A branch per output port. All destinations behind one port go the same way; the farthest one in its
/// dimension says which VCs may be taken.
void Router::compute_fork(InputVc& in, std::uint32_t port, std::uint32_t vc) {
  std::map<std::uint32_t, std::vector<EndpointId>> leaves;  // by output port
  std::map<std::uint32_t, std::pair<std::uint32_t, RouteOptions>> farthest;
  const Journey packet = listener_.journey(in.packet);
  for (const EndpointId leaf : packet.leaves) {
    const Listener::Place place = listener_.place_of(leaf);
    const RouteOptions options = route_to(packet, place.router, place.port, port, vc);
    const std::uint32_t out = options.options[0].port;
    const std::uint32_t steps =
        out < link_ports(spec_) ? steps_along(spec_.graph, index_, place.router, out) : 0;
    leaves[out].push_back(leaf);
    if (const auto it = farthest.find(out); it == farthest.end() || it->second.first < steps)
      farthest[out] = {steps, options};
  }
  for (const auto& [out, endpoints] : leaves) {
    Branch branch;
    branch.packet = listener_.copy(in.packet);
    branch.options = farthest[out].second;
    branch.room = packet.room();
    Journey& copy = listener_.journey(branch.packet);
    if (out < link_ports(spec_))
      copy.leaves = endpoints;
    else
      copy.event.packet.destination = endpoints.front();
    in.branches.push_back(branch);
  }
}

bool Router::asks_for_vc(const Branch& branch, std::uint64_t now) const {
  return branch.state == Branch::State::waiting && branch.ready_at <= now;
}

bool Router::wants(const Branch& branch, std::uint32_t out) const {
  for (std::uint32_t k = 0; k < branch.options.count; ++k)
    if (branch.options.options[k].port == out / vcs_ && (branch.options.options[k].vcs >> (out % vcs_) & 1))
      return true;
  return false;
}

bool Router::asks_for_switch(const InputVc& in, const Branch& branch, std::uint64_t now) const {
  return branch.state == Branch::State::active && branch.ready_at <= now && branch.next < in.buffer.size();
}

bool Router::has_room(const Branch& branch) const {
  return output(branch.out_port, branch.out_vc).credits >= branch.room;
}

/// iSLIP, one iteration: each free output VC grants an input VC, each branch of it accepts.
std::vector<Router::Grant> Router::allocate_vcs(std::uint64_t now) {
  const auto channels = static_cast<std::uint32_t>(inputs_.size());
  const auto asks = [&](std::uint32_t in, std::uint32_t out) {
    for (const Branch& branch : inputs_[in].branches)
      if (asks_for_vc(branch, now) && wants(branch, out)) return true;
    return false;
  };
  std::vector<std::uint32_t> granted_to(channels, kNone);
  const bool nobody = std::none_of(inputs_.begin(), inputs_.end(), [&](const InputVc& in) {
    return std::any_of(in.branches.begin(), in.branches.end(),
                       [&](const Branch& branch) { return asks_for_vc(branch, now); });
  });
  if (nobody) return {};
  for (std::uint32_t out = 0; out < channels; ++out) {
    if (outputs_[out].owner != kNone) continue;
    const std::uint32_t in =
        round_robin(channels, outputs_[out].grant_pointer, [&](std::uint32_t i) { return asks(i, out); });
    if (in < channels) granted_to[out] = in;
  }
  std::vector<Grant> result;
  for (std::uint32_t in = 0; in < channels; ++in) {
    const std::uint32_t pointer = inputs_[in].accept_pointer;
    for (std::uint32_t b = 0; b < inputs_[in].branches.size(); ++b) {
      const Branch& branch = inputs_[in].branches[b];
      if (!asks_for_vc(branch, now)) continue;
      const std::uint32_t out = round_robin(
          channels, pointer, [&](std::uint32_t o) { return granted_to[o] == in && wants(branch, o); });
      if (out == channels) {
        ++stalls_.no_vc;
        continue;
      }
      result.push_back({in, b, out});
      inputs_[in].accept_pointer = (out + 1) % channels;
      outputs_[out].grant_pointer = (in + 1) % channels;
    }
  }
  return result;
}

/// The first VC of input `in` that asks for output `out`: for a packet that owns a VC there, or else for a
/// head that asks for a VC there that is free and has room (speculative). If VC `keeper` keeps the input,
/// only further branches of its packet may ask.
Router::Candidate Router::candidate(std::uint32_t in, std::uint32_t out, std::uint32_t keeper,
                                    std::uint64_t now) const {
  Candidate result;
  const auto find = [&](auto is) {
    const std::uint32_t vc = round_robin(vcs_, ports_[in].vc_pointer, [&](std::uint32_t v) {
      if (keeper != kNone && v != keeper) return false;
      for (std::uint32_t b = 0; b < input(in, v).branches.size(); ++b) {
        result.branch = b;
        if (is(input(in, v), input(in, v).branches[b])) return true;
      }
      return false;
    });
    result.vc = vc < vcs_ ? vc : kNone;
    return vc < vcs_;
  };
  if (find([&](const InputVc& i, const Branch& branch) {
        return asks_for_switch(i, branch, now) && branch.out_port == out && has_room(branch);
      }))
    return result;
  result.speculative = true;
  if (speculative_)
    find([&](const InputVc&, const Branch& branch) {
      if (!asks_for_vc(branch, now)) return false;
      for (std::uint32_t o = 0; o < vcs_; ++o)
        if (output(out, o).owner == kNone && output(out, o).credits >= branch.room &&
            wants(branch, out * vcs_ + o))
          return true;
      return false;
    });
  return result;
}

/// packet_hold: those that have the switch and can move. Returns, by input port, the VC that keeps it.
std::vector<std::uint32_t> Router::keep_switch(std::uint64_t now, std::vector<bool>& busy_out,
                                               std::vector<Match>& result) {
  std::vector<std::uint32_t> keeper(port_count_, kNone);
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    for (std::uint32_t b = 0; b < inputs_[i].branches.size(); ++b) {
      Branch& branch = inputs_[i].branches[b];
      branch.held = branch.held && asks_for_switch(inputs_[i], branch, now) && has_room(branch);
      if (!branch.held) continue;
      keeper[i / vcs_] = i % vcs_;
      busy_out[branch.out_port] = true;
      result.push_back({i / vcs_, i % vcs_, branch.out_port, b, false});
    }
  }
  return keeper;
}

/// Packets that hold the switch go first; then iSLIP, one iteration, over the other ports. A VC that an input
/// accepts is read by all its branches that have a grant.
std::vector<Router::Match> Router::allocate_switch(std::uint64_t now) {
  std::vector<Match> result;
  std::vector<bool> busy_out(port_count_);
  const std::vector<std::uint32_t> keeper = keep_switch(now, busy_out, result);
  const auto asks = [&](std::uint32_t in, std::uint32_t out) { return candidate(in, out, keeper[in], now); };
  std::vector<std::uint32_t> granted_to(port_count_, kNone);
  for (std::uint32_t out = 0; out < port_count_; ++out) {
    if (busy_out[out]) continue;
    const std::uint32_t in = round_robin(port_count_, ports_[out].grant_pointer,
                                         [&](std::uint32_t p) { return asks(p, out).vc != kNone; });
    if (in < port_count_) granted_to[out] = in;
  }
  for (std::uint32_t in = 0; in < port_count_; ++in) {
    const std::uint32_t first = round_robin(port_count_, ports_[in].accept_pointer,
                                            [&](std::uint32_t o) { return granted_to[o] == in; });
    if (first == port_count_) continue;
    const Candidate accepted = asks(in, first);
    for (std::uint32_t out = 0; out < port_count_; ++out) {
      if (granted_to[out] != in) continue;
      const Candidate other = asks(in, out);
      if (out != first && (other.vc != accepted.vc || other.branch == accepted.branch)) continue;
      result.push_back({in, other.vc, out, other.branch, other.speculative});
      ports_[out].grant_pointer = (in + 1) % port_count_;
    }
    ports_[in].vc_pointer = (accepted.vc + 1) % vcs_;
    ports_[in].accept_pointer = (first + 1) % port_count_;
  }
  return result;
}

void Router::activate(const Grant& grant, std::uint64_t now) {
  Branch& branch = inputs_[grant.input].branches[grant.branch];
  branch.state = Branch::State::active;
  branch.ready_at = now + 1;
  branch.out_port = grant.output / vcs_;
  branch.out_vc = grant.output % vcs_;
  outputs_[grant.output].owner = grant.input;
  listener_.busy();
}

/// Lets a flit go. False if the slot is lost: the head got no VC of this output, or one without room.
bool Router::move(const Match& match, const std::vector<Grant>& grants, std::uint64_t now) {
  InputVc& in = input(match.in_port, match.vc);
  Branch& branch = in.branches[match.branch];
  if (match.speculative) {
    const auto grant = std::find_if(grants.begin(), grants.end(), [&](const Grant& g) {
      return g.input == match.in_port * vcs_ + match.vc && g.branch == match.branch;
    });
    if (grant == grants.end() || grant->output / vcs_ != match.out_port ||
        outputs_[grant->output].credits < branch.room)
      return false;
    activate(*grant, now);
  }
  listener_.busy();
  OutputVc& out = output(branch.out_port, branch.out_vc);
  Flit flit = in.buffer[branch.next++];
  ++in.moved;
  --out.credits;
  branch.room = 1;
  branch.held = hold_ && !flit.tail;
  ++ports_[match.out_port].flits;
  ports_[match.out_port].moved = true;
  flit.vc = static_cast<std::uint8_t>(branch.out_vc);
  flit.packet = branch.packet;
  flit_out[match.out_port].write(flit);
  if (flit.head && match.out_port < link_ports(spec_)) ++listener_.journey(flit.packet).event.hops;
  listener_.moved(index_, match.out_port, branch.out_vc, flit.packet, now, flit.tail);
  if (!flit.tail) return true;
  branch.state = Branch::State::done;
  out.owner = kNone;
  return true;
}

/// A slot of a buffer is free once the last branch has read it; reading what stays there makes a copy.
void Router::free_slots() {
  forked_now_ = 0;
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    InputVc& in = inputs_[i];
    if (in.moved == 0) continue;
    forked_now_ += std::exchange(in.moved, 0);
    if (std::any_of(in.branches.begin(), in.branches.end(), [](const Branch& b) { return b.next == 0; }))
      continue;
    --forked_now_;
    const bool tail = in.buffer.front().tail;
    in.buffer.pop_front();
    for (Branch& branch : in.branches) --branch.next;
    if (tail && in.branches.front().packet != in.packet) listener_.forked(in.packet);
    if (tail) in.branches.clear();
    credit_out[i / vcs_].write({true, static_cast<std::uint8_t>(i % vcs_)});
  }
  forked_ += forked_now_;
}

std::uint64_t Router::flits(std::uint32_t port, std::uint64_t now) const {
  return ports_[port].flits - (ports_[port].moved && last_cycle_ >= now ? 1 : 0);
}

std::vector<Router::Wait> Router::waits() const {
  std::vector<Wait> result;
  for (std::uint32_t i = 0; i < inputs_.size(); ++i) {
    const InputVc& in = inputs_[i];
    for (const Branch& branch : in.branches) {
      if (branch.state == Branch::State::done || in.buffer.empty()) continue;
      Wait wait{i / vcs_, i % vcs_, static_cast<std::uint32_t>(in.buffer.size()), branch.packet, false, {}};
      if (branch.state == Branch::State::waiting) {
        wait.for_vc = true;
        for (std::uint32_t o = 0; o < outputs_.size(); ++o)
          if (wants(branch, o) && outputs_[o].owner != kNone)
            wait.owners.emplace_back(outputs_[o].owner / vcs_, outputs_[o].owner % vcs_);
      } else if (!has_room(branch)) {
        wait.out_port = branch.out_port;
        wait.out_vc = branch.out_vc;
      } else {
        continue;
      }
      result.push_back(std::move(wait));
    }
  }
  return result;
}

}  // namespace dfsim::textbook
