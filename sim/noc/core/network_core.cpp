#include "sim/noc/core/network_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "sim/base/errors.h"
#include "sim/noc/core/bit_set.h"

namespace dfsim {
namespace {

/// Ports that a router needs: two per dimension, then one per endpoint.
std::vector<std::uint32_t> ports_per_router(const NocSpec& spec) {
  std::vector<std::uint32_t> ports(spec.graph.router_count(), 2 * spec.graph.dimensions);
  for (const EndpointSpec& endpoint : spec.endpoints) ++ports.at(endpoint.router.value());
  return ports;
}

std::uint32_t route_cycles(RouterPreset preset) {
  return preset == RouterPreset::lookahead || preset == RouterPreset::spec ? 0 : 1;
}

/// Timers of streams end within this many cycles or are set again.
constexpr std::uint32_t kLeastWheel = 256;

std::uint32_t wheel_size(const NocSpec& spec) {
  const std::uint32_t longest =
      std::max({spec.link_latency_cycles + 2, spec.credit_latency_cycles + spec.credit_processing_cycles + 1,
                spec.credit_processing_cycles + 5});
  return std::bit_ceil(std::max(kLeastWheel, longest + 2));
}

}  // namespace

std::string refuse_network(const NocSpec& spec, std::uint32_t message_classes) {
  const RoutingRegistry::Entry* entry = RoutingRegistry::instance().find(spec.routing);
  if (!entry) return fmt::format("unknown routing '{}'", spec.routing);
  const std::unique_ptr<RoutingFunction> routing = entry->make();
  if (std::string reason = routing->refuse(spec.graph); !reason.empty()) return reason;
  const std::uint32_t needed = message_classes * routing->routing_classes(spec.graph);
  if (spec.virtual_channels < needed)
    return fmt::format(
        "{} virtual channels are too few: {} message class{} times {} routing class{} on a {} need {}",
        spec.virtual_channels, message_classes, message_classes == 1 ? "" : "es",
        routing->routing_classes(spec.graph), routing->routing_classes(spec.graph) == 1 ? "" : "es",
        spec.graph.topology, needed);
  if (spec.virtual_channels > kMaxVirtualChannels)
    return fmt::format("{} virtual channels are more than the {} that a router can have",
                       spec.virtual_channels, kMaxVirtualChannels);
  if (spec.buffer_flits < 1 || spec.buffer_flits > 4096) return "a buffer holds 1 to 4096 flits";
  if (spec.link_latency_cycles < 1 || spec.credit_latency_cycles < 1)
    return "link and credit latency are at least 1 cycle";
  if (spec.link_latency_cycles > 100'000 || spec.credit_latency_cycles > 100'000 ||
      spec.credit_processing_cycles > 100'000)
    return "a latency is at most 100000 cycles";
  for (const EndpointSpec& endpoint : spec.endpoints)
    if (endpoint.router.value() >= spec.graph.router_count())
      return "an endpoint names a router that is not there";
  for (const std::uint32_t ports : ports_per_router(spec))
    if (ports > kMaxPorts)
      return fmt::format("a router has {} ports, more than the {} that are possible", ports, kMaxPorts);
  return {};
}

NetworkCore::NetworkCore(const NocSpec& spec, const RoutingFunction& routing, Options options)
    : spec_(spec),
      routing_(routing),
      options_(options),
      vcs_(spec.virtual_channels),
      buffer_(spec.buffer_flits),
      early_route_(route_cycles(spec.preset) == 0),
      flit_delay_(2 + spec.link_latency_cycles),
      credit_delay_(1 + spec.credit_latency_cycles + spec.credit_processing_cycles),
      terminal_credit_delay_(2),
      ejection_credit_delay_(3 + 2 + spec.credit_processing_cycles),
      ejection_delay_(3),
      injection_delay_(2),
      wheel_(wheel_size(spec)) {
  if (std::string reason = refuse_network(spec, options.message_classes); !reason.empty())
    throw SimulationError("network: " + reason);
  for (std::uint32_t c = 0; c <= options.message_classes; ++c)
    class_first_.push_back(c * vcs_ / options.message_classes);
  build_ports();
  const std::size_t routers = routers_.size();
  awake_routers_.assign((routers + 63) / 64, 0);
  touched_routers_ = awake_routers_;
  awake_terminals_.assign((terminals_.size() + 63) / 64, 0);
  touched_terminals_ = awake_terminals_;
  for (std::uint32_t r = 0; r < routers; ++r) clear_router(r);
  for (std::uint32_t e = 0; e < terminals_.size(); ++e) clear_terminal(e);
  requesters_.resize(std::size_t{kMaxPorts} * vcs_);
}

void NetworkCore::build_ports() {
  const std::vector<std::uint32_t> ports = ports_per_router(spec_);
  stride_ = *std::max_element(ports.begin(), ports.end());
  routers_.resize(ports.size());
  ports_.resize(ports.size() * stride_);
  for (std::uint32_t r = 0; r < ports.size(); ++r) {
    routers_[r].ports = static_cast<std::uint8_t>(ports[r]);
    for (std::uint32_t p = 0; p < stride_; ++p) {
      ports_[r * stride_ + p].router = r;
      ports_[r * stride_ + p].index = static_cast<std::uint8_t>(p);
    }
  }
  for (const Link& link : spec_.graph.links) {
    const std::uint32_t from = link.from.value() * stride_ + link.port_out;
    const std::uint32_t to = link.to.value() * stride_ + link.port_in;
    ports_[from].kind = ports_[to].kind = PortKind::link;
    ports_[from].flit_target = to;
    ports_[to].credit_target = from;
    link_ports_.push_back(from);
  }
  terminals_.resize(spec_.endpoints.size());
  std::vector<std::uint32_t> next(ports.size(), 2 * spec_.graph.dimensions);
  for (std::uint32_t e = 0; e < terminals_.size(); ++e) {
    const std::uint32_t router = spec_.endpoints[e].router.value();
    terminals_[e].port = router * stride_ + next[router]++;
    PortState& port = ports_[terminals_[e].port];
    port.kind = PortKind::local;
    port.flit_target = port.credit_target = e;
  }
  const std::size_t channels = ports_.size() * vcs_;
  queue_capacity_ = std::bit_ceil(buffer_);
  inputs_.resize(channels);
  outputs_.resize(channels);
  routes_.resize(channels);
  head_queues_.resize(channels * queue_capacity_);
  queues_.resize(terminals_.size() * options_.message_classes);
  terminal_credits_.resize(terminals_.size() * vcs_);
}

void NetworkCore::clear_router(std::uint32_t router) {
  const std::uint8_t ports = routers_[router].ports;
  routers_[router] = RouterState{};
  routers_[router].ports = ports;
  for (std::uint32_t p = router * stride_; p < router * stride_ + ports; ++p) {
    PortState fresh;
    fresh.flit_target = ports_[p].flit_target;
    fresh.credit_target = ports_[p].credit_target;
    fresh.kind = ports_[p].kind;
    fresh.index = ports_[p].index;
    fresh.router = router;
    fresh.free_vcs = fresh.credited = vc_mask(0, vcs_);
    ports_[p] = fresh;
    for (std::uint32_t v = p * vcs_; v < (p + 1) * vcs_; ++v) {
      inputs_[v] = InputVc{};
      outputs_[v] = OutputVc{};
      outputs_[v].credits = static_cast<std::uint16_t>(buffer_);
    }
  }
}

void NetworkCore::clear_terminal(std::uint32_t terminal) {
  const std::uint32_t port = terminals_[terminal].port;
  terminals_[terminal] = Terminal{};
  terminals_[terminal].port = port;
  for (std::uint32_t c = 0; c < options_.message_classes; ++c) {
    SourceQueue& queue = queues_[terminal * options_.message_classes + c];
    queue = SourceQueue{};
    queue.last_vc = static_cast<std::uint8_t>(class_vcs(c) - 1);  // the first packet takes VC 0
  }
  std::fill_n(terminal_credits_.begin() + terminal * vcs_, vcs_, static_cast<std::uint16_t>(buffer_));
}

void NetworkCore::reset() {
  for_each_bit(touched_routers_, [this](std::uint32_t r) { clear_router(r); });
  for_each_bit(touched_terminals_, [this](std::uint32_t e) { clear_terminal(e); });
  for (auto* bits : {&awake_routers_, &awake_terminals_, &touched_routers_, &touched_terminals_})
    std::fill(bits->begin(), bits->end(), 0);
  wheel_.clear_all();
  events_.clear();
  arrived_slots_.clear();
  free_slots_ = kNoSlot;
  used_slots_ = 0;
  now_ = next_ = event_cycle_ = 0;
  packets_injected_ = packets_ejected_ = 0;
  any_awake_ = false;
}

std::uint32_t NetworkCore::take_slot(const Packet& packet) {
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

void NetworkCore::free_slot(std::uint32_t slot) {
  slots_[slot].next = free_slots_;
  free_slots_ = slot;
}

void NetworkCore::inject(const Packet& packet, std::uint64_t cycle, std::uint32_t coins) {
  const auto message_class =
      options_.message_classes == 1 ? 0u : static_cast<std::uint32_t>(packet.message_class);
  const std::uint32_t source = packet.source.value();
  const std::uint32_t destination = packet.destination.value();
  if (source >= terminals_.size() || destination >= terminals_.size() || packet.flits == 0 ||
      message_class >= options_.message_classes)
    throw SimulationError(
        fmt::format("network: packet of {} flits, class {}, from endpoint {} to {} of {} cannot be sent",
                    packet.flits, message_class, source, destination, terminals_.size()));
  if (!any_awake_ && cycle > next_) next_ = std::min(cycle, wheel_.next_after(next_ - 1));
  if (cycle < next_ || cycle - next_ > wheel_.horizon() - 1)
    throw SimulationError(fmt::format("network: packet for cycle {}, but cycle {} comes next", cycle, next_));

  const std::uint32_t slot = take_slot(packet);
  const PortState& port = ports_[terminals_[destination].port];
  slots_[slot] = PacketSlot{.flits = packet.flits,
                            .router = port.router,
                            .coins = coins,
                            .next = kNoSlot,
                            .hops = 0,
                            .port = port.index,
                            .message_class = static_cast<std::uint8_t>(message_class),
                            .notify_left = packet.notify_left,
                            .created = cycle,
                            .entered = 0};
  SourceQueue& queue = queues_[source * options_.message_classes + message_class];
  (queue.first == kNoSlot ? queue.first : slots_[queue.last].next) = slot;
  queue.last = slot;
  ++packets_injected_;
  ++terminals_[source].waiting;
  set_bit(touched_terminals_, source);
  // A source that is sending looks for the next packet by itself when it has done.
  if (cycle == next_) {
    if (terminals_[source].sending && options_.message_classes == 1) return;
    now_ = cycle;
    wake_terminal(source);
    any_awake_ = true;
  } else {
    wheel_.post(cycle).injections.push_back(source);
  }
}

}  // namespace dfsim
