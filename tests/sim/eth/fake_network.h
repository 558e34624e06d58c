// tests/sim/eth/fake_network.h: what stands for a network on chip in tests of Ethernet modules.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <systemc>
#include <vector>

#include "sim/base/ring_queue.h"
#include "sim/eth/ethernet_port.h"
#include "sim/noc/ports.h"

namespace dfsim::test {

inline constexpr std::uint64_t kPeriodPs = 1000;

/// A network with one or more Ethernet ports: hands planned packets to a port, takes one flit per
/// `cycles_per_flit` from each, and records what arrived.
class FakeNetwork : public sc_core::sc_module, public PacketInjector {
 public:
  struct Taken {
    Packet packet;
    std::uint64_t cycle;
  };
  explicit FakeNetwork(sc_core::sc_module_name name) : sc_module(name) {
    SC_METHOD(deliver);
    sensitive << next_;
    dont_initialize();
    SC_METHOD(take);
    sensitive << left_;
    dont_initialize();
  }
  void inject(const Packet& packet, std::uint64_t now) override {
    EXPECT_EQ(now * kPeriodPs, (sc_core::sc_time_stamp() - base_).value());
    Source& source = sources_[packet.source.value()];
    source.free = std::max(now + 1, source.free) + packet.flits * cycles_per_flit;
    source.queue.push({packet, source.free});
    arm_take();
  }
  std::uint64_t blocked_cycles(EndpointId, std::uint64_t) const override { return 0; }

  /// At `cycle` a packet for endpoint 7 of NoC `to_noc` arrives at the port with endpoint `at` (0: the only
  /// one).
  void send_at(std::uint64_t cycle, std::uint32_t bytes, std::uint32_t to_noc,
               std::uint32_t transfer = kInOrder, std::uint32_t at = 0) {
    Packet packet;
    packet.flits = std::max(1u, ceil_div(bytes, 32u));
    packet.message_class = MessageClass::outbound;
    packet.destination = EndpointId(at);
    packet.message.kind = bytes == 0 ? MessageKind::ready : MessageKind::data;
    packet.message.bytes = bytes;
    packet.message.final_noc = NocId(to_noc);
    packet.message.final_endpoint = EndpointId(7);
    packet.message.transfer =
        TransferId(transfer == kInOrder ? static_cast<std::uint32_t>(plan_.size()) : transfer);
    plan_.push_back({packet, cycle});
  }
  void start() {
    taken.clear();
    position_ = 0;
    for (auto& [endpoint, source] : sources_) {
      source.free = 0;
      source.queue.clear();
    }
    std::stable_sort(plan_.begin(), plan_.end(),
                     [](const Taken& a, const Taken& b) { return a.cycle < b.cycle; });
    next_.cancel();
    left_.cancel();
    base_ = sc_core::sc_time_stamp();
    arm();
  }
  void clear() {
    plan_.clear();
    cycles_per_flit = 1;
  }

  static constexpr std::uint32_t kInOrder = 0xFFFFFFFF;  ///< packets are numbered as planned
  EthernetPort* port = nullptr;                          ///< the only one
  std::map<std::uint32_t, EthernetPort*> ports;          ///< by endpoint, if there are several
  std::uint32_t cycles_per_flit = 1;
  std::vector<Taken> taken;  ///< with the cycle in which the tail left the port

 private:
  SC_HAS_PROCESS(FakeNetwork);
  struct Source {
    RingQueue<Taken> queue;
    std::uint64_t free = 0;
  };
  std::uint64_t now() const { return (sc_core::sc_time_stamp() - base_).value() / kPeriodPs; }
  EthernetPort& at(EndpointId endpoint) {
    const auto it = ports.find(endpoint.value());
    return it == ports.end() ? *port : *it->second;
  }
  void arm() {
    if (position_ < plan_.size())
      next_.notify(sc_core::sc_time::from_value((plan_[position_].cycle - now()) * kPeriodPs));
  }
  void arm_take() {
    std::uint64_t next = ~std::uint64_t{0};
    for (const auto& [endpoint, source] : sources_)
      if (!source.queue.empty()) next = std::min(next, source.queue.front().cycle);
    left_.cancel();
    if (next != ~std::uint64_t{0}) left_.notify(sc_core::sc_time::from_value((next - now()) * kPeriodPs));
  }
  void deliver() {
    for (; position_ < plan_.size() && plan_[position_].cycle == now(); ++position_)
      at(plan_[position_].packet.destination).packet_arrived(plan_[position_].packet, now());
    arm();
  }
  void take() {
    for (auto& [endpoint, source] : sources_) {
      while (!source.queue.empty() && source.queue.front().cycle <= now()) {
        const Taken item = source.queue.front();
        source.queue.pop();
        taken.push_back(item);
        at(item.packet.source).packet_left(item.packet, item.cycle);
      }
    }
    arm_take();
  }
  std::vector<Taken> plan_;
  std::map<std::uint32_t, Source> sources_;  ///< by endpoint
  std::size_t position_ = 0;
  sc_core::sc_event next_, left_;
  sc_core::sc_time base_;
};

}  // namespace dfsim::test
