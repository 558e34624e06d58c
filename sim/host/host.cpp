#include "sim/host/host.h"

#include <algorithm>
#include <cmath>

namespace dfsim {

Host::Host(sc_core::sc_module_name name, const HostSpec& spec, std::uint32_t buses, std::uint32_t piece_bytes)
    : sc_module(name), cards("cards", buses), spec_(spec), piece_bytes_(piece_bytes), waiting_(buses) {
  SC_METHOD(serve);
  sensitive << serve_;
  dont_initialize();
  SC_METHOD(answer);
  sensitive << answer_;
  dont_initialize();
}

std::uint64_t Host::memory_ps(std::uint32_t bytes) const {
  return static_cast<std::uint64_t>(
      std::ceil(static_cast<double>(bytes) * 1000.0 / spec_.memory_gb_s - 1e-6));
}

void Host::message_arrived(std::uint32_t bus, const BusMessage& message) {
  waiting_[bus].push(message);
  const std::uint64_t now = now_ps();
  if (free_at_ps_ <= now)
    serve_.notify(sc_core::SC_ZERO_TIME);
  else
    serve_.notify(sc_core::sc_time::from_value(free_at_ps_ - now));
}

// The next piece of the first request of a bus, as the message that answers it.
BusMessage Host::take_piece(RingQueue<BusMessage>& waiting) {
  BusMessage& first = waiting.front();
  BusMessage piece = first;
  if (first.kind == BusMessage::Kind::write) {
    piece.kind = BusMessage::Kind::acknowledge;
    piece.last = true;
    waiting.pop();
    return piece;
  }
  piece.kind = BusMessage::Kind::data;
  piece.bytes = std::min(first.bytes, piece_bytes_);
  piece.last = piece.bytes == first.bytes;
  first.address += piece.bytes;
  first.bytes -= piece.bytes;
  if (piece.last) waiting.pop();
  return piece;
}

void Host::serve() {
  const std::uint64_t now = now_ps();
  if (draining_ || free_at_ps_ > now) return;
  settled_ = !settled_;
  if (settled_) return serve_.notify(sc_core::SC_ZERO_TIME);
  for (std::size_t i = 1; i <= waiting_.size(); ++i) {
    const std::size_t bus = (turn_ + i) % waiting_.size();
    if (waiting_[bus].empty()) continue;
    turn_ = bus;
    const BusMessage piece = take_piece(waiting_[bus]);
    (piece.kind == BusMessage::Kind::data ? read_bytes_ : write_bytes_) += piece.bytes;
    free_at_ps_ = now + memory_ps(piece.bytes);
    const std::uint64_t at = free_at_ps_ + spec_.memory_latency_ns * 1000;
    if (done_.empty()) answer_.notify(sc_core::sc_time::from_value(at - now));
    done_.push({static_cast<std::uint32_t>(bus), piece, at});
    serve_.notify(sc_core::sc_time::from_value(free_at_ps_ - now));
    return;
  }
}

void Host::answer() {
  if (draining_ || done_.empty()) return;
  const Done first = done_.front();
  done_.pop();
  if (!done_.empty()) answer_.notify(sc_core::sc_time::from_value(done_.front().at_ps - now_ps()));
  cards[first.bus]->send(first.answer);
}

void Host::reset() {
  serve_.cancel();
  answer_.cancel();
  for (auto& waiting : waiting_) waiting.clear();
  done_.clear();
  turn_ = 0;
  free_at_ps_ = read_bytes_ = write_bytes_ = 0;
  draining_ = settled_ = false;
}

}  // namespace dfsim
