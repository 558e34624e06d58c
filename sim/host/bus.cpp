#include "sim/host/bus.h"

#include <algorithm>
#include <cmath>

namespace dfsim {

std::uint64_t BusTiming::wire_bytes(std::uint32_t payload) const {
  const std::uint64_t packets = std::max(1u, ceil_div(payload, spec_.packet_bytes));
  return payload + packets * spec_.overhead_bytes;
}

std::uint64_t BusTiming::line_ps(std::uint32_t payload) const {
  // The subtrahend keeps products that are whole but for the rounding of the division from being rounded up.
  return static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(wire_bytes(payload)) * 1000.0 / spec_.rate_gb_s - 1e-6));
}

BusDirection::BusDirection(sc_core::sc_module_name name, std::uint32_t bus, const HostBusSpec& spec)
    : sc_module(name), receiver("receiver"), bus_(bus), timing_(spec) {
  SC_METHOD(arrive);
  sensitive << arrival_;
  dont_initialize();
}

void BusDirection::send(const BusMessage& message) {
  const std::uint64_t now = now_ps(), line = timing_.line_ps(message.payload_bytes());
  free_at_ps_ = std::max(free_at_ps_, now) + line;
  busy_ps_ += line;
  wire_bytes_ += timing_.wire_bytes(message.payload_bytes());
  const std::uint64_t arrives = free_at_ps_ + timing_.latency_ps();
  if (messages_.empty()) arrival_.notify(sc_core::sc_time::from_value(arrives - now));
  messages_.push({message, arrives});
}

void BusDirection::arrive() {
  if (draining_ || messages_.empty()) return;
  const BusMessage message = messages_.front().message;
  messages_.pop();
  if (!messages_.empty())
    arrival_.notify(sc_core::sc_time::from_value(messages_.front().arrives_ps - now_ps()));
  receiver->message_arrived(bus_, message);
}

void BusDirection::reset() {
  arrival_.cancel();
  messages_.clear();
  free_at_ps_ = wire_bytes_ = busy_ps_ = 0;
  draining_ = false;
}

}  // namespace dfsim
