#include "sim/host/bridge.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/errors.h"

namespace dfsim {

HostBridge::HostBridge(sc_core::sc_module_name name, const MemoryPortSpec& spec, const NocSpec& network,
                       std::uint64_t noc_clock_period_ps)
    : sc_module(name),
      noc("noc"),
      bus("bus"),
      spec_(spec),
      link_width_bytes_(network.link_width_bytes),
      period_ps_(noc_clock_period_ps) {
  SC_METHOD(deliver);
  sensitive << deliver_;
  dont_initialize();
}

void HostBridge::packet_arrived(const Packet& packet, std::uint64_t cycle) {
  const Message& message = packet.message;
  const bool write = message.kind == MessageKind::store_data;
  if (!write && message.kind != MessageKind::load_request)
    throw SimulationError(
        fmt::format("{}, cycle {}: packet of kind {} from endpoint {} is not for a host bridge", name(),
                    cycle, static_cast<int>(message.kind), packet.source.value()));
  const auto kind = write ? BusMessage::Kind::write : BusMessage::Kind::read;
  bus->send({kind, requests_.add(message), message.address, message.bytes, false});
}

void HostBridge::message_arrived(std::uint32_t, const BusMessage& message) {
  const std::uint64_t now = now_ps(), cycle = ceil_div(now, period_ps_);
  if (arrived_.empty()) deliver_.notify(sc_core::sc_time::from_value(cycle * period_ps_ - now));
  arrived_.push({message, cycle});
}

void HostBridge::deliver() {
  if (draining_) return;
  const std::uint64_t now = now_ps(), cycle = now / period_ps_;
  for (; !arrived_.empty() && arrived_.front().cycle <= cycle; arrived_.pop()) answer(arrived_.front());
  if (!arrived_.empty())
    deliver_.notify(sc_core::sc_time::from_value(arrived_.front().cycle * period_ps_ - now));
}

void HostBridge::answer(const Arrived& arrived) {
  const BusMessage& from_host = arrived.message;
  const Message& request = requests_[from_host.tag];
  Packet packet;
  packet.source = spec_.endpoint;
  packet.destination = request.reply_to;
  packet.message_class = MessageClass::sinkable;
  packet.message = request;
  packet.message.address = from_host.address;
  packet.message.bytes = from_host.bytes;
  if (from_host.kind == BusMessage::Kind::data) {
    packet.message.kind = MessageKind::load_data;
    packet.flits = ceil_div(from_host.bytes, link_width_bytes_);
    read_.add(from_host.address, from_host.address + from_host.bytes);
    read_bytes_ += from_host.bytes;
  } else {
    packet.message.kind = MessageKind::store_ack;
    write_bytes_ += from_host.bytes;
  }
  noc->inject(packet, arrived.cycle);
  if (from_host.last) requests_.give_back(from_host.tag);
}

void HostBridge::reset() {
  deliver_.cancel();
  start_ = sc_core::sc_time_stamp();
  arrived_.clear();
  requests_.clear();
  read_bytes_ = write_bytes_ = 0;
  read_.clear();
  draining_ = false;
}

}  // namespace dfsim
