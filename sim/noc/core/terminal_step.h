// One source in one cycle: which flit it sends.
#pragma once

#include <algorithm>

#include "sim/noc/core/vc_allocation.h"

namespace dfsim {

template <unsigned W, bool Watched>
bool RouterEngine<W, Watched>::step_terminal(std::uint32_t terminal) {
  Terminal& source = terminals_[terminal];
  std::uint16_t* credits = &terminal_credits_[terminal * vcs_];
  source.done = now_ + 1;
  if (source.credit_in) ++credits[source.credit_in - 1];

  source.sending = choose_class(source, terminal);
  if (source.sending) {
    send_flit(source, terminal);
    source.blocked_now = false;
  } else {
    source.blocked_now = has_eligible_packet(source, terminal);
    source.blocked += source.blocked_now ? 1 : 0;
    if (source.driven_vc) {
      source.driven_vc = 0;
      out_.injection->flits.push({wire(source.router, source.port, 0).end(), kNoSlot});
    }
  }
  if (options_.always_evaluate) return !source.sending && source.waiting == 0 && !source.credit_in;
  // With a credit per cycle a multicast packet may get room.
  if (!source.sending) return !source.credit_in || !source.blocked_now;

  // The next cycles are known: body flits until credits or the packet run out, or nothing.
  const SourceQueue& queue = queues_[terminal * options_.message_classes + source.holder];
  if (queue.left == 0) {
    if (source.waiting != 0) return false;
    source.driven_vc = 0;
    out_next_.injection->flits.push({wire(source.router, source.port, 0).end(), kNoSlot});
    source.sending = false;
    return true;
  }
  std::uint64_t cycles = queue.left;
  if (source.credit_in != queue.vc + 1) cycles = std::min<std::uint64_t>(cycles, credits[queue.vc] + 1u);
  if (cycles < 2) return false;
  set_terminal_timer(terminal, cycles);
  return true;
}

/// Packets that may be sent later than this cycle wake the source when they do.
template <unsigned W, bool Watched>
bool RouterEngine<W, Watched>::has_eligible_packet(const Terminal& source, std::uint32_t terminal) const {
  for (std::uint32_t c = 0; source.waiting && c < options_.message_classes; ++c) {
    const SourceQueue& queue = queues_[terminal * options_.message_classes + c];
    if (queue.first != kNoSlot && slots_[queue.first].created <= now_) return true;
  }
  return false;
}

/// A class keeps the injection channel while its packet can go on. Then the classes take turns, so that a
/// class without credits never stands in the way of another.
template <unsigned W, bool Watched>
bool RouterEngine<W, Watched>::choose_class(Terminal& source, std::uint32_t terminal) {
  if (source.waiting == 0) return false;
  const std::uint32_t classes = options_.message_classes;
  SourceQueue* queues = &queues_[terminal * classes];
  const std::uint16_t* credits = &terminal_credits_[terminal * vcs_];
  const SourceQueue& held = queues[source.holder];
  if (held.left && credits[held.vc]) return true;
  for (std::uint32_t i = 1; i <= classes; ++i) {
    const std::uint32_t c = source.holder + i < classes ? source.holder + i : source.holder + i - classes;
    std::uint32_t vc = 0;
    if (!can_send(queues[c], credits, c, vc)) continue;
    source.holder = static_cast<std::uint8_t>(c);
    queues[c].vc = static_cast<std::uint8_t>(vc);
    return true;
  }
  return false;
}

template <unsigned W, bool Watched>
bool RouterEngine<W, Watched>::can_send(const SourceQueue& queue, const std::uint16_t* credits,
                                        std::uint32_t message_class, std::uint32_t& vc) const {
  if (queue.left) {
    vc = queue.vc;
    return credits[vc] != 0;
  }
  if (queue.first == kNoSlot || slots_[queue.first].created > now_) return false;
  const std::uint32_t first = first_vc(message_class);
  const std::uint32_t count = class_vcs(message_class);
  const std::uint32_t room = slots_[queue.first].room;
  std::uint32_t place = queue.last_vc;
  for (std::uint32_t i = 0; i < count; ++i) {
    place = place + 1 == count ? 0 : place + 1;
    vc = first + place;
    if (credits[vc] >= room) return true;
  }
  return false;
}

template <unsigned W, bool Watched>
void RouterEngine<W, Watched>::send_flit(Terminal& source, std::uint32_t terminal) {
  const std::uint32_t message_class = source.holder;
  SourceQueue& queue = queues_[terminal * options_.message_classes + message_class];
  PacketSlot& packet = slots_[queue.first];
  const bool head = queue.left == 0;
  if (head) {
    queue.left = packet.flits;
    queue.last_vc = static_cast<std::uint8_t>(queue.vc - first_vc(message_class));
    packet.entered = now_;
  }
  if (head || source.driven_vc != queue.vc + 1) {
    source.driven_vc = static_cast<std::uint8_t>(queue.vc + 1);
    out_.injection->flits.push({wire(source.router, source.port, queue.vc), head ? queue.first : kNoSlot});
  }
  ++source.sent;
  --terminal_credits_[terminal * vcs_ + queue.vc];
  if (--queue.left != 0) return;
  if (packet.notify_left) wheel_.post(now_ + 1).notices.push({queue.first, false});
  queue.first = packet.next;
  --source.waiting;
}

}  // namespace dfsim
