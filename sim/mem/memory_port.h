// sim/mem/memory_port.h: a memory controller behind an endpoint of a network on chip.
#pragma once

#include <cstdint>
#include <memory>
#include <systemc>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/coverage.h"
#include "sim/base/slot_list.h"
#include "sim/mem/core/controller.h"
#include "sim/noc/ports.h"

namespace dfsim {

/// Takes load_request and store_data packets. A load is answered with load_data packets of up to
/// `answer_packet_bytes` (never more than the network's longest packet), each sent in the cycle in which the
/// last of its bursts is there; every store_data packet with one store_ack of a flit once its data is
/// written. An answer goes to `reply_to`, class sinkable; transfer, instance, final_noc, final_endpoint and
/// reply_to are those of the request, `bytes` and `address` those of the packet. Packets of one request leave
/// in order of address. A request with `reply_to_all` is answered to all of them, each packet cut into such
/// as fit into a buffer of the network.
///
/// Sleeps until a packet can be complete; costs nothing when idle. Cycles count from the last reset(), in
/// periods of the network's clock. Not modelled: a limit of waiting requests and of store data (the network's
/// contract is that a port takes a flit per cycle; the programs' outstanding transfers bound both).
class MemoryPort : public sc_core::sc_module, public PacketSink {
 public:
  sc_core::sc_port<PacketInjector> noc;

  /// `network` is the NoC that the port belongs to; the kernel's time resolution is taken to be 1 ps.
  MemoryPort(sc_core::sc_module_name name, const MemoryPortSpec& spec, const NocSpec& network,
             std::uint64_t noc_clock_period_ps);

  /// Throws SimulationError for kinds of messages that a memory does not understand.
  void packet_arrived(const Packet& packet, std::uint64_t cycle) override;
  void packet_left(const Packet&, std::uint64_t) override {}

  /// Cold and idle; the run starts at the kernel's present time. To be called outside of a running
  /// simulation.
  void reset();
  /// While draining, a process that is still runnable after an aborted run returns at once (kernel: sc_start
  /// with a limit leaves such processes behind).
  void set_draining(bool draining) { draining_ = draining; }

  /// Up to and including `cycle`, so that refreshes of an idle device are counted as well.
  MemoryCounters counters(std::uint64_t cycle);
  std::uint64_t memory_clock_period_ps() const { return spec_.controller.device.clock_period_ps; }
  bool idle() const { return controller_->next_event() == MemoryController::kNever; }
  /// Byte ranges of the port read since reset(): sorted, disjoint.
  std::vector<AddressRange> coverage() const { return read_.ranges(); }

 private:
  SC_HAS_PROCESS(MemoryPort);
  void serve();
  void answer(const MemoryPiece& piece);
  void multicast(Packet packet, std::uint64_t cycle);
  void sleep(std::uint64_t now);
  std::uint64_t now() const { return (sc_core::sc_time_stamp() - start_).value() / period_ps_; }

  MemoryPortSpec spec_;
  std::uint32_t link_width_bytes_, multicast_bytes_;
  std::uint64_t period_ps_;
  std::unique_ptr<MemoryController> controller_;
  sc_core::sc_event wake_;
  sc_core::sc_time start_;
  std::uint64_t wake_at_ = MemoryController::kNever;
  bool draining_ = false;
  SlotList<Message> requests_;       ///< by tag
  std::vector<MemoryPiece> pieces_;  ///< reused by serve()
  Coverage read_;
};

}  // namespace dfsim
