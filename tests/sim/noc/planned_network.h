// tests/sim/noc/planned_network.h: what stands for a network on chip in tests of the modules behind it.
#pragma once

#include <gtest/gtest.h>

#include <map>
#include <systemc>
#include <vector>

#include "sim/noc/ports.h"

namespace dfsim::test {

inline constexpr std::uint64_t kPeriodPs = 1000;

/// Hands planned packets to one module and records what it sends. Cycles count from start().
class PlannedNetwork : public sc_core::sc_module, public PacketInjector {
 public:
  struct Sent {
    Packet packet;
    std::uint64_t cycle;
  };
  explicit PlannedNetwork(sc_core::sc_module_name name) : sc_module(name) {
    SC_METHOD(deliver);
    sensitive << next_;
    dont_initialize();
  }
  void inject(const Packet& packet, std::uint64_t at) override {
    EXPECT_EQ(at * kPeriodPs, (sc_core::sc_time_stamp() - base_).value());
    sent.push_back({packet, at});
  }
  std::uint64_t blocked_cycles(EndpointId, std::uint64_t) const override { return 0; }

  /// Packets of one cycle arrive in the order in which they were planned.
  void deliver_at(std::uint64_t cycle, const Packet& packet) { plan_.emplace(cycle, packet); }
  void start() {
    sent.clear();
    base_ = sc_core::sc_time_stamp();
    next_.cancel();
    position_ = plan_.begin();
    arm();
  }
  void clear() { plan_.clear(); }

  PacketSink* sink = nullptr;
  std::vector<Sent> sent;

 private:
  SC_HAS_PROCESS(PlannedNetwork);
  std::uint64_t now() const { return (sc_core::sc_time_stamp() - base_).value() / kPeriodPs; }
  void arm() {
    if (position_ != plan_.end())
      next_.notify(sc_core::sc_time::from_value((position_->first - now()) * kPeriodPs));
  }
  void deliver() {
    for (; position_ != plan_.end() && position_->first == now(); ++position_)
      sink->packet_arrived(position_->second, now());
    arm();
  }

  std::multimap<std::uint64_t, Packet> plan_;  // by cycle
  std::multimap<std::uint64_t, Packet>::iterator position_;
  sc_core::sc_event next_;
  sc_core::sc_time base_;
};

}  // namespace dfsim::test
