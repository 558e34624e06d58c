// sim/host/bus.h: the bus between a card and its host (PCIe or the like).
#pragma once

#include <cstdint>
#include <systemc>

#include "sim/api/hardware.h"
#include "sim/base/ring_queue.h"

namespace dfsim {

/// What crosses the bus. A read asks for `bytes`, a write carries them; data is a part of what was asked for,
/// an acknowledgement says that a write is in the host's memory.
struct BusMessage {
  enum class Kind : std::uint8_t { read, write, data, acknowledge };
  Kind kind = Kind::read;
  std::uint32_t tag = 0;  ///< of the request, chosen by the card
  std::uint64_t address = 0;
  std::uint32_t bytes = 0;
  bool last = false;  ///< of data: completes its request

  std::uint32_t payload_bytes() const { return kind == Kind::write || kind == Kind::data ? bytes : 0; }
};

class BusReceiver : public sc_core::sc_interface {
 public:
  /// The last byte has arrived at the kernel's present time. `bus` is the number of the bus.
  virtual void message_arrived(std::uint32_t bus, const BusMessage& message) = 0;
};

class BusSender : public sc_core::sc_interface {
 public:
  /// Takes its turn behind what was sent before.
  virtual void send(const BusMessage& message) = 0;
};

/// Time and bytes of messages on one direction of a bus. A message of p bytes is cut into max(1, ceil(p /
/// packet_bytes)) packets of overhead_bytes more each.
class BusTiming {
 public:
  explicit BusTiming(const HostBusSpec& spec) : spec_(spec) {}
  std::uint64_t wire_bytes(std::uint32_t payload) const;
  /// Picoseconds that the direction is busy, rounded up.
  std::uint64_t line_ps(std::uint32_t payload) const;
  std::uint64_t latency_ps() const { return spec_.latency_ns * 1000; }

 private:
  HostBusSpec spec_;
};

/// One direction: messages one after another at the rate; each is there `latency_ns` after its last byte was
/// sent. Not modelled: flow-control credits of the bus (the outstanding transfers of the PEs bound what
/// waits).
class BusDirection : public sc_core::sc_module, public BusSender {
 public:
  sc_core::sc_port<BusReceiver> receiver;

  BusDirection(sc_core::sc_module_name name, std::uint32_t bus, const HostBusSpec& spec);
  void send(const BusMessage& message) override;
  std::uint64_t wire_bytes() const { return wire_bytes_; }  ///< sent since reset(), overhead included
  std::uint64_t busy_ps() const { return busy_ps_; }
  void set_draining(bool draining) { draining_ = draining; }
  void reset();

 private:
  SC_HAS_PROCESS(BusDirection);
  struct InFlight {
    BusMessage message;
    std::uint64_t arrives_ps = 0;
  };
  void arrive();
  static std::uint64_t now_ps() { return sc_core::sc_time_stamp().value(); }

  std::uint32_t bus_;
  BusTiming timing_;
  sc_core::sc_event arrival_;
  RingQueue<InFlight> messages_;
  std::uint64_t free_at_ps_ = 0, wire_bytes_ = 0, busy_ps_ = 0;
  bool draining_ = false;
};

/// Both directions. Bind `to_host.receiver` to the host and `to_card.receiver` to the card's bridge.
class HostBus : public sc_core::sc_module {
 public:
  BusDirection to_host, to_card;

  HostBus(sc_core::sc_module_name name, std::uint32_t number, const HostBusSpec& spec)
      : sc_module(name), to_host("to_host", number, spec), to_card("to_card", number, spec) {}
  void set_draining(bool draining) {
    to_host.set_draining(draining);
    to_card.set_draining(draining);
  }
  void reset() {
    to_host.reset();
    to_card.reset();
  }
};

}  // namespace dfsim
