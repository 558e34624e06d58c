// Time: which cycle comes next, and who is awake in it.
#pragma once

#include <algorithm>
#include <bit>

#include "sim/noc/core/setup.h"

namespace dfsim {

template <unsigned W, bool Watched>
bool RouterEngine<W, Watched>::run_until(std::uint64_t last) {
  release_events();
  for (;;) {
    const std::uint64_t cycle = next_activity();
    if (cycle > last || cycle == kNever) return false;
    if (!wheel_.at(cycle).notices.empty()) {
      collect_events(cycle);
      return true;
    }
    process(cycle);
  }
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::process(std::uint64_t cycle) {
  out_ = out_next_cycle_ == cycle ? out_next_ : outboxes(cycle);
  out_next_ = outboxes(cycle + 1);
  out_next_cycle_ = cycle + 1;
  now_ = cycle;
  if (wheel_.marked(cycle)) {
    deliver_changes(wheel_.at(cycle));
    wheel_.clear(cycle);
  }
  any_awake_ = false;
  for (const std::uint32_t router : resting_) set_bit(awake_routers_, router);
  resting_.clear();
  evaluate_terminals();
  if (spec_.arbitration == SwitchArbitration::packet_hold)
    evaluate_routers<true>();
  else
    evaluate_routers<false>();
  for (const std::uint32_t router : new_heads_) serve_new_head(router);
  new_heads_.clear();
  mark_outboxes(out_, cycle);
  mark_outboxes(out_next_, cycle + 1);
  next_ = cycle + 1;
}

template <unsigned W, bool Watched>
typename RouterEngine<W, Watched>::Outboxes RouterEngine<W, Watched>::outboxes(std::uint64_t cycle) {
  return {&wheel_.at(cycle + flit_delay_), &wheel_.at(cycle + credit_delay_),
          &wheel_.at(cycle + engine_detail::kTerminalCreditDelay), &wheel_.at(cycle + ejection_credit_delay_),
          &wheel_.at(cycle + engine_detail::kInjectionDelay)};
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::mark_outboxes(const Outboxes& boxes, std::uint64_t cycle) {
  if (!boxes.flits->flits.empty() || !boxes.flits->single_flits.empty()) wheel_.mark(cycle + flit_delay_);
  if (!boxes.credits->credits.empty() || !boxes.credits->single_credits.empty())
    wheel_.mark(cycle + credit_delay_);
  const WheelSlot& terminals = *boxes.terminal_credits;
  if (!terminals.terminal_credits.empty() || !terminals.single_terminal_credits.empty())
    wheel_.mark(cycle + engine_detail::kTerminalCreditDelay);
  const WheelSlot& sinks = *boxes.ejection_credits;
  if (!sinks.credits.empty() || !sinks.single_credits.empty()) wheel_.mark(cycle + ejection_credit_delay_);
  if (!boxes.injection->flits.empty()) wheel_.mark(cycle + engine_detail::kInjectionDelay);
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::collect_events(std::uint64_t cycle) {
  WheelSlot& slot = wheel_.at(cycle);
  event_cycle = cycle;
  for (const Notice& notice : slot.notices) {
    const PacketSlot& packet = slots_[notice.slot];
    events.push_back({notice.arrived ? NocEvent::Kind::arrived : NocEvent::Kind::left, packets_[notice.slot],
                      packet.created, packet.entered, packet.hops});
    if (!notice.arrived) continue;
    ++packets_ejected;
    ++terminals_[packets_[notice.slot].destination.value()].received;
    arrived_slots_.push_back(notice.slot);
  }
  slot.notices.clear();
  if (events.size() < 2) return;
  // At most one of each kind per endpoint: sorted, the order of evaluation leaves no trace.
  const auto key = [](const NocEvent& event) {
    const bool arrived = event.kind == NocEvent::Kind::arrived;
    return std::pair(!arrived, arrived ? event.packet.destination : event.packet.source);
  };
  std::sort(events.begin(), events.end(),
            [&key](const NocEvent& a, const NocEvent& b) { return key(a) < key(b); });
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::release_events() {
  if (events.empty()) return;
  std::sort(arrived_slots_.begin(), arrived_slots_.end());
  for (const std::uint32_t slot : arrived_slots_) free_slot(slot);
  arrived_slots_.clear();
  events.clear();
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::wake_router(std::uint32_t router) {
  if (routers_[router].awake) return;
  routers_[router].awake = true;
  set_bit(awake_routers_, router);
  set_bit(touched_routers_, router);
  count_stalls(routers_[router], now_);
}

/// For a router that has slept through the cycle that is being evaluated.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::wake_in_next_cycle(std::uint32_t router) {
  count_stalls(routers_[router], now_ + 1);
  routers_[router].awake = true;
  set_bit(awake_routers_, router);
  any_awake_ = true;
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::wake_terminal(std::uint32_t terminal) {
  std::uint64_t& word = awake_terminals_[terminal / 64];
  const std::uint64_t bit = std::uint64_t{1} << (terminal % 64);
  if (word & bit) return;
  word |= bit;
  touched_terminals_[terminal / 64] |= bit;
  catch_up_terminal(terminal, now_);
}

/// The router sleeps until `due` if nothing happens before. Replaces the timer it may have.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::set_router_timer(std::uint32_t router, std::uint64_t due) {
  due = std::min(due, now_ + wheel_.horizon());
  if (routers_[router].timer == due) return;
  routers_[router].timer = due;
  wheel_.post(due).router_timers.push(router);
}

/// A sleeping router must be evaluated in `due`, if not before.
template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::look_again(std::uint32_t router, std::uint64_t due) {
  if (due <= now_) return wake_router(router);
  const std::uint64_t timer = routers_[router].timer;
  if (timer >= now_ && timer <= due) return;  // one for this cycle may still go off
  set_router_timer(router, due);
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::set_terminal_timer(std::uint32_t terminal, std::uint64_t cycles) {
  const std::uint64_t due = now_ + std::min<std::uint64_t>(cycles, wheel_.horizon());
  terminals_[terminal].timer = due;
  wheel_.post(due).terminal_timers.push(terminal);
}

template <unsigned W, bool Watched>
template <bool Hold>
void RouterEngine<W, Watched>::evaluate_routers() {
  switch (stages_) {
    case Stages::route_first:
      return evaluate_routers<Hold, Stages::route_first>();
    case Stages::route_known:
      return evaluate_routers<Hold, Stages::route_known>();
    case Stages::speculative:
      return evaluate_routers<Hold, Stages::speculative>();
  }
}

template <unsigned W, bool Watched>
template <bool Hold, typename RouterEngine<W, Watched>::Stages S>
void RouterEngine<W, Watched>::evaluate_routers() {
  const std::size_t words = awake_routers_.size();
  const bool reverse = options_.reverse_order;
  for (std::size_t i = 0; i < words; ++i) {
    const std::size_t word = reverse ? words - 1 - i : i;
    std::uint64_t awake = awake_routers_[word];
    const std::uint64_t forking = awake & forking_routers_[word];
    const auto first = static_cast<std::uint32_t>(word * 64);
    for (std::uint64_t rest = awake & ~forking; rest;) {
      const auto place =
          static_cast<std::uint32_t>(reverse ? 63 - std::countl_zero(rest) : std::countr_zero(rest));
      const std::uint64_t bit = std::uint64_t{1} << place;
      rest ^= bit;
      if (step_router<Hold, S>(first + place)) awake ^= bit;
    }
    for (std::uint64_t rest = forking; rest; rest &= rest - 1)
      if (step_forking_router<Hold, S>(first + static_cast<std::uint32_t>(std::countr_zero(rest))))
        awake &= ~(rest & -rest);
    awake_routers_[word] = awake;
    any_awake_ |= awake != 0;
  }
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::evaluate_terminals() {
  for (std::size_t word = 0; word < awake_terminals_.size(); ++word) {
    for (std::uint64_t rest = awake_terminals_[word]; rest; rest &= rest - 1) {
      const std::uint32_t index =
          static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(rest));
      if (step_terminal(index)) awake_terminals_[word] &= ~(rest & -rest);
    }
    any_awake_ |= awake_terminals_[word] != 0;
  }
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::settle(std::uint64_t end) {
  next_ = std::min(std::max(end, next_), next_activity());
}

}  // namespace dfsim
