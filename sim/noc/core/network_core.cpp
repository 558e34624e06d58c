#include "sim/noc/core/network_core.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sim/base/errors.h"
#include "sim/noc/core/engine.h"

namespace dfsim {

std::vector<std::uint32_t> ports_per_router(const NocSpec& spec) {
  std::vector<std::uint32_t> ports(spec.graph.router_count(), 2 * spec.graph.dimensions);
  for (const EndpointSpec& endpoint : spec.endpoints) ++ports.at(endpoint.router.value());
  return ports;
}

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
  if (spec.graph.router_count() > kMaxRouters)
    return fmt::format("{} routers are more than the {} that are possible", spec.graph.router_count(),
                       kMaxRouters);
  for (const std::uint32_t ports : ports_per_router(spec))
    if (ports > kMaxPorts)
      return fmt::format("a router has {} ports, more than the {} that are possible", ports, kMaxPorts);
  return {};
}

std::string refuse_packet(const NocSpec& spec, const RoutingFunction& routing, std::uint32_t message_classes,
                          const Packet& packet) {
  const auto endpoints = static_cast<std::uint32_t>(spec.endpoints.size());
  const std::uint32_t message_class =
      message_classes == 1 ? 0u : static_cast<std::uint32_t>(packet.message_class);
  const bool several = packet.destinations.size() > 1;
  bool known = packet.source.value() < endpoints &&
               (several || !packet.destinations.empty() || packet.destination.value() < endpoints);
  for (const EndpointId leaf : packet.destinations) known = known && leaf.value() < endpoints;
  const auto describe = [&](const char* problem) {
    return fmt::format("packet of {} flits, class {}, from endpoint {} to {} of {}: {}", packet.flits,
                       message_class, packet.source.value(),
                       several ? fmt::format("{} destinations", packet.destinations.size())
                               : fmt::format("{}", packet.destination.value()),
                       endpoints, problem);
  };
  if (!known) return describe("no such endpoint");
  if (packet.flits == 0) return describe("a packet has at least one flit");
  if (message_class >= message_classes) return describe("no such message class");
  if (!several) return {};
  if (!routing.forks()) return describe("the routing has no multicast");
  if (packet.flits > spec.buffer_flits) return describe("a multicast packet fits into a buffer");
  for (std::size_t i = 1; i < packet.destinations.size(); ++i)
    if (packet.destinations[i] <= packet.destinations[i - 1])
      return describe("destinations are in ascending order");
  return {};
}

NetworkCore::NetworkCore(const NocSpec& spec, const RoutingFunction& routing, Options options)
    : spec_(spec), routing_(routing), options_(options) {
  if (std::string reason = refuse_network(spec, options.message_classes); !reason.empty())
    throw SimulationError("network: " + reason);
  make_engine<false>();
}

template <bool Watched>
void NetworkCore::make_engine() {
  const std::vector<std::uint32_t> ports = ports_per_router(spec_);
  const std::uint32_t channels = *std::max_element(ports.begin(), ports.end()) * spec_.virtual_channels;
  if (channels <= 64)
    engine_ = std::make_unique<RouterEngine<1, Watched>>(spec_, routing_, options_);
  else if (channels <= 128)
    engine_ = std::make_unique<RouterEngine<2, Watched>>(spec_, routing_, options_);
  else
    engine_ = std::make_unique<RouterEngine<kMaxChannels / 64, Watched>>(spec_, routing_, options_);
}

NetworkCore::~NetworkCore() = default;

void NetworkCore::inject(const Packet& packet, std::uint64_t cycle, std::uint32_t coins) {
  engine_->inject(packet, cycle, coins);
}
bool NetworkCore::run_until(std::uint64_t last) { return engine_->run_until(last); }
std::span<const NocEvent> NetworkCore::events() const { return engine_->events; }
std::uint64_t NetworkCore::event_cycle() const { return engine_->event_cycle; }
std::uint64_t NetworkCore::next_activity() const { return engine_->next_activity(); }
std::uint64_t NetworkCore::packets_in_flight() const {
  return engine_->arrivals_due - engine_->packets_ejected;
}
NocCounters NetworkCore::counters(std::uint64_t end) { return engine_->counters(end); }
std::vector<std::uint64_t> NetworkCore::link_flits(std::uint64_t end) { return engine_->link_flits(end); }
std::uint64_t NetworkCore::flits_sent_by(EndpointId endpoint, std::uint64_t end) {
  return engine_->flits_sent_by(endpoint, end);
}
std::uint64_t NetworkCore::flits_ejected_to(EndpointId endpoint, std::uint64_t end) {
  return engine_->flits_ejected_to(endpoint, end);
}
void NetworkCore::sample_buffers(std::uint64_t end, BufferSamples& samples) {
  engine_->sample_buffers(end, samples);
}
std::uint64_t NetworkCore::blocked_cycles(EndpointId endpoint, std::uint64_t now) const {
  return engine_->blocked_cycles(endpoint, now);
}
void NetworkCore::watch_flits(bool watch) { watch ? make_engine<true>() : make_engine<false>(); }
std::vector<FlitRun> NetworkCore::take_flit_runs() { return std::exchange(engine_->flit_runs, {}); }
void NetworkCore::reset() { engine_->reset(); }
std::string NetworkCore::deadlock_report() const { return engine_->deadlock_report(); }
std::string NetworkCore::leftovers() { return engine_->leftovers(); }
std::uint64_t NetworkCore::evaluations() const { return engine_->evaluations; }

}  // namespace dfsim
