// Which virtual channels move a flit through the switch where several want to.
#include "sim/noc/core/masks.h"
#include "sim/noc/core/network_core.h"

namespace dfsim {

// iSLIP, one iteration, over the ports that no packet keeps (busy_in, busy_out). The candidate of an (input,
// output) pair is the first VC that asks, from the input's pointer on; with Spec, packets that own a VC go
// before heads that ask for one.
template <bool Hold, bool Spec>
NetworkCore::SwitchOutcome NetworkCore::match_ports(std::uint32_t router, std::uint32_t busy_in,
                                                    std::uint32_t busy_out, std::uint32_t ready_vcs,
                                                    Move* moves, std::uint32_t kept) {
  PortState* const ports = &ports_[std::size_t{router} * stride_];
  const InputVc* const inputs = &inputs_[std::size_t{router} * stride_ * vcs_];
  const std::uint32_t vcs = vcs_;
  std::uint32_t taken = kept;
  std::uint8_t candidates[kMaxPorts * kMaxPorts];  // [input * kMaxPorts + output]: VC
  std::uint32_t requests[kMaxPorts];               // by output: inputs
  std::uint32_t normal[kMaxPorts];  // by input: outputs asked for by packets that own a VC there
  std::uint32_t outs = 0, asked = 0;
  const RouteOptions* routes = &routes_[std::size_t{router} * stride_ * vcs_];
  for (std::uint32_t rest = routers_[router].occupied_ports & ~busy_in; rest; rest &= rest - 1) {
    const std::uint32_t p = lowest(rest);
    const PortState& port = ports[p];
    const std::uint32_t ready = port.active & port.occupied & port.credit_ok;
    std::uint32_t seen = 0;
    const auto ask = [&](std::uint32_t out, std::uint32_t vc) {
      if (seen >> out & 1) return;
      seen |= 1u << out;
      candidates[p * kMaxPorts + out] = static_cast<std::uint8_t>(vc);
      requests[out] = (outs >> out & 1 ? requests[out] : 0) | 1u << p;
      outs |= 1u << out;
    };
    const std::uint32_t high = bits_from(ready, port.vc_pointer);
    for (std::uint32_t part : {high, ready ^ high}) {
      for (; part; part &= part - 1) {
        const std::uint32_t vc = lowest(part);
        const std::uint32_t out = inputs[p * vcs + vc].out_port;
        if (Hold && (busy_out >> out & 1)) continue;
        ++asked;
        ask(out, vc);
      }
    }
    if constexpr (Spec) {
      normal[p] = seen;
      const std::uint32_t high_heads = bits_from(port.requesting, port.vc_pointer);
      for (std::uint32_t part : {high_heads, port.requesting ^ high_heads}) {
        for (; part; part &= part - 1) {
          const std::uint32_t vc = lowest(part);
          const RouteOptions& route = routes[p * vcs_ + vc];
          for (std::uint32_t k = 0; k < route.count; ++k) {
            const PortState& out = ports[route.options[k].port];
            if (Hold && (busy_out >> route.options[k].port & 1)) continue;
            if (out.free_vcs & out.credited & route.options[k].vcs) ask(route.options[k].port, vc);
          }
        }
      }
    }
  }

  std::uint32_t grants[kMaxPorts];  // by input: outputs
  std::uint32_t granted = 0;
  for (std::uint32_t rest = outs; rest; rest &= rest - 1) {
    const std::uint32_t out = lowest(rest);
    const std::uint32_t in = round_robin(requests[out], ports[out].grant_pointer);
    grants[in] = (granted >> in & 1 ? grants[in] : 0) | 1u << out;
    granted |= 1u << in;
  }
  for (std::uint32_t rest = granted; rest; rest &= rest - 1) {
    const std::uint32_t in = lowest(rest);
    const std::uint32_t out = round_robin(grants[in], ports[in].accept_pointer);
    const bool speculative = Spec && !(normal[in] >> out & 1);
    const std::uint32_t vc = candidates[in * kMaxPorts + out];
    ports[in].vc_pointer = static_cast<std::uint8_t>(vc + 1);
    ports[in].accept_pointer = static_cast<std::uint8_t>(out + 1);
    ports[out].grant_pointer = static_cast<std::uint8_t>(in + 1);
    moves[taken++] = Move(in, vc, out, speculative);
    if (!speculative) --asked;
  }
  // Under packet_hold those that met a held port go on losing; else all that lost try again with new
  // pointers.
  return {taken, Hold ? asked : ready_vcs - (taken - kept)};
}

template NetworkCore::SwitchOutcome NetworkCore::match_ports<false, false>(std::uint32_t, std::uint32_t,
                                                                           std::uint32_t, std::uint32_t,
                                                                           Move*, std::uint32_t);
template NetworkCore::SwitchOutcome NetworkCore::match_ports<false, true>(std::uint32_t, std::uint32_t,
                                                                          std::uint32_t, std::uint32_t, Move*,
                                                                          std::uint32_t);
template NetworkCore::SwitchOutcome NetworkCore::match_ports<true, false>(std::uint32_t, std::uint32_t,
                                                                          std::uint32_t, std::uint32_t, Move*,
                                                                          std::uint32_t);
template NetworkCore::SwitchOutcome NetworkCore::match_ports<true, true>(std::uint32_t, std::uint32_t,
                                                                         std::uint32_t, std::uint32_t, Move*,
                                                                         std::uint32_t);

}  // namespace dfsim
