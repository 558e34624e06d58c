#include "sim/noc/textbook/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "sim/base/errors.h"

namespace dfsim::textbook {
namespace {

// From the cycle of the switch, or of sending, to that of arrival.
std::uint32_t flit_delay(const NocSpec& spec) { return 2 + spec.link_latency_cycles; }
std::uint32_t credit_delay(const NocSpec& spec) {
  return 1 + spec.credit_latency_cycles + spec.credit_processing_cycles;
}
std::uint32_t sink_credit_delay(const NocSpec& spec) { return 2 + spec.credit_processing_cycles; }
constexpr std::uint32_t kInjectionDelay = 2, kEjectionDelay = 3, kSourceCreditDelay = 2;
/// From arrival to the switch at most, with a margin.
constexpr std::uint32_t kPipelineCycles = 8;

}  // namespace

Network::Network(sc_core::sc_module_name name, const NocSpec& spec, const RoutingFunction& routing,
                 std::uint32_t message_classes, std::uint64_t period_ticks)
    : sc_module(name),
      spec_(spec),
      routing_(routing),
      classes_(message_classes),
      period_ticks_(period_ticks),
      quiet_cycles_(std::max({flit_delay(spec), credit_delay(spec), sink_credit_delay(spec)}) +
                    kPipelineCycles),
      clock_("clock", kNoCycle) {
  if (std::string reason = refuse_network(spec, message_classes); !reason.empty())
    throw SimulationError("network: " + reason);
  build_routers();
  connect_routers();
  connect_terminals();
  SC_METHOD(tick);
  sensitive << tick_;
  dont_initialize();
  SC_METHOD(tell);
  sensitive << tell_;
  dont_initialize();
}

void Network::build_routers() {
  std::vector<std::uint32_t> ports(spec_.graph.router_count(), 2 * spec_.graph.dimensions);
  for (const EndpointSpec& endpoint : spec_.endpoints)
    terminal_ports_.push_back(ports[endpoint.router.value()]++);
  for (std::uint32_t r = 0; r < ports.size(); ++r) {
    routers_.push_back(std::make_unique<Router>(fmt::format("router_{}", r).c_str(), spec_, routing_,
                                                static_cast<Listener&>(*this), r, ports[r], classes_));
    routers_.back()->clock(clock_);
  }
}

Channel<Flit>& Network::join_flits(std::uint32_t delay) {
  const std::string name = fmt::format("flits_{}", flit_channels_.size());
  flit_channels_.push_back(std::make_unique<Channel<Flit>>(name.c_str(), delay));
  flit_channels_.back()->clock(clock_);
  return *flit_channels_.back();
}

Channel<Credit>& Network::join_credits(std::uint32_t delay) {
  const std::string name = fmt::format("credits_{}", credit_channels_.size());
  credit_channels_.push_back(std::make_unique<Channel<Credit>>(name.c_str(), delay));
  credit_channels_.back()->clock(clock_);
  return *credit_channels_.back();
}

void Network::connect_routers() {
  std::vector<std::array<bool, 6>> out(routers_.size()), in(routers_.size());
  for (const Link& link : spec_.graph.links) {
    Router& from = *routers_[link.from.value()];
    Router& to = *routers_[link.to.value()];
    Channel<Flit>& flits = join_flits(flit_delay(spec_));
    from.flit_out[link.port_out](flits.in);
    to.flit_in[link.port_in](flits.out);
    Channel<Credit>& credits = join_credits(credit_delay(spec_));
    to.credit_out[link.port_in](credits.in);
    from.credit_in[link.port_out](credits.out);
    out[link.from.value()][link.port_out] = in[link.to.value()][link.port_in] = true;
  }
  const auto open = [this](auto& port, auto& wires, auto wire) {
    const std::string name = fmt::format("open_{}_{}", open_flits_.size(), open_credits_.size());
    wires.push_back(std::make_unique<Wire<decltype(wire)>>(name.c_str()));
    port(*wires.back());
  };
  for (std::uint32_t r = 0; r < routers_.size(); ++r) {
    for (std::uint32_t p = 0; p < 2 * spec_.graph.dimensions; ++p) {
      if (!out[r][p]) open(routers_[r]->flit_out[p], open_flits_, Flit{});
      if (!out[r][p]) open(routers_[r]->credit_in[p], open_credits_, Credit{});
      if (!in[r][p]) open(routers_[r]->flit_in[p], open_flits_, Flit{});
      if (!in[r][p]) open(routers_[r]->credit_out[p], open_credits_, Credit{});
    }
  }
}

void Network::connect_terminals() {
  for (std::uint32_t e = 0; e < spec_.endpoints.size(); ++e) {
    terminals_.push_back(std::make_unique<Terminal>(fmt::format("terminal_{}", e).c_str(), spec_,
                                                    static_cast<Listener&>(*this), classes_));
    Terminal& terminal = *terminals_.back();
    Router& router = *routers_[spec_.endpoints[e].router.value()];
    const std::uint32_t port = terminal_ports_[e];
    terminal.clock(clock_);
    Channel<Flit>& injection = join_flits(kInjectionDelay);
    terminal.flit_out(injection.in);
    router.flit_in[port](injection.out);
    Channel<Credit>& source_credits = join_credits(kSourceCreditDelay);
    router.credit_out[port](source_credits.in);
    terminal.credit_in(source_credits.out);
    Channel<Flit>& ejection = join_flits(kEjectionDelay);
    router.flit_out[port](ejection.in);
    terminal.flit_in(ejection.out);
    Channel<Credit>& sink_credits = join_credits(sink_credit_delay(spec_));
    terminal.credit_out(sink_credits.in);
    router.credit_in[port](sink_credits.out);
  }
}

void Network::reset() {
  tick_.cancel();
  tell_.cancel();
  for (auto& router : routers_) router->reset();
  for (auto& terminal : terminals_) terminal->reset();
  for (auto& channel : flit_channels_) channel->reset();
  for (auto& channel : credit_channels_) channel->reset();
  clock_.write(kNoCycle);
  journeys_.clear();
  events_.clear();
  packets_injected_ = packets_ejected_ = arrivals_due_ = 0;
  last_busy_ = 0;
  scheduled_ = kNoCycle;
  edge_ = false;
  flit_runs_.clear();
  if (watching_) merger_.clear();
  base_ticks_ = sc_core::sc_time_stamp().value();
}

std::uint64_t Network::current_cycle() const {
  return (sc_core::sc_time_stamp().value() - base_ticks_) / period_ticks_;
}

void Network::schedule(std::uint64_t cycle) {
  if (cycle >= scheduled_) return;
  scheduled_ = cycle;
  tick_.notify(sc_core::sc_time::from_value(base_ticks_ + cycle * period_ticks_) - sc_core::sc_time_stamp());
}

void Network::inject(const Packet& packet, std::uint64_t cycle, std::uint32_t coins) {
  if (std::string reason = refuse_packet(spec_, routing_, classes_, packet); !reason.empty())
    throw SimulationError("network: " + reason);
  const std::uint32_t message_class = classes_ == 1 ? 0u : static_cast<std::uint32_t>(packet.message_class);
  const std::uint32_t source = packet.source.value();
  const std::uint32_t index = journeys_.take();
  Journey& journey = journeys_[index];
  journey = Journey{};
  journey.event.packet = packet;
  journey.event.packet.destinations = {};
  journey.event.created = cycle;
  journey.coins = coins;
  journey.message_class = message_class;
  if (packet.destinations.size() > 1) {
    journey.leaves.assign(packet.destinations.begin(), packet.destinations.end());
  } else {
    if (!packet.destinations.empty()) journey.event.packet.destination = packet.destinations.front();
    const Place place = place_of(journey.event.packet.destination);
    journey.router = place.router;
    journey.port = place.port;
  }
  terminals_[source]->enqueue(index, message_class);
  ++packets_injected_;
  arrivals_due_ += std::max<std::size_t>(1, packet.destinations.size());
  last_busy_ = std::max(last_busy_, cycle);
  schedule(cycle);
}

std::uint32_t Network::copy(std::uint32_t packet) {
  const std::uint32_t index = journeys_.take();
  journeys_[index] = journeys_[packet];
  journeys_[index].leaves.clear();
  return index;
}

void Network::tick() {
  scheduled_ = kNoCycle;
  if (packets_injected_ == 0) return;  // left over from a run that was cut off
  const std::uint64_t now = current_cycle();
  clock_.write(now);
  edge_ = true;
  tell_.notify(sc_core::SC_ZERO_TIME);
  if (now <= last_busy_ + quiet_cycles_) schedule(now + 1);
}

void Network::arrived(std::uint32_t packet) {
  NocEvent event = journeys_[packet].event;
  event.kind = NocEvent::Kind::arrived;
  events_.emplace_back(clock_.read(), event);
  journeys_.give_back(packet);
  ++packets_ejected_;
}

void Network::watch_flits(bool watch) {
  watching_ = watch;
  if (watch) merger_ = FlitMerger(spec_);
}

void Network::moved(std::uint32_t router, std::uint32_t port, std::uint32_t vc, std::uint32_t packet,
                    std::uint64_t cycle, bool tail) {
  if (watching_)
    merger_.add(router, port, vc, journeys_[packet].event.packet, cycle, cycle + 1, tail, flit_runs_);
}

/// Is told in the next cycle.
void Network::left(std::uint32_t packet) {
  NocEvent event = journeys_[packet].event;
  event.kind = NocEvent::Kind::left;
  events_.emplace_back(clock_.read() + 1, event);
}

/// After all modules have seen the edge.
void Network::tell() {
  if (std::exchange(edge_, false)) return tell_.notify(sc_core::SC_ZERO_TIME);  // they see it now
  if (events_.empty()) return;
  const std::uint64_t now = current_cycle();
  std::vector<NocEvent> due;
  for (const auto& [cycle, event] : events_)
    if (cycle <= now) due.push_back(event);
  std::erase_if(events_, [now](const auto& entry) { return entry.first <= now; });
  const auto key = [](const NocEvent& event) {
    const bool arrived = event.kind == NocEvent::Kind::arrived;
    return std::pair(!arrived, arrived ? event.packet.destination : event.packet.source);
  };
  std::sort(due.begin(), due.end(), [&key](const NocEvent& a, const NocEvent& b) { return key(a) < key(b); });
  if (deliver && !due.empty()) deliver(due, now);
}

NocCounters Network::counters(std::uint64_t now) const {
  NocCounters result;
  result.packets_injected = packets_injected_;
  result.packets_ejected = packets_ejected_;
  for (const auto& terminal : terminals_) result.flits_injected += terminal->sent(now);
  for (std::uint32_t r = 0; r < routers_.size(); ++r) {
    const Router& router = *routers_[r];
    result.stalls.no_credit += router.stalls().no_credit;
    result.stalls.lost_arbitration += router.stalls().lost_arbitration;
    result.stalls.no_vc += router.stalls().no_vc;
    result.flits_forked += router.forked(now);
    for (std::uint32_t p = 0; p < router.flit_out.size(); ++p) {
      const std::uint64_t flits = router.flits(p, now);
      result.flit_hops += flits;
      if (p >= 2 * spec_.graph.dimensions) result.flits_ejected += flits;
    }
  }
  return result;
}

std::vector<std::uint64_t> Network::link_flits(std::uint64_t now) const {
  std::vector<std::uint64_t> result;
  for (const Link& link : spec_.graph.links)
    result.push_back(routers_[link.from.value()]->flits(link.port_out, now));
  return result;
}

std::uint64_t Network::blocked_cycles(EndpointId endpoint, std::uint64_t now) const {
  return terminals_.at(endpoint.value())->blocked_cycles(now);
}

/// Follows, from each VC that waits, the first of those it waits for, until one is met again.
std::string Network::deadlock_report() const {
  using Place = std::array<std::uint32_t, 3>;  // router, input port, VC
  std::map<Place, Router::Wait> waits;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> across;
  for (const Link& link : spec_.graph.links)
    across[{link.from.value(), link.port_out}] = {link.to.value(), link.port_in};
  for (std::uint32_t r = 0; r < routers_.size(); ++r)
    for (Router::Wait& wait : routers_[r]->waits()) waits[{r, wait.in_port, wait.vc}] = wait;
  for (const auto& [start, first] : waits) {
    std::vector<Place> path{start};
    for (;;) {
      const Place here = path.back();
      const auto it = waits.find(here);
      if (it == waits.end()) break;
      const Router::Wait& wait = it->second;
      Place next{};
      if (wait.for_vc) {
        if (wait.owners.empty()) break;
        next = {here[0], wait.owners[0].first, wait.owners[0].second};
      } else {
        const auto to = across.find({here[0], wait.out_port});
        if (to == across.end()) break;
        next = {to->second.first, to->second.second, wait.out_vc};
      }
      const auto seen = std::find(path.begin(), path.end(), next);
      if (seen == path.end()) {
        path.push_back(next);
        continue;
      }
      std::string text;
      for (auto place = seen; place != path.end(); ++place) {
        const Router::Wait& waiting = waits.at(*place);
        const Packet& packet = journeys_[waiting.packet].event.packet;
        text +=
            fmt::format("router {} input {} vc {}: {} flits, packet {} -> {}, {}\n", (*place)[0], (*place)[1],
                        (*place)[2], waiting.flits, packet.source.value(), packet.destination.value(),
                        waiting.for_vc ? "waits for an output VC" : "waits for credits");
      }
      return text;
    }
  }
  return {};
}

}  // namespace dfsim::textbook
