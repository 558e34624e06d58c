#include "sim/eth/ethernet_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/errors.h"

namespace dfsim {

EthernetPort::EthernetPort(sc_core::sc_module_name name, std::uint32_t number, const EthernetPortSpec& spec,
                           const NocSpec& network, std::uint64_t noc_clock_period_ps,
                           const EthernetRoutes& routes)
    : sc_module(name),
      noc("noc"),
      line("line"),
      siblings("siblings"),
      number_(number),
      spec_(spec),
      link_width_bytes_(network.link_width_bytes),
      period_ps_(noc_clock_period_ps),
      routes_(routes) {
  SC_METHOD(send);
  sensitive << send_;
  dont_initialize();
  SC_METHOD(deliver);
  sensitive << deliver_;
  dont_initialize();
}

void EthernetPort::bind_sibling(std::uint32_t number, TransitSink& sibling) {
  sibling_at_[number] = static_cast<int>(sibling_at_.size());
  siblings(sibling);
}

EthernetHop EthernetPort::next_hop(const Packet& packet) const {
  const auto hop = routes_.hop(spec_.noc, packet.message.final_noc, packet.message.transfer);
  if (!hop)
    throw SimulationError(fmt::format("{}: packet for network {}, which cannot be reached from network {}",
                                      name(), packet.message.final_noc.value(), spec_.noc.value()));
  return *hop;
}

// ---------------------------------------------------------------- to the line

void EthernetPort::packet_arrived(const Packet& packet, std::uint64_t) {
  const EthernetHop hop = next_hop(packet);
  const std::uint8_t set = hop.dateline ? 1 : 0;
  queue({hop.peer, set, number_}, {packet, nullptr, 0});
}

void EthernetPort::transit(const Packet& packet, std::uint8_t set, std::uint32_t from,
                           TransitSource& source) {
  const EthernetHop hop = next_hop(packet);
  queue({hop.peer, hop.dateline ? std::uint8_t{1} : set, from}, {packet, &source, set});
}

void EthernetPort::queue(const FlowKey& key, const Waiting& waiting) {
  Flow& flow = flows_[key];
  flow.stream.push(wire_payload(waiting.packet));
  flow.waiting.push(waiting);
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

bool EthernetPort::can_send() const {
  return std::any_of(flows_.begin(), flows_.end(), [&](const auto& entry) {
    return !entry.second.stream.empty() && !sets_[entry.first.set].paused;
  });
}

bool EthernetPort::wants_control() const {
  return std::any_of(std::begin(sets_), std::end(sets_),
                     [&](const BufferSet& buffer) { return pause_changes(buffer); });
}

bool EthernetPort::send_control() {
  for (std::uint8_t set = 0; set < kBufferSets; ++set) {
    BufferSet& buffer = sets_[set];
    if (!pause_changes(buffer)) continue;
    buffer.told_pause = !buffer.told_pause;
    const FrameKind kind = buffer.told_pause ? FrameKind::pause : FrameKind::resume;
    line_free_ps_ = now_ps() + line->transmit({kind, set, 0, 0, 0}, nullptr);
    return true;
  }
  return false;
}

// The next flow in turn that has something to send and is not paused.
bool EthernetPort::send_data() {
  auto at = flows_.upper_bound(turn_);
  for (std::size_t i = 0; i < flows_.size(); ++i, ++at) {
    if (at == flows_.end()) at = flows_.begin();
    if (at->second.stream.empty() || sets_[at->first.set].paused) continue;
    turn_ = at->first;
    send_frame(at->first, at->second);
    return true;
  }
  return false;
}

void EthernetPort::send_frame(const FlowKey& key, Flow& flow) {
  const FrameQueue::Cut cut = flow.stream.cut(line->mtu_bytes());
  ending_.clear();
  for (std::uint32_t i = 0; i < cut.ended; ++i) {
    const Waiting& waiting = flow.waiting.front();
    ending_.push_back(waiting.packet);
    if (waiting.source) waiting.source->transit_left(waiting.packet, waiting.held_set);
    flow.waiting.pop();
  }
  const EthernetFrame frame{FrameKind::data, key.set, cut.payload, cut.ended, key.destination};
  line_free_ps_ = now_ps() + line->transmit(frame, ending_.data());
}

void EthernetPort::send() {
  if (draining_) return;
  if (line_free_ps_ > now_ps()) return wake_sender();
  settled_ = !settled_;
  if (settled_) return send_.notify(sc_core::SC_ZERO_TIME);
  if (!send_control() && !send_data()) return;
  if (wants_control() || can_send()) wake_sender();
}

// ---------------------------------------------------------------- from the line

void EthernetPort::frame_arrived(const EthernetFrame& frame, const Packet* packets) {
  BufferSet& buffer = sets_[frame.set];
  if (frame.kind != FrameKind::data) {
    buffer.paused = frame.kind == FrameKind::pause;
    if (!buffer.paused && can_send()) wake_sender();
    return;
  }
  if (frame.destination != number_)
    throw SimulationError(
        fmt::format("{}: frame for port {} arrived at port {}", name(), frame.destination, number_));
  buffer.bytes += frame.payload_bytes;
  buffer.most_bytes = std::max(buffer.most_bytes, buffer.bytes);
  if (buffer.bytes > spec_.buffers.pause_bytes + line->headroom_bytes())
    throw SimulationError(fmt::format("{}: receive buffer overflows with {} bytes", name(), buffer.bytes));
  if (pause_changes(buffer)) wake_sender();
  const std::uint64_t now = now_ps();
  const std::uint64_t cycle = ceil_div(now, period_ps_);
  for (std::uint32_t i = 0; i < frame.packets; ++i) {
    if (packets[i].message.final_noc != spec_.noc) {
      forward(packets[i], frame.set);
      continue;
    }
    if (received_.empty()) deliver_.notify(sc_core::sc_time::from_value(cycle * period_ps_ - now));
    received_.push({packets[i], cycle, frame.set});
  }
}

void EthernetPort::forward(const Packet& packet, std::uint8_t set) {
  const EthernetHop hop = next_hop(packet);
  const auto sibling = sibling_at_.find(hop.port);
  if (sibling == sibling_at_.end())
    throw SimulationError(
        fmt::format("{}: packet to be forwarded by port {}, which is not on this chip", name(), hop.port));
  ++forwarded_packets_;
  siblings[sibling->second]->transit(packet, set, number_, *this);
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
    entering_.push(received_.front().set);
    noc->inject(packet, cycle);
  }
  if (!received_.empty())
    deliver_.notify(sc_core::sc_time::from_value(received_.front().cycle * period_ps_ - now));
}

void EthernetPort::packet_left(const Packet& packet, std::uint64_t) {
  const std::uint8_t set = entering_.front();  // a source queue keeps the order of its packets
  entering_.pop();
  release(packet, set);
}

void EthernetPort::transit_left(const Packet& packet, std::uint8_t set) { release(packet, set); }

void EthernetPort::release(const Packet& packet, std::uint8_t set) {
  BufferSet& buffer = sets_[set];
  buffer.bytes -= wire_payload(packet);
  if (pause_changes(buffer)) wake_sender();
}

bool EthernetPort::idle() const {
  return received_.empty() && sets_[0].bytes == 0 && sets_[1].bytes == 0 &&
         std::all_of(flows_.begin(), flows_.end(),
                     [](const auto& entry) { return entry.second.waiting.empty(); });
}

void EthernetPort::reset() {
  send_.cancel();
  deliver_.cancel();
  start_ = sc_core::sc_time_stamp();
  draining_ = false;
  flows_.clear();
  turn_ = {};
  settled_ = false;
  received_.clear();
  entering_.clear();
  line_free_ps_ = 0;
  for (BufferSet& buffer : sets_) buffer = {};
  forwarded_packets_ = 0;
}

}  // namespace dfsim
