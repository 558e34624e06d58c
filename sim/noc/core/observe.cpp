// What the network has counted, and who waits for whom.
#include <fmt/format.h>

#include <algorithm>

#include "sim/noc/core/bit_set.h"
#include "sim/noc/core/network_core.h"

namespace dfsim {

void NetworkCore::settle(std::uint64_t end) { next_ = std::min(std::max(end, next_), next_activity()); }

NocCounters NetworkCore::counters(std::uint64_t end) {
  settle(end);
  for_each_bit(touched_routers_, [this](std::uint32_t r) { catch_up_router(r, next_); });
  for_each_bit(touched_terminals_, [this](std::uint32_t e) { catch_up_terminal(e, next_); });
  NocCounters result;
  result.packets_injected = packets_injected_;
  result.packets_ejected = packets_ejected_;
  for (const Terminal& terminal : terminals_) result.flits_injected += terminal.sent;
  for (const RouterState& router : routers_) {
    result.stalls.no_credit += router.stalls.no_credit;
    result.stalls.lost_arbitration += router.stalls.lost_arbitration;
    result.stalls.no_vc += router.stalls.no_vc;
  }
  for (const PortState& port : ports_) {
    result.flit_hops += port.flits;
    if (port.kind == PortKind::local) result.flits_ejected += port.flits;
  }
  return result;
}

std::vector<std::uint64_t> NetworkCore::link_flits(std::uint64_t end) {
  settle(end);
  for_each_bit(touched_routers_, [this](std::uint32_t r) { catch_up_router(r, next_); });
  std::vector<std::uint64_t> result;
  result.reserve(link_ports_.size());
  for (const std::uint32_t port : link_ports_) result.push_back(ports_[port].flits);
  return result;
}

std::uint64_t NetworkCore::flits_sent_by(EndpointId endpoint, std::uint64_t end) {
  settle(end);
  catch_up_terminal(endpoint.value(), next_);
  return terminals_.at(endpoint.value()).sent;
}

std::uint64_t NetworkCore::flits_ejected_to(EndpointId endpoint, std::uint64_t end) {
  const PortState& port = ports_[terminals_.at(endpoint.value()).port];
  settle(end);
  catch_up_router(port.router, next_);
  return port.flits;
}

std::uint64_t NetworkCore::blocked_cycles(EndpointId endpoint, std::uint64_t now) const {
  const Terminal& source = terminals_.at(endpoint.value());
  if (!source.blocked_now || now == source.done) return source.blocked;
  if (now > source.done) return source.blocked + (now - source.done);
  return source.blocked - (source.done - now);
}

// A head without an output VC waits for the owners of those it could take, a packet without credits for the
// buffer that its flits go to.
std::string NetworkCore::deadlock_report() const {
  const auto channels = static_cast<std::uint32_t>(inputs_.size());
  const auto waits_for = [this](std::uint32_t channel) {
    std::vector<std::uint32_t> result;
    const PortState& port = ports_[channel / vcs_];
    const std::uint32_t bit = 1u << (channel % vcs_);
    const std::uint32_t first = port.router * stride_;
    if (port.requesting & bit) {
      for (std::uint32_t k = 0; k < routes_[channel].count; ++k) {
        const RouteOption& option = routes_[channel].options[k];
        for (std::uint32_t vc = 0; vc < vcs_; ++vc) {
          const OutputVc& output = outputs_[(first + option.port) * vcs_ + vc];
          if ((option.vcs >> vc & 1) && output.owner_port != kNoOwner)
            result.push_back((first + output.owner_port) * vcs_ + output.owner_vc);
        }
      }
    } else if ((port.active & bit) && !(port.credit_ok & bit)) {
      const InputVc& input = inputs_[channel];
      const PortState& out = ports_[first + input.out_port];
      if (out.kind == PortKind::link) result.push_back(out.flit_target * vcs_ + input.out_vc);
    }
    return result;
  };
  const auto describe = [this](std::uint32_t channel) {
    const PortState& port = ports_[channel / vcs_];
    const InputVc& input = inputs_[channel];
    const Packet& packet = packets_[input.packet];
    return fmt::format(
        "router {} input {} vc {}: {} flits, packet {} -> {}, {}\n", port.router, port.index, channel % vcs_,
        input.count, packet.source.value(), packet.destination.value(),
        port.requesting >> (channel % vcs_) & 1 ? "waits for an output VC" : "waits for credits");
  };
  // Depth first; a channel met again on the current path closes a circle.
  enum class Mark : std::uint8_t { unseen, on_path, done };
  struct Visit {
    std::uint32_t channel;
    std::vector<std::uint32_t> next;
  };
  std::vector<Mark> marks(channels, Mark::unseen);
  for (std::uint32_t start = 0; start < channels; ++start) {
    if (marks[start] != Mark::unseen) continue;
    std::vector<Visit> path;
    path.push_back({start, waits_for(start)});
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
        for (; it != path.end(); ++it) text += describe(it->channel);
        return text;
      }
      if (marks[next] == Mark::unseen) {
        marks[next] = Mark::on_path;
        path.push_back({next, waits_for(next)});
      }
    }
  }
  return {};
}

}  // namespace dfsim
