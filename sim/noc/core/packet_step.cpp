// What happens once per packet and router: its head arrives, gets a route, comes to the front; its tail
// leaves.
#include "sim/noc/core/masks.h"
#include "sim/noc/core/network_core.h"

namespace dfsim {

void NetworkCore::take_head(std::uint32_t router, std::uint32_t port, std::uint32_t vc, std::uint32_t slot) {
  const std::size_t channel = (std::size_t{router} * stride_ + port) * vcs_ + vc;
  InputVc& input = inputs_[channel];
  if (input.left == 0) return start_front(router, port, vc, slot);
  const std::uint32_t place = (input.queue_first + input.queue_size++) & (queue_capacity_ - 1);
  head_queues_[channel * queue_capacity_ + place] = slot;
}

// A packet has come to the front of its buffer; it asks for an output VC in the next VC allocation.
void NetworkCore::start_front(std::uint32_t router, std::uint32_t port, std::uint32_t vc,
                              std::uint32_t slot) {
  InputVc& input = inputs_[(std::size_t{router} * stride_ + port) * vcs_ + vc];
  input.packet = slot;
  input.left = slots_[slot].flits;
  compute_route(router, port, vc);
  ports_[std::size_t{router} * stride_ + port].requesting |= 1u << vc;
  routers_[router].requesting_ports |= 1u << port;
}

void NetworkCore::compute_route(std::uint32_t router, std::uint32_t port, std::uint32_t vc) {
  const std::size_t channel = (std::size_t{router} * stride_ + port) * vcs_ + vc;
  const PacketSlot& packet = slots_[inputs_[channel].packet];
  RouteOptions& options = routes_[channel];
  options.count = 0;
  const std::uint32_t first = first_vc(packet.message_class);
  const std::uint32_t amount = class_vcs(packet.message_class);
  if (packet.router == router) return options.add(packet.port, vc_mask(first, amount));
  routing_.route({.router = router,
                  .destination = packet.router,
                  .in_port = static_cast<std::uint8_t>(port),
                  .in_vc = static_cast<std::uint8_t>(vc),
                  .first_vc = static_cast<std::uint8_t>(first),
                  .vc_count = static_cast<std::uint8_t>(amount),
                  .coins = packet.coins},
                 options);
}

// The cycle of the grant is over, or its switch allocation is: the head may ask for the switch in the next.
void NetworkCore::activate_granted(std::uint32_t index) {
  RouterState& router = routers_[index];
  for (std::uint32_t rest = router.granted_ports; rest; rest &= rest - 1) {
    PortState& port = ports_[std::size_t{index} * stride_ + lowest(rest)];
    port.active |= port.granted;
    port.granted = 0;
  }
  router.granted_ports = 0;
}

// The tail has won the switch: its output VC may be asked for from the next cycle on. Returns whether another
// packet is behind it.
bool NetworkCore::finish_packet(std::uint32_t router, Move move) {
  const std::size_t first = std::size_t{router} * stride_;
  PortState& in = ports_[first + move.in()];
  PortState& out = ports_[first + move.out()];
  const InputVc& input = inputs_[(first + move.in()) * vcs_ + move.vc()];
  routers_[router].held &= ~(1u << move.in());
  in.active &= ~(1u << move.vc());
  out.free_vcs |= 1u << input.out_vc;
  outputs_[(first + move.out()) * vcs_ + input.out_vc].owner_port = kNoOwner;
  if (out.kind == PortKind::local)
    wheel_.post(now_ + ejection_delay_).notices.push_back({input.packet, true});
  return input.queue_size != 0;
}

// Behind each tail the next packet comes to the front: with an RC stage it takes the next cycle for that and
// asks in the one after it, else it asks in the next cycle.
void NetworkCore::start_next_fronts(std::uint32_t router, const Move* moves, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t channel = (std::size_t{router} * stride_ + moves[i].in()) * vcs_ + moves[i].vc();
    InputVc& input = inputs_[channel];
    if (input.left != 0 || input.queue_size == 0) continue;
    const std::uint32_t slot = head_queues_[channel * queue_capacity_ + input.queue_first];
    input.queue_first = static_cast<std::uint16_t>((input.queue_first + 1u) & (queue_capacity_ - 1));
    --input.queue_size;
    start_front(router, moves[i].in(), moves[i].vc(), slot);
  }
}

}  // namespace dfsim
