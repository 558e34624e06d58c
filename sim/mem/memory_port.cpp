#include "sim/mem/memory_port.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

MemoryControllerSpec with_packets_that_fit(MemoryControllerSpec spec, const NocSpec& network) {
  spec.answer_packet_bytes =
      std::min(spec.answer_packet_bytes, network.max_packet_flits * network.link_width_bytes);
  return spec;
}

}  // namespace

MemoryPort::MemoryPort(sc_core::sc_module_name name, const MemoryPortSpec& spec, const NocSpec& network,
                       std::uint64_t noc_clock_period_ps)
    : sc_module(name),
      noc("noc"),
      spec_(spec),
      link_width_bytes_(network.link_width_bytes),
      multicast_bytes_(network.multicast_packet_flits() * network.link_width_bytes),
      period_ps_(noc_clock_period_ps),
      controller_(
          make_memory_controller(with_packets_that_fit(spec.controller, network), noc_clock_period_ps)) {
  SC_METHOD(serve);
  sensitive << wake_;
  dont_initialize();
}

void MemoryPort::packet_arrived(const Packet& packet, std::uint64_t cycle) {
  const Message& message = packet.message;
  const bool write = message.kind == MessageKind::store_data;
  if (!write && message.kind != MessageKind::load_request)
    throw SimulationError(
        fmt::format("{}, cycle {}: packet of kind {} from endpoint {} is not for a memory port", name(),
                    cycle, static_cast<int>(message.kind), packet.source.value()));
  controller_->enqueue(
      {message.address, message.bytes, write, message.reply_to.value(), requests_.add(message)}, cycle);
  sleep(cycle);
}

void MemoryPort::serve() {
  if (draining_) return;
  wake_at_ = MemoryController::kNever;
  const std::uint64_t cycle = now();
  pieces_.clear();
  controller_->advance_to(cycle, pieces_);
  for (const MemoryPiece& piece : pieces_) {
    if (piece.cycle != cycle)
      throw SimulationError(
          fmt::format("{}, cycle {}: woke too late for data of cycle {}", name(), cycle, piece.cycle));
    answer(piece);
  }
  sleep(cycle);
}

void MemoryPort::answer(const MemoryPiece& piece) {
  const Message& request = requests_[piece.tag];
  Packet packet;
  packet.source = spec_.endpoint;
  packet.destination = request.reply_to;
  packet.message_class = MessageClass::sinkable;
  packet.message = request;
  packet.message.address = piece.address;
  packet.message.bytes = piece.bytes;
  if (piece.write) {
    // The pieces of a store_data packet are acknowledged together.
    packet.message.kind = MessageKind::store_ack;
    packet.message.address = request.address;
    packet.message.bytes = request.bytes;
  } else {
    packet.message.kind = MessageKind::load_data;
    packet.flits = ceil_div(piece.bytes, link_width_bytes_);
    read_.add(piece.address, piece.address + piece.bytes);
  }
  if (!piece.write && !request.reply_to_all.empty())
    multicast(packet, piece.cycle);
  else if (!piece.write || piece.last)
    noc->inject(packet, piece.cycle);
  if (piece.last) requests_.give_back(piece.tag);
}

void MemoryPort::multicast(Packet packet, std::uint64_t cycle) {
  Message& message = packet.message;
  packet.destinations = message.reply_to_all;
  for (std::uint32_t left = message.bytes; left; left -= message.bytes) {
    message.bytes = std::min(left, multicast_bytes_);
    packet.flits = ceil_div(message.bytes, link_width_bytes_);
    noc->inject(packet, cycle);
    message.address += message.bytes;
  }
}

void MemoryPort::sleep(std::uint64_t now) {
  const std::uint64_t next = controller_->next_event();
  if (next == wake_at_) return;
  wake_at_ = next;
  wake_.cancel();
  if (next == MemoryController::kNever) return;
  if (next <= now)
    wake_.notify(sc_core::SC_ZERO_TIME);
  else
    wake_.notify(sc_core::sc_time::from_value((next - now) * period_ps_));
}

void MemoryPort::reset() {
  wake_.cancel();
  wake_at_ = MemoryController::kNever;
  draining_ = false;
  start_ = sc_core::sc_time_stamp();
  controller_->reset();
  requests_.clear();
  read_.clear();
}

MemoryCounters MemoryPort::counters(std::uint64_t cycle) {
  controller_->settle(cycle);
  return controller_->counters();
}

}  // namespace dfsim
