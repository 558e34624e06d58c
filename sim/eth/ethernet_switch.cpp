#include "sim/eth/ethernet_switch.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "sim/base/errors.h"

namespace dfsim {

namespace {
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
}

EthernetSwitch::EthernetSwitch(sc_core::sc_module_name name, const EthernetSwitchSpec& spec,
                               const std::vector<std::uint32_t>& destinations)
    : sc_module(name),
      lines("lines", destinations.size()),
      spec_(spec),
      cut_through_(spec.forwarding == SwitchForwarding::cut_through),
      latency_ps_(spec.latency_ns * 1000),
      destinations_(destinations),
      outputs_(destinations.size()) {
  for (std::size_t i = 0; i < destinations.size(); ++i)
    inputs_.push_back(std::make_unique<Input>(*this, i, destinations.size()));
  SC_METHOD(serve);
  sensitive << serve_;
  dont_initialize();
}

FrameReceiver& EthernetSwitch::input(std::size_t line) { return *inputs_.at(line); }

std::size_t EthernetSwitch::output_of(const EthernetFrame& frame) const {
  const auto at = std::find(destinations_.begin(), destinations_.end(), frame.destination);
  if (at == destinations_.end())
    throw SimulationError(
        fmt::format("{}: frame for Ethernet port {}, which is not joined", name(), frame.destination));
  return static_cast<std::size_t>(at - destinations_.begin());
}

// ---------------------------------------------------------------- in

void EthernetSwitch::Input::header_arrived(const EthernetFrame& frame, const Packet* packets,
                                           std::uint64_t rest_ps) {
  if (frame.kind != FrameKind::data) return;
  // Its last bit must be there when the output sends it.
  const std::uint64_t now = node.now_ps() + node.latency_ps_;
  const std::uint64_t out = node.lines[node.output_of(frame)]->frame_ps(frame.payload_bytes);
  node.hold(*this, frame, packets, now + (rest_ps > out ? rest_ps - out : 0));
}

void EthernetSwitch::Input::frame_arrived(const EthernetFrame& frame, const Packet* packets) {
  if (frame.kind != FrameKind::data)
    node.pause(number, frame.kind);
  else if (!node.cut_through_)
    node.hold(*this, frame, packets, node.now_ps() + node.latency_ps_);
}

void EthernetSwitch::hold(Input& input, const EthernetFrame& frame, const Packet* packets,
                          std::uint64_t ready_ps) {
  Way& way = input.ways[output_of(frame)];
  way.frames.push({frame, ready_ps});
  for (std::uint32_t i = 0; i < frame.packets; ++i) way.packets.push(packets[i]);
  input.bytes += frame.payload_bytes;
  input.most_bytes = std::max(input.most_bytes, input.bytes);
  if (input.bytes > spec_.buffers.pause_bytes + lines[input.number]->headroom_bytes())
    throw SimulationError(
        fmt::format("{}: buffer of input {} overflows with {} bytes", name(), input.number, input.bytes));
  serve_.notify(sc_core::SC_ZERO_TIME);
}

void EthernetSwitch::pause(std::size_t line, FrameKind kind) {
  outputs_[line].paused = kind == FrameKind::pause;
  serve_.notify(sc_core::SC_ZERO_TIME);
}

// ---------------------------------------------------------------- out

void EthernetSwitch::serve() {
  if (draining_) return;
  settled_ = !settled_;
  if (settled_) return serve_.notify(sc_core::SC_ZERO_TIME);
  for (Output& output : outputs_) finish(output);
  std::uint64_t next = kNever;
  for (std::size_t line = 0; line < outputs_.size(); ++line) next = std::min(next, serve_line(line));
  if (next != kNever) serve_.notify(sc_core::sc_time::from_value(next - now_ps()));
}

// Frees the room of a frame whose last bit has left.
void EthernetSwitch::finish(Output& output) {
  if (output.leaving == 0 || output.gone_ps > now_ps()) return;
  inputs_[output.turn]->bytes -= output.leaving;
  output.leaving = 0;
}

/// Sends what can be sent now; returns when the line must be looked at again.
std::uint64_t EthernetSwitch::serve_line(std::size_t line) {
  const Output& output = outputs_[line];
  if (output.leaving != 0) return output.gone_ps;
  if (output.free_ps > now_ps()) return output.free_ps;
  if (send_control(line)) return output.free_ps;
  return send_data(line);
}

bool EthernetSwitch::send_control(std::size_t line) {
  Input& input = *inputs_[line];
  const EthernetBufferSpec& limits = spec_.buffers;
  if (input.told_pause ? input.bytes >= limits.resume_bytes : input.bytes <= limits.pause_bytes) return false;
  input.told_pause = !input.told_pause;
  const FrameKind kind = input.told_pause ? FrameKind::pause : FrameKind::resume;
  outputs_[line].free_ps = now_ps() + lines[line]->transmit({kind, 0, 0, 0, 0}, nullptr);
  return true;
}

std::uint64_t EthernetSwitch::send_data(std::size_t line) {
  Output& output = outputs_[line];
  if (output.paused) return kNever;
  const std::uint64_t now = now_ps();
  std::uint64_t next = kNever;
  for (std::size_t i = 1; i <= inputs_.size(); ++i) {
    const std::size_t from = (output.turn + i) % inputs_.size();
    const Way& way = inputs_[from]->ways[line];
    if (way.frames.empty()) continue;
    if (way.frames.front().ready_ps <= now) {
      transmit(line, from);
      return output.gone_ps;
    }
    next = std::min(next, way.frames.front().ready_ps);
  }
  return next;
}

void EthernetSwitch::transmit(std::size_t line, std::size_t from) {
  Output& output = outputs_[line];
  Way& way = inputs_[from]->ways[line];
  const EthernetFrame frame = way.frames.front().frame;
  way.frames.pop();
  ending_.clear();
  for (std::uint32_t i = 0; i < frame.packets; ++i) {
    ending_.push_back(way.packets.front());
    way.packets.pop();
  }
  const std::uint64_t now = now_ps();
  output.free_ps = now + lines[line]->transmit(frame, ending_.data());
  output.gone_ps = now + lines[line]->frame_ps(frame.payload_bytes);
  output.turn = from;
  output.leaving = frame.payload_bytes;
  ++forwarded_frames_;
}

bool EthernetSwitch::idle() const {
  return std::all_of(inputs_.begin(), inputs_.end(), [](const auto& input) { return input->bytes == 0; });
}

void EthernetSwitch::reset() {
  serve_.cancel();
  start_ = sc_core::sc_time_stamp();
  draining_ = false;
  for (auto& input : inputs_) {
    for (Way& way : input->ways) {
      way.frames.clear();
      way.packets.clear();
    }
    input->bytes = input->most_bytes = 0;
    input->told_pause = false;
  }
  std::fill(outputs_.begin(), outputs_.end(), Output{});
  forwarded_frames_ = 0;
  settled_ = false;
}

}  // namespace dfsim
