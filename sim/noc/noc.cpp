#include "sim/noc/noc.h"

#include <algorithm>

#include "sim/base/errors.h"
#include "sim/base/rng.h"
#include "sim/noc/textbook/network.h"

namespace dfsim {
namespace {

std::uint64_t ticks_of(std::uint64_t picoseconds) {
  const std::uint64_t ticks = sc_core::sc_time(static_cast<double>(picoseconds), sc_core::SC_PS).value();
  if (ticks == 0) throw SimulationError("network: the clock period is shorter than the time resolution");
  return ticks;
}

/// Random bits for ties between equally long ways: fixed for a pair of endpoints, so that packets of one
/// transfer stay in order, and different between pairs, so that both ways are used.
std::uint32_t coins_of(const Packet& packet) {
  const EndpointId destination =
      packet.destinations.empty() ? packet.destination : packet.destinations.front();
  Rng rng(packet.source.value(), destination.value());
  return static_cast<std::uint32_t>(rng.next());
}

/// Carries (a part of) a transfer itself; else a request, grant or answer.
bool is_data(const Packet& packet) {
  const MessageKind kind = packet.message.kind;
  return kind == MessageKind::data || kind == MessageKind::load_data || kind == MessageKind::store_data;
}

}  // namespace

Noc::Noc(sc_core::sc_module_name name, const NocSpec& spec, std::uint64_t clock_period_ps,
         std::uint32_t message_classes)
    : sc_module(name),
      endpoints("endpoints", spec.endpoints.size()),
      injector("injector"),
      routing_(make_routing(spec.routing, spec.graph)),
      core_(spec, *routing_, NetworkCore::Options{.message_classes = message_classes}),
      period_ticks_(ticks_of(clock_period_ps)) {
  injector.bind(*this);
  if (spec.router_model == RouterModel::textbook) {
    textbook_ = std::make_unique<textbook::Network>("textbook", core_.spec(), *routing_, message_classes,
                                                    period_ticks_);
    textbook_->deliver = [this](std::span<const NocEvent> events, std::uint64_t cycle) {
      deliver(events, cycle);
    };
  }
  SC_METHOD(tick);
  sensitive << wake_;
  dont_initialize();
  reset();
}

Noc::~Noc() = default;

void Noc::reset() {
  wake_.cancel();
  if (textbook_) textbook_->reset();
  core_.reset();
  scheduled_ = kNever;
  undelivered_ = false;
  base_ticks_ = sc_core::sc_time_stamp().value();
}

std::uint64_t Noc::current_cycle() const {
  return (sc_core::sc_time_stamp().value() - base_ticks_) / period_ticks_;
}

sc_core::sc_time Noc::time_of(std::uint64_t cycle) const {
  return sc_core::sc_time::from_value(base_ticks_ + cycle * period_ticks_);
}

void Noc::schedule(std::uint64_t cycle) {
  if (cycle >= scheduled_) return;
  scheduled_ = cycle;
  wake_.notify(time_of(cycle) - sc_core::sc_time_stamp());
}

void Noc::inject(const Packet& packet, std::uint64_t now) {
  if (packet.destinations.size() > 1 && !routing_->forks()) return inject_copies(packet, now);
  if (textbook_) return textbook_->inject(packet, now + 1, coins_of(packet));
  core_.inject(packet, now + 1, coins_of(packet));
  const std::uint64_t next = core_.next_activity();
  if (next != kNever) schedule(std::max(next, current_cycle() + 1));
}

/// A packet per destination, one after the other; the last one to leave the source is the one that tells so.
void Noc::inject_copies(const Packet& packet, std::uint64_t now) {
  for (const EndpointId destination : packet.destinations) {
    Packet copy = packet;
    copy.destinations = {};
    copy.destination = destination;
    copy.notify_left = packet.notify_left && destination == packet.destinations.back();
    inject(copy, now);
  }
}

std::uint64_t Noc::blocked_cycles(EndpointId endpoint, std::uint64_t now) const {
  return textbook_ ? textbook_->blocked_cycles(endpoint, now) : core_.blocked_cycles(endpoint, now);
}

NocCounters Noc::counters(std::uint64_t now) {
  return textbook_ ? textbook_->counters(now) : core_.counters(now);
}

std::vector<std::uint64_t> Noc::link_flits(std::uint64_t now) {
  return textbook_ ? textbook_->link_flits(now) : core_.link_flits(now);
}

std::uint64_t Noc::packets_in_flight() const {
  return textbook_ ? textbook_->packets_in_flight() : core_.packets_in_flight();
}

std::string Noc::deadlock_report() const {
  return textbook_ ? textbook_->deadlock_report() : core_.deadlock_report();
}

std::uint64_t Noc::horizon(std::uint64_t now) const {
  if (sc_core::sc_pending_activity_at_current_time()) return now;
  if (!sc_core::sc_pending_activity_at_future_time()) return kNever - 1;
  const std::uint64_t next =
      sc_core::sc_time_stamp().value() + sc_core::sc_time_to_pending_activity().value();
  return (next - base_ticks_) / period_ticks_;
}

void Noc::tick() {
  scheduled_ = kNever;
  const std::uint64_t now = current_cycle();
  if (undelivered_ && core_.event_cycle() > now) return schedule(core_.event_cycle());
  for (;;) {
    if (undelivered_) deliver(core_.events(), core_.event_cycle());
    undelivered_ = core_.run_until(horizon(now));
    if (!undelivered_) break;
    if (core_.event_cycle() > now) return schedule(core_.event_cycle());
  }
  const std::uint64_t next = core_.next_activity();
  if (next != kNever) schedule(std::max(next, now + 1));
}

void Noc::observe(Observer* observer, NocId id) {
  observer_ = observer;
  id_ = id;
  const bool watch = observer && observer->wants_flits();
  if (watch == watching_flits_) return;
  watching_flits_ = watch;
  if (textbook_)
    textbook_->watch_flits(watch);
  else
    core_.watch_flits(watch);
}

void Noc::report(const NocEvent& event, std::uint64_t cycle) const {
  const Packet& packet = event.packet;
  const bool data = is_data(packet);
  ObservedPacket seen;
  seen.noc = id_;
  seen.source = packet.source;
  seen.destination = packet.destination;
  seen.transfer = packet.message.transfer;
  seen.instance = packet.message.instance;
  seen.data = data;
  seen.bytes = data ? packet.message.bytes : 0;
  seen.flits = packet.flits;
  seen.hops = event.hops;
  seen.created = event.created;
  seen.entered = event.entered;
  seen.arrived = cycle;
  observer_->packet(seen);
}

void Noc::report_flits() {
  for (const FlitRun& run : textbook_ ? textbook_->take_flit_runs() : core_.take_flit_runs()) {
    ObservedFlits seen;
    seen.noc = id_;
    seen.link = run.link;
    seen.vc = run.vc;
    seen.source = run.packet.source;
    seen.transfer = run.packet.message.transfer;
    seen.instance = run.packet.message.instance;
    seen.data = is_data(run.packet);
    seen.first = run.first;
    seen.start = run.start;
    seen.end = run.end;
    observer_->flits(seen);
  }
}

/// The flits of a packet have all been noted before its arrival is told.
void Noc::deliver(std::span<const NocEvent> events, std::uint64_t cycle) {
  if (watching_flits_) report_flits();
  for (const NocEvent& event : events) {
    if (observer_ && event.kind == NocEvent::Kind::arrived) report(event, cycle);
    if (event.kind == NocEvent::Kind::arrived)
      endpoints[event.packet.destination.value()]->packet_arrived(event.packet, cycle);
    else
      endpoints[event.packet.source.value()]->packet_left(event.packet, cycle);
  }
}

}  // namespace dfsim
