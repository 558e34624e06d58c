#include "sim/eth/ethernet_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/errors.h"

namespace dfsim {

EthernetPort::EthernetPort(sc_core::sc_module_name name, const EthernetPortSpec& spec, const NocSpec& network,
                           std::uint64_t noc_clock_period_ps, EthernetBuffers buffers)
    : sc_module(name),
      noc("noc"),
      line("line"),
      spec_(spec),
      link_width_bytes_(network.link_width_bytes),
      period_ps_(noc_clock_period_ps),
      buffers_(buffers) {
  SC_METHOD(send);
  sensitive << send_;
  dont_initialize();
  SC_METHOD(deliver);
  sensitive << deliver_;
  dont_initialize();
}

// ---------------------------------------------------------------- network to line

void EthernetPort::packet_arrived(const Packet& packet, std::uint64_t) {
  stream_.push(wire_payload(packet));
  waiting_.push(packet);
  wake_sender();
}

void EthernetPort::wake_sender() {
  const std::uint64_t now = now_ps();
  // An earlier notification stands; all reasons to send wait for the same moment.
  if (line_free_ps_ > now)
    send_.notify(sc_core::sc_time::from_value(line_free_ps_ - now));
  else
    send_.notify(sc_core::SC_ZERO_TIME);
}

bool EthernetPort::send_control() {
  if (want_pause_ == told_pause_) return false;
  told_pause_ = want_pause_;
  const EthernetFrame frame{want_pause_ ? FrameKind::pause : FrameKind::resume, 0, 0};
  line_free_ps_ = now_ps() + line->transmit(frame, nullptr);
  return true;
}

void EthernetPort::send() {
  if (draining_) return;
  if (line_free_ps_ > now_ps()) return wake_sender();
  if (!send_control()) {
    if (paused_ || stream_.empty()) return;
    const FrameQueue::Cut cut = stream_.cut(line->mtu_bytes());
    ending_.clear();
    for (std::uint32_t i = 0; i < cut.ended; ++i) {
      ending_.push_back(waiting_.front());
      waiting_.pop();
    }
    line_free_ps_ = now_ps() + line->transmit({FrameKind::data, cut.payload, cut.ended}, ending_.data());
  }
  if (want_pause_ != told_pause_ || (!paused_ && !stream_.empty())) wake_sender();
}

// ---------------------------------------------------------------- line to network

void EthernetPort::frame_arrived(const EthernetFrame& frame, const Packet* packets) {
  if (frame.kind != FrameKind::data) {
    paused_ = frame.kind == FrameKind::pause;
    if (!paused_ && !stream_.empty()) wake_sender();
    return;
  }
  buffered_bytes_ += frame.payload_bytes;
  most_buffered_bytes_ = std::max(most_buffered_bytes_, buffered_bytes_);
  if (buffered_bytes_ > buffers_.pause_bytes + line->headroom_bytes())
    throw SimulationError(fmt::format("{}: receive buffer overflows with {} bytes", name(), buffered_bytes_));
  if (buffered_bytes_ > buffers_.pause_bytes && !want_pause_) {
    want_pause_ = true;
    wake_sender();
  }
  const std::uint64_t now = now_ps();
  const std::uint64_t cycle = ceil_div(now, period_ps_);
  for (std::uint32_t i = 0; i < frame.packets; ++i) {
    if (packets[i].message.final_noc != spec_.noc)
      throw SimulationError(fmt::format("{}: packet for network {} arrived at network {}", name(),
                                        packets[i].message.final_noc.value(), spec_.noc.value()));
    if (received_.empty()) deliver_.notify(sc_core::sc_time::from_value(cycle * period_ps_ - now));
    received_.push({packets[i], cycle});
  }
}

void EthernetPort::deliver() {
  if (draining_) return;
  const std::uint64_t now = now_ps();
  const std::uint64_t cycle = now / period_ps_;
  for (; !received_.empty() && received_.front().cycle <= cycle; received_.pop()) {
    Packet packet = received_.front().packet;
    packet.source = spec_.endpoint;
    packet.destination = packet.message.final_endpoint;
    packet.message_class = MessageClass::sinkable;
    packet.notify_left = true;
    packet.flits = std::max(1u, ceil_div(packet.message.bytes, link_width_bytes_));
    noc->inject(packet, cycle);
  }
  if (!received_.empty())
    deliver_.notify(sc_core::sc_time::from_value(received_.front().cycle * period_ps_ - now));
}

void EthernetPort::packet_left(const Packet& packet, std::uint64_t) {
  buffered_bytes_ -= wire_payload(packet);
  if (want_pause_ && buffered_bytes_ < buffers_.resume_bytes) {
    want_pause_ = false;
    wake_sender();
  }
}

void EthernetPort::reset() {
  send_.cancel();
  deliver_.cancel();
  start_ = sc_core::sc_time_stamp();
  draining_ = false;
  stream_.clear();
  waiting_.clear();
  received_.clear();
  line_free_ps_ = 0;
  paused_ = want_pause_ = told_pause_ = false;
  buffered_bytes_ = most_buffered_bytes_ = 0;
}

}  // namespace dfsim
