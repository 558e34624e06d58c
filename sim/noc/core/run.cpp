// Time: which cycle comes next, who is awake in it, and what became of those who slept.
#include <algorithm>
#include <bit>

#include "sim/noc/core/network_core.h"

namespace dfsim {

bool NetworkCore::run_until(std::uint64_t last) {
  release_events();
  for (;;) {
    const std::uint64_t cycle = any_awake_ ? next_ : wheel_.next_after(next_ - 1);
    if (cycle > last || cycle == kNever) return false;
    if (!wheel_.at(cycle).notices.empty()) {
      collect_events(cycle);
      return true;
    }
    process(cycle);
  }
}

std::uint64_t NetworkCore::next_activity() const { return any_awake_ ? next_ : wheel_.next_after(next_ - 1); }

void NetworkCore::process(std::uint64_t cycle) {
  now_ = cycle;
  if (wheel_.marked(cycle)) {
    deliver_changes(wheel_.at(cycle));
    wheel_.clear(cycle);
  }
  any_awake_ = false;
  evaluate_terminals();
  evaluate_routers();
  next_ = cycle + 1;
}

void NetworkCore::deliver_changes(WheelSlot& slot) {
  for (const WireChange& change : slot.flits) change_flit_wire(ports_[change.target], change.value);
  for (const WireChange& change : slot.credits)
    change_credit_wire(ports_[change.target], static_cast<std::uint8_t>(change.value));
  for (const WireChange& change : slot.terminal_credits)
    change_terminal_credit(change.target, static_cast<std::uint8_t>(change.value));
  for (const std::uint32_t router : slot.router_timers)
    if (routers_[router].timer == now_) wake_router(router);
  for (const std::uint32_t terminal : slot.terminal_timers)
    if (terminals_[terminal].timer == now_) wake_terminal(terminal);
  for (const std::uint32_t terminal : slot.injections) wake_terminal(terminal);
}

// A sleeping router need not be woken by body flits behind others, nor by the end of a stream into a buffer
// that waits, or that holds the tail of what is read from it: a timer is set for that tail.
void NetworkCore::change_flit_wire(PortState& port, std::uint32_t value) {
  RouterState& router = routers_[port.router];
  const std::uint32_t bit = 1u << port.index;
  if (!awake(port.router)) {
    bool sleeps_on = false;
    if (value < kFirstHeadValue && !options_.always_evaluate) {
      catch_up_router(port.router, now_);
      const InputVc* inputs = &inputs_[static_cast<std::size_t>(&port - ports_.data()) * vcs_];
      const std::uint32_t old_vc = port.flit_in & kVcBits;
      const bool starved =
          port.flit_in != 0 && port.credit_out == old_vc + 1 && inputs[old_vc].left > inputs[old_vc].count;
      sleeps_on = !starved && (value == 0 || inputs[value & kVcBits].count != 0);
    }
    if (!sleeps_on) wake_router(port.router);
  }
  port.flit_in = value;
  router.flit_ports = value ? router.flit_ports | bit : router.flit_ports & ~bit;
}

// Credits matter to a sleeping router if a packet waits for them, or if a stream has lived on those that now
// end.
void NetworkCore::change_credit_wire(PortState& port, std::uint8_t value) {
  RouterState& router = routers_[port.router];
  const std::uint32_t bit = 1u << port.index;
  if (!awake(port.router)) {
    bool sleeps_on = false;
    if (!options_.always_evaluate) {
      catch_up_router(port.router, now_);
      const OutputVc* outputs = &outputs_[static_cast<std::size_t>(&port - ports_.data()) * vcs_];
      sleeps_on = (value == 0 || outputs[value - 1].credits != 0) &&
                  (port.credit_in == 0 || outputs[port.credit_in - 1].owner_port == kNoOwner);
    }
    if (!sleeps_on) wake_router(port.router);
  }
  port.credit_in = value;
  router.credit_ports = value ? router.credit_ports | bit : router.credit_ports & ~bit;
}

// A sleeping source needs to know of credits if it is blocked, and of the end of those on which its stream
// lives.
void NetworkCore::change_terminal_credit(std::uint32_t terminal, std::uint8_t value) {
  Terminal& source = terminals_[terminal];
  const std::uint32_t streaming_vc = queues_[terminal * options_.message_classes + source.holder].vc;
  const bool needed = source.sending ? source.credit_in == streaming_vc + 1 : source.waiting != 0;
  if (needed || options_.always_evaluate)
    wake_terminal(terminal);
  else
    catch_up_terminal(terminal, now_);
  source.credit_in = value;
}

void NetworkCore::collect_events(std::uint64_t cycle) {
  WheelSlot& slot = wheel_.at(cycle);
  event_cycle_ = cycle;
  for (const Notice& notice : slot.notices) {
    const PacketSlot& packet = slots_[notice.slot];
    events_.push_back({notice.arrived ? NocEvent::Kind::arrived : NocEvent::Kind::left, packets_[notice.slot],
                       packet.created, packet.entered, packet.hops});
    if (!notice.arrived) continue;
    ++packets_ejected_;
    ++terminals_[packets_[notice.slot].destination.value()].received;
    arrived_slots_.push_back(notice.slot);
  }
  slot.notices.clear();
  // At most one of each kind per endpoint: sorted, the order of evaluation leaves no trace.
  const auto key = [](const NocEvent& event) {
    const bool arrived = event.kind == NocEvent::Kind::arrived;
    return std::pair(!arrived, arrived ? event.packet.destination : event.packet.source);
  };
  std::sort(events_.begin(), events_.end(),
            [&key](const NocEvent& a, const NocEvent& b) { return key(a) < key(b); });
}

void NetworkCore::release_events() {
  std::sort(arrived_slots_.begin(), arrived_slots_.end());
  for (const std::uint32_t slot : arrived_slots_) free_slot(slot);
  arrived_slots_.clear();
  events_.clear();
}

void NetworkCore::wake_router(std::uint32_t router) {
  std::uint64_t& word = awake_routers_[router / 64];
  const std::uint64_t bit = std::uint64_t{1} << (router % 64);
  if (word & bit) return;
  word |= bit;
  touched_routers_[router / 64] |= bit;
  catch_up_router(router, now_);
}

void NetworkCore::wake_terminal(std::uint32_t terminal) {
  std::uint64_t& word = awake_terminals_[terminal / 64];
  const std::uint64_t bit = std::uint64_t{1} << (terminal % 64);
  if (word & bit) return;
  word |= bit;
  touched_terminals_[terminal / 64] |= bit;
  catch_up_terminal(terminal, now_);
}

// A sleeping router has, in each cycle, sent one flit of every VC named by its credit wires, taken in what
// its input wires say, and counted its stalls. None of that changed a decision, or a timer would have gone
// off.
void NetworkCore::catch_up_router(std::uint32_t index, std::uint64_t end) {
  RouterState& router = routers_[index];
  const std::uint32_t vcs = vcs_;
  if (router.done >= end) return;
  const std::uint64_t cycles = end - router.done;
  router.done = end;
  const auto moved = static_cast<std::uint16_t>(cycles);
  PortState* ports = &ports_[std::size_t{index} * stride_];
  InputVc* inputs = &inputs_[std::size_t{index} * stride_ * vcs_];
  OutputVc* outputs = &outputs_[std::size_t{index} * stride_ * vcs_];
  for (std::uint32_t rest = router.flit_ports; rest; rest &= rest - 1) {
    const std::uint32_t p = static_cast<std::uint32_t>(std::countr_zero(rest));
    InputVc& input = inputs[p * vcs + (ports[p].flit_in & kVcBits)];
    input.count = static_cast<std::uint16_t>(input.count + moved);
  }
  for (std::uint32_t rest = router.credit_ports; rest; rest &= rest - 1) {
    const std::uint32_t p = static_cast<std::uint32_t>(std::countr_zero(rest));
    const std::uint32_t vc = ports[p].credit_in - 1u;
    OutputVc& output = outputs[p * vcs + vc];
    ports[p].credited |= 1u << vc;
    if (output.owner_port != kNoOwner) ports[output.owner_port].credit_ok |= 1u << output.owner_vc;
    output.credits = static_cast<std::uint16_t>(output.credits + moved);
  }
  for (std::uint32_t rest = router.crediting; rest; rest &= rest - 1) {
    const std::uint32_t p = static_cast<std::uint32_t>(std::countr_zero(rest));
    PortState& in = ports[p];
    const std::uint32_t vc = in.credit_out - 1u;
    InputVc& input = inputs[p * vcs + vc];
    PortState& out = ports[input.out_port];
    OutputVc& output = outputs[input.out_port * vcs + input.out_vc];
    out.flits += cycles;
    input.left -= static_cast<std::uint32_t>(cycles);
    input.count = static_cast<std::uint16_t>(input.count - moved);
    output.credits = static_cast<std::uint16_t>(output.credits - moved);
    if (input.count == 0) {
      in.occupied &= ~(1u << vc);
      if (in.occupied == 0) router.occupied_ports &= ~(1u << p);
    }
    if (output.credits == 0) {
      out.credited &= ~(1u << input.out_vc);
      in.credit_ok &= ~(1u << vc);
    }
  }
  router.stalls.no_credit += router.no_credit * cycles;
  router.stalls.lost_arbitration += router.lost * cycles;
  router.stalls.no_vc += router.no_vc * cycles;
}

void NetworkCore::catch_up_terminal(std::uint32_t index, std::uint64_t end) {
  Terminal& source = terminals_[index];
  if (source.done >= end) return;
  const std::uint64_t cycles = end - source.done;
  source.done = end;
  std::uint16_t* credits = &terminal_credits_[index * vcs_];
  if (source.credit_in)
    credits[source.credit_in - 1] = static_cast<std::uint16_t>(credits[source.credit_in - 1] + cycles);
  if (source.sending) {
    SourceQueue& queue = queues_[index * options_.message_classes + source.holder];
    queue.left -= static_cast<std::uint32_t>(cycles);
    credits[queue.vc] = static_cast<std::uint16_t>(credits[queue.vc] - cycles);
    source.sent += cycles;
  }
  if (source.blocked_now) source.blocked += cycles;
}

void NetworkCore::set_router_timer(std::uint32_t router, std::uint64_t cycles) {
  const std::uint64_t due = now_ + std::min<std::uint64_t>(cycles, wheel_.horizon());
  routers_[router].timer = due;
  wheel_.post(due).router_timers.push_back(router);
}

void NetworkCore::set_terminal_timer(std::uint32_t terminal, std::uint64_t cycles) {
  const std::uint64_t due = now_ + std::min<std::uint64_t>(cycles, wheel_.horizon());
  terminals_[terminal].timer = due;
  wheel_.post(due).terminal_timers.push_back(terminal);
}

void NetworkCore::evaluate_terminals() {
  for (std::size_t word = 0; word < awake_terminals_.size(); ++word) {
    for (std::uint64_t rest = awake_terminals_[word]; rest; rest &= rest - 1) {
      const std::uint32_t index =
          static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(rest));
      if (step_terminal(index)) awake_terminals_[word] &= ~(rest & -rest);
    }
    any_awake_ |= awake_terminals_[word] != 0;
  }
}

}  // namespace dfsim
