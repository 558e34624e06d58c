// sim/noc/noc.h: SystemC shell around the plain C++ network core, which tests drive without a kernel.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/api/observer.h"
#include "sim/noc/core/network_core.h"
#include "sim/noc/ports.h"
#include "sim/noc/routing/routing.h"

namespace dfsim {

namespace textbook {
class Network;
}

/// One network on chip. A packet accepted at cycle t enters at t+1; its arrival, and that its tail has left
/// the source, are told at kernel time = cycle. Sleeps while nothing moves. Inside one activation it runs
/// ahead to the next activity of the kernel or to its first delivery; it never gets further than the cycle in
/// which another process may run next, so the order of the processes does not matter.
///
/// With `router_model: textbook` a module per router does the same, cycle by cycle (sim/noc/textbook).
///
/// Under a limit of simulated time the network may have counted up to the next activity beyond it.
class Noc : public sc_core::sc_module, public PacketInjector {
 public:
  sc_core::sc_vector<sc_core::sc_port<PacketSink>> endpoints;  ///< in the order of NocSpec::endpoints
  sc_core::sc_export<PacketInjector> injector;                 ///< this module

  /// `message_classes`: see NetworkCore::Options. Throws SimulationError if the network cannot be built. The
  /// time resolution must divide `clock_period_ps`.
  Noc(sc_core::sc_module_name name, const NocSpec& spec, std::uint64_t clock_period_ps,
      std::uint32_t message_classes = kMessageClasses);
  ~Noc() override;

  void inject(const Packet& packet, std::uint64_t now) override;
  std::uint64_t blocked_cycles(EndpointId endpoint, std::uint64_t now) const override;

  /// Empties the network and makes the current kernel time cycle 0 of the next run. Safe at any time outside
  /// sc_start(), also after a run that was cut off by a limit.
  void reset();
  /// Totals of the cycles before `now`, since the start of the run.
  NocCounters counters(std::uint64_t now);
  /// By link, in the order of LinkGraph::links.
  std::vector<std::uint64_t> link_flits(std::uint64_t now);
  std::uint64_t packets_in_flight() const;
  /// Virtual channels that wait for each other in a circle; empty if there are none.
  std::string deadlock_report() const;
  const NocSpec& spec() const { return core_.spec(); }
  /// Tells `observer` (null: nobody) of every packet that arrives, and of flits if it wants them; `id` is
  /// this network. Between two runs only.
  void observe(Observer* observer, NocId id);

 private:
  SC_HAS_PROCESS(Noc);
  void tick();
  void inject_copies(const Packet& packet, std::uint64_t now);
  void deliver(std::span<const NocEvent> events, std::uint64_t cycle);
  void report(const NocEvent& event, std::uint64_t cycle) const;
  void report_flits();
  std::uint64_t current_cycle() const;
  /// Last cycle that can be evaluated now: nobody can inject a packet that enters in or before it.
  std::uint64_t horizon(std::uint64_t now) const;
  void schedule(std::uint64_t cycle);
  sc_core::sc_time time_of(std::uint64_t cycle) const;

  std::unique_ptr<RoutingFunction> routing_;
  NetworkCore core_;
  std::unique_ptr<textbook::Network> textbook_;  ///< does the work if there is one
  std::uint64_t period_ticks_;
  std::uint64_t base_ticks_ = 0;  ///< kernel time of cycle 0
  sc_core::sc_event wake_;
  std::uint64_t scheduled_ = kNever;  ///< cycle for which wake_ is notified
  bool undelivered_ = false;          ///< the core has stopped before cycle event_cycle()
  Observer* observer_ = nullptr;
  bool watching_flits_ = false;
  NocId id_;  ///< as the observer knows it
};

}  // namespace dfsim
