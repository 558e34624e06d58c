// sim/noc/textbook/terminal.h: the network's side of an endpoint: endless source queues and a sink.
#pragma once

#include <cstdint>
#include <deque>
#include <systemc>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/noc/textbook/channel.h"
#include "sim/noc/textbook/packet_table.h"

namespace dfsim::textbook {

class Terminal : public sc_core::sc_module {
 public:
  sc_core::sc_in<std::uint64_t> clock;
  sc_core::sc_out<Flit> flit_out;    ///< to the router
  sc_core::sc_in<Credit> credit_in;  ///< for it
  sc_core::sc_in<Flit> flit_in;      ///< from the router
  sc_core::sc_out<Credit> credit_out;

  Terminal(sc_core::sc_module_name name, const NocSpec& spec, Listener& listener,
           std::uint32_t message_classes);
  void reset();
  /// To the end of the queue of its class.
  void enqueue(std::uint32_t packet, std::uint32_t message_class);

  /// Cycles before `now` in which there was a flit to send and none was sent.
  std::uint64_t blocked_cycles(std::uint64_t now) const {
    return blocked_ - (blocked_now_ && last_cycle_ >= now ? 1 : 0);
  }
  /// Flits sent and taken in the cycles before `now`.
  std::uint64_t sent(std::uint64_t now) const { return sent_ - (sent_now_ && last_cycle_ >= now ? 1 : 0); }

 private:
  SC_HAS_PROCESS(Terminal);
  struct Queue {
    std::deque<std::uint32_t> packets;
    std::uint32_t left = 0;  ///< flits of the first packet still to send, if its head has been sent
    std::uint32_t vc = 0;
    std::uint32_t last_vc = 0;  ///< relative to the class's first
  };
  void step();
  void sink();
  bool can_send(Queue& queue, std::uint32_t message_class, std::uint64_t now);
  bool choose_class(std::uint64_t now);
  void send(std::uint64_t now);

  const NocSpec& spec_;
  Listener& listener_;
  const std::uint32_t classes_;
  std::vector<Queue> queues_;
  std::vector<std::uint32_t> credits_;
  std::uint32_t holder_ = 0;  ///< class that has the injection channel, or had it last
  std::uint64_t blocked_ = 0, sent_ = 0, last_cycle_ = 0;
  bool blocked_now_ = false, sent_now_ = false;
};

}  // namespace dfsim::textbook
