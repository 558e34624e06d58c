// Which heads get which output virtual channels.
#include "sim/noc/core/masks.h"
#include "sim/noc/core/network_core.h"

namespace dfsim {
namespace {

constexpr std::uint16_t kNoDistance = 0xFFFF;

/// From `pointer` to `place`, counting round `all` places.
std::uint32_t steps_ahead(std::uint32_t pointer, std::uint32_t place, std::uint32_t all) {
  return place >= pointer ? place - pointer : place + all - pointer;
}

}  // namespace

// iSLIP, one iteration, over (input VC) x (output VC): every free output VC grants the first requester from
// its pointer on, every input VC accepts the first grant from its pointer on, and matched pointers move one
// beyond.
NetworkCore::VcOutcome NetworkCore::allocate_vcs(std::uint32_t index) {
  const std::size_t first_channel = std::size_t{index} * stride_ * vcs_;
  const RouterState& router = routers_[index];
  PortState* const ports = &ports_[std::size_t{index} * stride_];
  const InputVc* const inputs = &inputs_[first_channel];
  const OutputVc* const outputs = &outputs_[first_channel];
  const RouteOptions* const routes = &routes_[first_channel];
  VcOutcome outcome;
  std::uint32_t requesters = 0;
  std::uint32_t wanted_ports = 0;
  for (std::uint32_t rest = router.requesting_ports; rest; rest &= rest - 1) {
    const std::uint32_t p = lowest(rest);
    for (std::uint32_t vcs = ports[p].requesting; vcs; vcs &= vcs - 1) {
      const std::uint32_t channel = p * vcs_ + lowest(vcs);
      const RouteOptions& route = routes[channel];
      std::uint32_t wanted = 0;
      for (std::uint32_t i = 0; i < route.count; ++i)
        if (ports[route.options[i].port].free_vcs & route.options[i].vcs)
          wanted |= 1u << route.options[i].port;
      if (wanted == 0) {
        ++outcome.refused;
        continue;
      }
      wanted_ports |= wanted;
      requesters_[requesters++] = {static_cast<std::uint16_t>(channel), kNoDistance, 0, 0};
    }
  }
  if (requesters == 1 && routes[requesters_[0].input].count == 1) {
    allocate_vc(index, requesters_[0].input);
    return outcome;
  }

  const std::uint32_t all = router.ports * vcs_;
  for (std::uint32_t rest = wanted_ports; rest; rest &= rest - 1) {
    const std::uint32_t out = lowest(rest);
    for (std::uint32_t free = ports[out].free_vcs; free; free &= free - 1) {
      const std::uint32_t out_vc = lowest(free);
      const std::uint32_t target = out * vcs_ + out_vc;
      const std::uint32_t pointer = outputs[target].grant_pointer;
      Requester* granted = nullptr;
      std::uint32_t nearest = all;
      for (std::uint32_t i = 0; i < requesters; ++i) {
        const RouteOptions& route = routes[requesters_[i].input];
        bool asks = false;
        for (std::uint32_t k = 0; k < route.count; ++k)
          asks |= route.options[k].port == out && (route.options[k].vcs >> out_vc & 1);
        if (!asks) continue;
        const std::uint32_t distance = steps_ahead(pointer, requesters_[i].input, all);
        if (distance >= nearest) continue;
        nearest = distance;
        granted = &requesters_[i];
      }
      if (!granted) continue;
      const std::uint32_t distance = steps_ahead(inputs[granted->input].accept_pointer, target, all);
      if (distance >= granted->best_distance) continue;
      granted->best_distance = static_cast<std::uint16_t>(distance);
      granted->out = static_cast<std::uint8_t>(out);
      granted->out_vc = static_cast<std::uint8_t>(out_vc);
    }
  }
  for (std::uint32_t i = 0; i < requesters; ++i) {
    const Requester& winner = requesters_[i];
    if (winner.best_distance == kNoDistance) {
      ++outcome.refused;
      outcome.contest = true;
    } else {
      grant(index, winner.input, winner.out, winner.out_vc);
    }
  }
  return outcome;
}

// Nobody else asks: all free VCs of the output grant, and the first from the pointer on is accepted.
void NetworkCore::allocate_vc(std::uint32_t router, std::uint32_t channel) {
  const std::size_t first_port = std::size_t{router} * stride_;
  const RouteOption& option = routes_[first_port * vcs_ + channel].options[0];
  const std::uint32_t first = option.port * vcs_;
  const std::uint32_t accept = inputs_[first_port * vcs_ + channel].accept_pointer;
  const std::uint32_t mask = ports_[first_port + option.port].free_vcs & option.vcs;
  grant(router, channel, option.port,
        round_robin(mask, accept > first && accept < first + vcs_ ? accept - first : 0));
}

void NetworkCore::grant(std::uint32_t index, std::uint32_t channel, std::uint32_t out, std::uint32_t out_vc) {
  RouterState& router = routers_[index];
  const std::size_t first_port = std::size_t{index} * stride_;
  const std::uint32_t all = router.ports * vcs_;
  const std::uint32_t target = out * vcs_ + out_vc;
  const std::uint32_t in = channel / vcs_, vc = channel % vcs_, bit = 1u << vc;
  InputVc& input = inputs_[first_port * vcs_ + channel];
  OutputVc& output = outputs_[first_port * vcs_ + target];
  output.grant_pointer = static_cast<std::uint16_t>(channel + 1 == all ? 0 : channel + 1);
  input.accept_pointer = static_cast<std::uint16_t>(target + 1 == all ? 0 : target + 1);
  PortState& port = ports_[first_port + in];
  port.requesting &= ~bit;
  if (port.requesting == 0) router.requesting_ports &= ~(1u << in);
  port.granted |= bit;
  router.granted_ports |= 1u << in;
  ports_[first_port + out].free_vcs &= ~(1u << out_vc);
  output.owner_port = static_cast<std::uint8_t>(in);
  output.owner_vc = static_cast<std::uint8_t>(vc);
  port.credit_ok = output.credits ? port.credit_ok | bit : port.credit_ok & ~bit;
  input.out_port = static_cast<std::uint8_t>(out);
  input.out_vc = static_cast<std::uint8_t>(out_vc);
  input.at_head = true;
}

}  // namespace dfsim
