// sim/host/host.h: the host of one or more cards: its memory behind their buses.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/ring_queue.h"
#include "sim/host/bus.h"

namespace dfsim {

/// Bind `cards[i]` to the direction of bus i towards the card, and the other direction of bus i to this
/// module.
///
/// The memory has one rate for all cards and both directions, and one latency: it serves the buses that wait
/// in turn, a piece of up to `piece_bytes` of a read or one write after another, and each is done
/// `memory_latency_ns` after its last byte has passed. Requests of one bus are served in order of arrival.
/// What a read asked for leaves piece by piece. What arrives at the same instant is seen as one: the memory
/// decides when all of it has come (two delta cycles later). Not modelled: the host's own traffic, caches,
/// software.
class Host : public sc_core::sc_module, public BusReceiver {
 public:
  sc_core::sc_vector<sc_core::sc_port<BusSender>> cards;

  Host(sc_core::sc_module_name name, const HostSpec& spec, std::uint32_t buses, std::uint32_t piece_bytes);
  void message_arrived(std::uint32_t bus, const BusMessage& message) override;

  std::uint64_t read_bytes() const { return read_bytes_; }    ///< since reset()
  std::uint64_t write_bytes() const { return write_bytes_; }  ///< since reset()
  void set_draining(bool draining) { draining_ = draining; }
  void reset();

 private:
  SC_HAS_PROCESS(Host);
  struct Done {
    std::uint32_t bus = 0;
    BusMessage answer;
    std::uint64_t at_ps = 0;
  };
  void serve();
  void answer();
  BusMessage take_piece(RingQueue<BusMessage>& waiting);
  std::uint64_t memory_ps(std::uint32_t bytes) const;
  static std::uint64_t now_ps() { return sc_core::sc_time_stamp().value(); }

  HostSpec spec_;
  std::uint32_t piece_bytes_;
  std::vector<RingQueue<BusMessage>> waiting_;  ///< by bus; the first read may be begun
  std::size_t turn_ = 0;                        ///< bus that was served last
  RingQueue<Done> done_;
  sc_core::sc_event serve_, answer_;
  std::uint64_t free_at_ps_ = 0;
  std::uint64_t read_bytes_ = 0, write_bytes_ = 0;
  bool draining_ = false;
  bool settled_ = false;  ///< serve() is called again in this instant
};

}  // namespace dfsim
