// sim/host/bridge.h: an endpoint of a network on chip behind which the host's memory lies.
#pragma once

#include <cstdint>
#include <systemc>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/coverage.h"
#include "sim/base/ring_queue.h"
#include "sim/base/slot_list.h"
#include "sim/host/bus.h"
#include "sim/noc/ports.h"

namespace dfsim {

/// Takes load_request and store_data packets like a memory port, passes them to the host over `bus`, and
/// sends what comes back as load_data packets (one per bus message of data) and store_ack packets, each in
/// the first cycle at or after its last byte has arrived.
class HostBridge : public sc_core::sc_module, public PacketSink, public BusReceiver {
 public:
  sc_core::sc_port<PacketInjector> noc;
  sc_core::sc_port<BusSender> bus;

  /// `network` is the NoC that the bridge belongs to; the kernel's time resolution is taken to be 1 ps.
  HostBridge(sc_core::sc_module_name name, const MemoryPortSpec& spec, const NocSpec& network,
             std::uint64_t noc_clock_period_ps);

  /// Throws SimulationError for kinds of messages that a memory does not understand.
  void packet_arrived(const Packet& packet, std::uint64_t cycle) override;
  void packet_left(const Packet&, std::uint64_t) override {}
  void message_arrived(std::uint32_t bus, const BusMessage& message) override;

  std::uint64_t read_bytes() const { return read_bytes_; }               ///< delivered since reset()
  std::uint64_t write_bytes() const { return write_bytes_; }             ///< acknowledged since reset()
  std::vector<AddressRange> coverage() const { return read_.ranges(); }  ///< read since reset()
  void set_draining(bool draining) { draining_ = draining; }
  /// Cold and idle; the run starts at the kernel's present time.
  void reset();

 private:
  SC_HAS_PROCESS(HostBridge);
  struct Arrived {
    BusMessage message;
    std::uint64_t cycle = 0;
  };
  void deliver();
  void answer(const Arrived& arrived);
  std::uint64_t now_ps() const { return (sc_core::sc_time_stamp() - start_).value(); }

  MemoryPortSpec spec_;
  std::uint32_t link_width_bytes_;
  std::uint64_t period_ps_;
  sc_core::sc_event deliver_;
  sc_core::sc_time start_;
  RingQueue<Arrived> arrived_;
  SlotList<Message> requests_;  ///< by tag
  std::uint64_t read_bytes_ = 0, write_bytes_ = 0;
  Coverage read_;
  bool draining_ = false;
};

}  // namespace dfsim
