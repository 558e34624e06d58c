#include "sim/system/sampler.h"

namespace dfsim {

void Sampler::start(Observer* observer) {
  observer_ = observer;
  next_ = observer ? observer->next_sample(0) : Observer::kNoSample;
  active_ = next_ != Observer::kNoSample;
  boundary_.cancel();
}

void Sampler::run() {
  while (sc_core::sc_pending_activity()) {
    // Nothing more to look at, or only what is still under way: credits, refreshes.
    if (next_ == Observer::kNoSample || machine_.context().progress.finished()) return sc_core::sc_start();
    step();
    if (machine_.context().paused) return;
  }
}

/// All processes of the cycles before `next_`, then a sample.
void Sampler::step() {
  const RunContext& context = machine_.context();
  const sc_core::sc_time tick = sc_core::sc_time::from_value(1);
  const sc_core::sc_time span = context.until(next_);
  boundary_.notify(span - tick);
  sc_core::sc_start(span - tick, sc_core::SC_RUN_TO_TIME);
  sc_core::sc_start(tick, sc_core::SC_RUN_TO_TIME);
  if (context.paused) return;
  if (!context.progress.finished() || context.progress.last_end() >= next_) sample(next_, false);
  next_ = observer_->next_sample(next_);
}

void Sampler::finish(std::uint64_t end) {
  if (active_) sample(end, true);
  boundary_.cancel();
}

void Sampler::sample(std::uint64_t cycle, bool last) {
  const HardwareSpec& hardware = machine_.hardware();
  CounterSample sample;
  sample.cycle = cycle;
  sample.last = last;
  for (std::uint32_t n = 0; n < hardware.nocs.size(); ++n)
    sample.link_flits.push_back(machine_.noc(NocId(n)).link_flits(cycle));
  for (std::uint32_t p = 0; p < hardware.memory.size(); ++p) {
    if (machine_.is_bridge(PortId(p))) {
      sample.read_bytes.push_back(machine_.bridge(PortId(p)).read_bytes());
      sample.write_bytes.push_back(machine_.bridge(PortId(p)).write_bytes());
      continue;
    }
    const MemoryCounters counters = machine_.memory(PortId(p)).counters(cycle > 0 ? cycle - 1 : 0);
    sample.read_bytes.push_back(counters.bytes_read);
    sample.write_bytes.push_back(counters.bytes_written);
  }
  for (std::size_t i = 0; i < hardware.ethernet_links.size(); ++i) {
    EthernetLink& link = machine_.link(i);
    sample.wire_bytes.push_back(link.a_to_b.counters().wire_bytes);
    sample.wire_bytes.push_back(link.b_to_a.counters().wire_bytes);
  }
  observer_->sample(sample);
}

}  // namespace dfsim
