// tests/sim/pe/test_network.h: a network that takes a fixed time, and a memory that answers at once, for
// tests of the PE alone.
#pragma once

#include <algorithm>
#include <map>
#include <systemc>
#include <utility>
#include <vector>

#include "sim/noc/ports.h"
#include "sim/pe/run_context.h"

namespace dfsim {

/// A packet accepted at t sends its flits in t+1 ... t+flits (after those of earlier packets of its source),
/// leaves the source queue as of the cycle after its tail and arrives `latency` cycles after its tail.
class TestNetwork : public sc_core::sc_module, public PacketInjector {
 public:
  static constexpr std::uint64_t kLatency = 10;

  TestNetwork(sc_core::sc_module_name name, RunContext& context, std::size_t endpoints)
      : sc_module(name),
        context_(context),
        sinks_(endpoints, nullptr),
        free_(endpoints, 0),
        holds_(endpoints) {
    SC_HAS_PROCESS(TestNetwork);
    SC_METHOD(deliver);
    sensitive << event_;
    dont_initialize();
  }
  void attach(std::size_t endpoint, PacketSink& sink) { sinks_[endpoint] = &sink; }
  /// Source `endpoint` cannot send in [from, to).
  void hold(std::size_t endpoint, std::uint64_t from, std::uint64_t to) { holds_[endpoint] = {from, to, {}}; }

  void inject(const Packet& packet, std::uint64_t now) override {
    const std::size_t source = packet.source.value();
    std::uint64_t first = std::max(now + 1, free_[source]);
    Hold& hold = holds_[source];
    if (first >= hold.from && first < hold.to) {
      hold.blocked.emplace_back(std::max(first, hold.blocked.empty() ? 0 : hold.blocked.back().second),
                                hold.to);
      first = hold.to;
    }
    const std::uint64_t tail = first + packet.flits - 1;
    free_[source] = tail + 1;
    flits += packet.flits;
    if (packet.notify_left) schedule(tail + 1, packet, true);
    Packet copy = packet;
    copy.destinations = {};
    for (const EndpointId leaf : packet.destinations) {
      copy.destination = leaf;
      schedule(tail + kLatency, copy, false);
    }
    if (packet.destinations.empty()) schedule(tail + kLatency, packet, false);
  }
  std::uint64_t blocked_cycles(EndpointId endpoint, std::uint64_t now) const override {
    std::uint64_t cycles = 0;
    for (const auto& [from, to] : holds_[endpoint.value()].blocked)
      if (now > from) cycles += std::min(now, to) - from;
    return cycles;
  }
  void reset() {
    event_.cancel();
    pending_.clear();
    std::fill(free_.begin(), free_.end(), 0);
    for (Hold& hold : holds_) hold = Hold{};
    flits = 0;
  }

  std::uint64_t flits = 0;

 private:
  struct Hold {
    std::uint64_t from = 0, to = 0;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> blocked;
  };
  void schedule(std::uint64_t cycle, const Packet& packet, bool left) {
    pending_.emplace(cycle, std::pair(packet, left));
    event_.cancel();
    event_.notify(context_.until(pending_.begin()->first));
  }
  void deliver() {
    const std::uint64_t now = context_.now();
    while (!pending_.empty() && pending_.begin()->first == now) {
      const auto [packet, left] = pending_.begin()->second;
      pending_.erase(pending_.begin());
      if (left)
        sinks_[packet.source.value()]->packet_left(packet, now);
      else
        sinks_[packet.destination.value()]->packet_arrived(packet, now);
    }
    if (!pending_.empty()) event_.notify(context_.until(pending_.begin()->first));
  }

  RunContext& context_;
  std::vector<PacketSink*> sinks_;
  std::vector<std::uint64_t> free_;
  std::vector<Hold> holds_;
  std::multimap<std::uint64_t, std::pair<Packet, bool>> pending_;
  sc_core::sc_event event_;
};

/// Answers every request in the cycle in which it arrives, in packets of up to 2048 bytes.
class TestMemory : public PacketSink {
 public:
  explicit TestMemory(TestNetwork& network) : network_(network) {}
  void packet_arrived(const Packet& packet, std::uint64_t cycle) override {
    requests.push_back(packet);
    Packet answer = packet;
    answer.source = packet.destination;
    answer.destination = packet.message.reply_to;
    answer.destinations = packet.message.reply_to_all;
    answer.message_class = MessageClass::sinkable;
    answer.notify_left = false;
    answer.flits = 1;
    if (packet.message.kind == MessageKind::store_data) {
      answer.message.kind = MessageKind::store_ack;
      network_.inject(answer, cycle);
      return;
    }
    answer.message.kind = MessageKind::load_data;
    for (std::uint32_t left = packet.message.bytes; left > 0;) {
      answer.message.bytes = std::min(left, 2048u);
      answer.flits = (answer.message.bytes + 31) / 32;
      left -= answer.message.bytes;
      network_.inject(answer, cycle);
    }
  }
  void packet_left(const Packet&, std::uint64_t) override {}
  std::vector<Packet> requests;

 private:
  TestNetwork& network_;
};

}  // namespace dfsim
