#include "sim/trace/activity.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>

namespace dfsim {

namespace {

/// "[[1,2],[3,4]]", one row a line.
std::string rows(std::size_t count, std::size_t windows,
                 const std::function<std::uint64_t(std::size_t, std::size_t)>& value) {
  std::string text = "[";
  std::vector<std::uint64_t> row(windows);
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t w = 0; w < windows; ++w) row[w] = value(i, w);
    text += fmt::format("{}\n[{}]", i > 0 ? "," : "", fmt::join(row, ","));
  }
  return text + "]";
}

}  // namespace

ActivityCounter::ActivityCounter(const HardwareSpec& hardware, std::uint64_t window_cycles)
    : window_(std::max<std::uint64_t>(1, window_cycles)), stalled_(hardware.pes.size()) {}

void ActivityCounter::stall(PeId pe, StallCause, std::uint64_t start, std::uint64_t end) {
  if (end <= start) return;
  std::vector<std::uint64_t>& windows = stalled_[pe.value()];
  if (windows.size() <= (end - 1) / window_) windows.resize((end - 1) / window_ + 1, 0);
  for (std::uint64_t w = start / window_; w * window_ < end; ++w)
    windows[w] += std::min(end, (w + 1) * window_) - std::max(start, w * window_);
}

void ActivityCounter::sample(const CounterSample& sample) {
  if (samples_.empty() || sample.cycle > samples_.back().cycle) samples_.push_back(sample);
}

std::uint64_t ActivityCounter::length(std::size_t w) const {
  return samples_[w].cycle - (w > 0 ? samples_[w - 1].cycle : 0);
}

std::uint64_t ActivityCounter::busy(PeId pe, std::size_t w) const {
  const std::vector<std::uint64_t>& stalled = stalled_[pe.value()];
  return length(w) - (w < stalled.size() ? stalled[w] : 0);
}

std::uint64_t ActivityCounter::flits(NocId noc, std::uint32_t link, std::size_t w) const {
  const auto total = [&](std::size_t i) { return samples_[i].link_flits[noc.value()][link]; };
  return total(w) - (w > 0 ? total(w - 1) : 0);
}

std::uint64_t ActivityCounter::bytes(PortId port, std::size_t w) const {
  const auto total = [&](std::size_t i) {
    return samples_[i].read_bytes[port.value()] + samples_[i].write_bytes[port.value()];
  };
  return total(w) - (w > 0 ? total(w - 1) : 0);
}

std::string activity_json(const HardwareSpec& hardware, const ActivityCounter& activity,
                          const LatencyHistogram& latency) {
  std::vector<std::pair<NocId, std::uint32_t>> links;
  for (std::uint32_t n = 0; n < hardware.nocs.size(); ++n)
    for (std::uint32_t l = 0; l < hardware.nocs[n].graph.links.size(); ++l) links.emplace_back(NocId(n), l);
  const std::size_t windows = activity.windows();
  std::string text = fmt::format("{{\"version\":1,\n\"window_cycles\":{},\n\"cycles\":{},\n\"pes\":",
                                 activity.window_cycles(), activity.cycles());
  text += rows(hardware.pes.size(), windows, [&](std::size_t i, std::size_t w) {
    return activity.busy(PeId(static_cast<std::uint32_t>(i)), w);
  });
  text += ",\n\"links\":" + rows(links.size(), windows, [&](std::size_t i, std::size_t w) {
            return activity.flits(links[i].first, links[i].second, w);
          });
  text += ",\n\"ports\":" + rows(hardware.memory.size(), windows, [&](std::size_t i, std::size_t w) {
            return activity.bytes(PortId(static_cast<std::uint32_t>(i)), w);
          });
  return text + ",\n\"packet_latency\":" + latency_json(latency) + "}\n";
}

}  // namespace dfsim
