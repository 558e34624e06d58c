#include "sim/noc/textbook/terminal.h"

namespace dfsim::textbook {

Terminal::Terminal(sc_core::sc_module_name name, const NocSpec& spec, Listener& listener,
                   std::uint32_t message_classes)
    : sc_module(name), spec_(spec), listener_(listener), classes_(message_classes) {
  reset();
  SC_METHOD(step);
  sensitive << clock;
  dont_initialize();
}

void Terminal::reset() {
  queues_.assign(classes_, Queue{});
  for (std::uint32_t c = 0; c < classes_; ++c) {
    const std::uint32_t vcs =
        (c + 1) * spec_.virtual_channels / classes_ - c * spec_.virtual_channels / classes_;
    queues_[c].last_vc = vcs - 1;  // the first packet takes VC 0
  }
  credits_.assign(spec_.virtual_channels, spec_.buffer_flits);
  holder_ = 0;
  blocked_ = sent_ = last_cycle_ = 0;
  blocked_now_ = sent_now_ = false;
}

void Terminal::enqueue(std::uint32_t packet, std::uint32_t message_class) {
  queues_[message_class].packets.push_back(packet);
}

void Terminal::step() {
  const std::uint64_t now = clock.read();
  if (now == kNoCycle) return;
  last_cycle_ = now;
  sink();
  if (const Credit credit = credit_in.read(); credit.valid) {
    ++credits_[credit.vc];
    listener_.busy();
  }
  flit_out.write(Flit{});
  blocked_now_ = sent_now_ = false;
  if (choose_class(now)) return send(now);
  for (const Queue& queue : queues_) {
    if (queue.packets.empty()) continue;
    if (listener_.journey(queue.packets.front()).event.created <= now)
      blocked_now_ = true;
    else
      listener_.busy();  // later
  }
  blocked_ += blocked_now_ ? 1 : 0;
}

/// Takes every flit at once and returns the credit in the same cycle.
void Terminal::sink() {
  const Flit flit = flit_in.read();
  credit_out.write({flit.valid, flit.vc});
  if (!flit.valid) return;
  listener_.busy();
  if (flit.tail) listener_.arrived(flit.packet);
}

/// Fills in the queue's VC.
bool Terminal::can_send(Queue& queue, std::uint32_t message_class, std::uint64_t now) {
  if (queue.left) return credits_[queue.vc] != 0;
  if (queue.packets.empty() || listener_.journey(queue.packets.front()).event.created > now) return false;
  const std::uint32_t room = listener_.journey(queue.packets.front()).room();
  const std::uint32_t first = message_class * spec_.virtual_channels / classes_;
  const std::uint32_t count = (message_class + 1) * spec_.virtual_channels / classes_ - first;
  for (std::uint32_t i = 1; i <= count; ++i) {
    queue.vc = first + (queue.last_vc + i) % count;
    if (credits_[queue.vc] >= room) return true;
  }
  return false;
}

/// The class that is sending goes on while it can; then they take turns.
bool Terminal::choose_class(std::uint64_t now) {
  if (queues_[holder_].left && credits_[queues_[holder_].vc]) return true;
  for (std::uint32_t i = 1; i <= classes_; ++i) {
    const std::uint32_t c = (holder_ + i) % classes_;
    if (!can_send(queues_[c], c, now)) continue;
    holder_ = c;
    return true;
  }
  return false;
}

void Terminal::send(std::uint64_t now) {
  Queue& queue = queues_[holder_];
  const std::uint32_t packet = queue.packets.front();
  NocEvent& event = listener_.journey(packet).event;
  Flit flit{true, queue.left == 0, false, static_cast<std::uint8_t>(queue.vc), packet};
  if (flit.head) {
    queue.left = event.packet.flits;
    queue.last_vc = queue.vc - holder_ * spec_.virtual_channels / classes_;
    event.entered = now;
  }
  flit.tail = --queue.left == 0;
  --credits_[queue.vc];
  ++sent_;
  sent_now_ = true;
  flit_out.write(flit);
  listener_.busy();
  if (!flit.tail) return;
  queue.packets.pop_front();
  if (event.packet.notify_left) listener_.left(packet);
}

}  // namespace dfsim::textbook
