// sim/noc/textbook/network.h: a network on chip as one module per router, joined by signals: slow, simple,
// and written from docs/noc.md alone. The yardstick of NetworkCore, and selectable for any run.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/slot_list.h"
#include "sim/noc/core/flit_merger.h"
#include "sim/noc/textbook/channel.h"
#include "sim/noc/textbook/packet_table.h"
#include "sim/noc/textbook/router.h"
#include "sim/noc/textbook/terminal.h"

namespace dfsim::textbook {

/// Runs in simulated time, one cycle per `period_ticks`, while anything moves. Cycle 0 of a run is the time
/// of reset(). Functions named as in NetworkCore do the same.
class Network : public sc_core::sc_module, private Listener {
 public:
  /// Called at the kernel time of each cycle with events, with them in the order of NetworkCore::events().
  std::function<void(std::span<const NocEvent>, std::uint64_t cycle)> deliver;

  /// `spec` and `routing` must outlive it. Throws SimulationError where refuse_network() objects.
  Network(sc_core::sc_module_name name, const NocSpec& spec, const RoutingFunction& routing,
          std::uint32_t message_classes, std::uint64_t period_ticks);

  /// `cycle` is later than the current one.
  void inject(const Packet& packet, std::uint64_t cycle, std::uint32_t coins);
  void reset();
  /// Of the cycles before `now`, which is the current one or a later one.
  NocCounters counters(std::uint64_t now) const;
  std::vector<std::uint64_t> link_flits(std::uint64_t now) const;
  std::uint64_t blocked_cycles(EndpointId endpoint, std::uint64_t now) const;
  std::uint64_t packets_in_flight() const { return arrivals_due_ - packets_ejected_; }
  std::string deadlock_report() const;
  void watch_flits(bool watch);
  std::vector<FlitRun> take_flit_runs() { return std::exchange(flit_runs_, {}); }

 private:
  SC_HAS_PROCESS(Network);
  void build_routers();
  void connect_routers();
  void connect_terminals();
  Channel<Flit>& join_flits(std::uint32_t delay);
  Channel<Credit>& join_credits(std::uint32_t delay);
  void leave_open(Router& router, std::uint32_t port);
  void tick();
  void tell();
  std::uint64_t current_cycle() const;
  void schedule(std::uint64_t cycle);

  void busy() override { last_busy_ = clock_.read(); }
  void arrived(std::uint32_t packet) override;
  void left(std::uint32_t packet) override;
  Journey& journey(std::uint32_t packet) override { return journeys_[packet]; }
  std::uint32_t copy(std::uint32_t packet) override;
  void forked(std::uint32_t packet) override { journeys_.give_back(packet); }
  void moved(std::uint32_t router, std::uint32_t port, std::uint32_t vc, std::uint32_t packet,
             std::uint64_t cycle, bool tail) override;
  Place place_of(EndpointId endpoint) const override {
    return {spec_.endpoints[endpoint.value()].router.value(), terminal_ports_[endpoint.value()]};
  }

  const NocSpec& spec_;
  const RoutingFunction& routing_;
  const std::uint32_t classes_;
  const std::uint64_t period_ticks_;
  std::uint64_t quiet_cycles_;  ///< after so many without anything moving nothing will
  Clock clock_;
  std::vector<std::unique_ptr<Router>> routers_;
  std::vector<std::unique_ptr<Terminal>> terminals_;
  std::vector<std::unique_ptr<Channel<Flit>>> flit_channels_;
  std::vector<std::unique_ptr<Channel<Credit>>> credit_channels_;
  std::vector<std::unique_ptr<Wire<Flit>>> open_flits_;
  std::vector<std::unique_ptr<Wire<Credit>>> open_credits_;
  std::vector<std::uint32_t> terminal_ports_;  ///< by endpoint

  SlotList<Journey> journeys_;
  std::vector<std::pair<std::uint64_t, NocEvent>> events_;  ///< to be told, by cycle
  std::uint64_t packets_injected_ = 0, packets_ejected_ = 0;
  std::uint64_t arrivals_due_ = 0;  ///< of all packets injected, one per leaf
  std::uint64_t base_ticks_ = 0;
  std::uint64_t last_busy_ = 0;
  std::uint64_t scheduled_ = kNoCycle;
  bool edge_ = false;  ///< the modules are seeing a new cycle
  bool watching_ = false;
  FlitMerger merger_;
  std::vector<FlitRun> flit_runs_;
  sc_core::sc_event tick_, tell_;
};

}  // namespace dfsim::textbook
