#include "sim/eth/ethernet_link.h"

#include <fmt/format.h>

#include "sim/base/errors.h"

namespace dfsim {

EthernetDirection::EthernetDirection(sc_core::sc_module_name name, const EthernetLinkSpec& spec)
    : sc_module(name), receiver("receiver"), framing_(spec) {
  SC_METHOD(arrive);
  sensitive << arrival_;
  dont_initialize();
}

std::uint64_t EthernetDirection::transmit(const EthernetFrame& frame, const Packet* packets) {
  const std::uint64_t now = now_ps();
  if (now < free_at_ps_)
    throw SimulationError(
        fmt::format("{}: frame begun at {} ps, line busy until {} ps", name(), now, free_at_ps_));
  const std::uint64_t line = framing_.line_ps(frame.payload_bytes);
  free_at_ps_ = now + line;
  for (std::uint32_t i = 0; i < frame.packets; ++i) packets_.push(packets[i]);
  const std::uint64_t there = now + framing_.delay_ps();
  frames_.push({frame, there + framing_.header_ps(), now + framing_.arrival_ps(frame.payload_bytes), false});
  if (frames_.size() == 1) wait_for_next();
  if (frame.kind == FrameKind::data) {
    ++counters_.frames;
    counters_.payload_bytes += frame.payload_bytes;
  } else {
    ++counters_.pause_frames;
  }
  counters_.wire_bytes += framing_.wire_bytes(frame.payload_bytes);
  return line;
}

void EthernetDirection::wait_for_next() {
  if (frames_.empty()) return;
  const InFlight& first = frames_.front();
  const bool header = receiver->wants_headers() && !first.header_told;
  arrival_.notify(sc_core::sc_time::from_value((header ? first.header_ps : first.arrives_ps) - now_ps()));
}

void EthernetDirection::take_packets(const EthernetFrame& frame) {
  arrived_.clear();
  for (std::uint32_t i = 0; i < frame.packets; ++i) {
    arrived_.push_back(packets_.front());
    packets_.pop();
  }
}

void EthernetDirection::arrive() {
  if (draining_ || frames_.empty()) return;
  InFlight& first = frames_.front();
  if (receiver->wants_headers() && !first.header_told) {
    first.header_told = true;
    take_packets(first.frame);
    const EthernetFrame frame = first.frame;
    const std::uint64_t rest = first.arrives_ps - now_ps();
    wait_for_next();
    receiver->header_arrived(frame, arrived_.data(), rest);
    return;
  }
  if (!first.header_told) take_packets(first.frame);
  const EthernetFrame frame = first.frame;
  frames_.pop();
  wait_for_next();
  receiver->frame_arrived(frame, arrived_.data());
}

void EthernetDirection::reset() {
  arrival_.cancel();
  frames_.clear();
  packets_.clear();
  free_at_ps_ = 0;
  draining_ = false;
  counters_ = {};
}

EthernetLink::EthernetLink(sc_core::sc_module_name name, const EthernetLinkSpec& spec)
    : sc_module(name), a_to_b("a_to_b", spec), b_to_a("b_to_a", spec) {}

void EthernetLink::set_draining(bool draining) {
  a_to_b.set_draining(draining);
  b_to_a.set_draining(draining);
}

void EthernetLink::reset() {
  a_to_b.reset();
  b_to_a.reset();
}

}  // namespace dfsim
