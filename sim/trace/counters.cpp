#include "sim/trace/counters.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace dfsim {

namespace {

/// Four decimals: enough for one flit in a million cycles.
double rounded(double value) { return std::round(value * 1e4) / 1e4; }

/// A total of a sample.
using Total = std::function<std::uint64_t(const CounterSample&)>;

class CounterWriter {
 public:
  CounterWriter(const TraceSource& source, std::uint64_t most_values, Tracks& tracks, TraceSink& sink)
      : source_(source), tracks_(tracks), sink_(sink) {
    list();
    choose_windows(most_values);
  }

  std::uint64_t run() {
    if (ends_.size() < 2) return 0;
    for (const Track& track : wanted_) write(track);
    return written_;
  }

 private:
  struct Track {
    std::function<TraceCounter()> describe;
    Total total;
    double scale = 1;  ///< of what is counted per cycle
  };

  void list() {
    const HardwareSpec& hardware = source_.hardware;
    if (!source_.recorder.stalled_cycles().empty())
      wanted_.push_back({[this] { return tracks_.activity_counter("PEs computing", "PEs"); },
                         [this](const CounterSample& sample) { return computed_before(sample.cycle); }, 1});
    for (std::uint32_t p = 0; p < hardware.memory.size(); ++p) {
      add([=, this] { return tracks_.memory_counter(PortId(p), "read"); },
          [=](const CounterSample& sample) { return sample.read_bytes[p]; }, 1);
      add([=, this] { return tracks_.memory_counter(PortId(p), "write"); },
          [=](const CounterSample& sample) { return sample.write_bytes[p]; }, 1);
    }
    for (std::uint32_t i = 0; i < 2 * hardware.ethernet_links.size(); ++i)
      add([=, this] { return tracks_.ethernet_counter(i / 2, i % 2 == 1); },
          [=](const CounterSample& sample) { return sample.wire_bytes[i]; }, 1);
    for (std::uint32_t n = 0; n < hardware.nocs.size(); ++n)
      for (std::uint32_t l = 0; l < hardware.nocs[n].graph.links.size(); ++l)
        add([=, this] { return tracks_.link_counter(NocId(n), l); },
            [=](const CounterSample& sample) { return sample.link_flits[n][l]; }, 100);
  }

  /// Unless nothing was counted.
  void add(std::function<TraceCounter()> describe, Total total, double scale) {
    const auto& samples = source_.recorder.samples();
    if (samples.empty() || total(samples.back()) == 0) return;
    wanted_.push_back({std::move(describe), std::move(total), scale});
  }

  /// PE cycles spent computing in the windows before `cycle`: all cycles less the stalls.
  std::uint64_t computed_before(std::uint64_t cycle) const {
    const std::uint64_t window = source_.recorder.options().counter_cycles;
    const auto& stalled = source_.recorder.stalled_cycles();
    std::uint64_t cycles = cycle * source_.hardware.pes.size();
    for (std::size_t w = 0; w < stalled.size() && w * window < cycle; ++w) cycles -= stalled[w];
    return cycles;
  }

  void choose_windows(std::uint64_t most_values) {
    zero_ = zero_sample();
    if (source_.recorder.options().from == 0) ends_.push_back(&zero_);
    for (const CounterSample& sample : source_.recorder.samples())
      if (ends_.empty() || sample.cycle > ends_.back()->cycle) ends_.push_back(&sample);
    if (ends_.size() < 2 || wanted_.empty()) return;
    const std::uint64_t most = most_values / wanted_.size();
    if (most == 0) return ends_.clear();
    const std::uint64_t step = (ends_.size() - 1 + most - 1) / most;
    std::vector<const CounterSample*> kept;
    for (std::size_t i = 0; i < ends_.size(); ++i)
      if (i % step == 0 || i + 1 == ends_.size()) kept.push_back(ends_[i]);
    ends_ = std::move(kept);
  }

  CounterSample zero_sample() const {
    CounterSample zero;
    if (source_.recorder.samples().empty()) return zero;
    zero = source_.recorder.samples().front();
    zero.cycle = 0;
    for (auto& links : zero.link_flits) std::fill(links.begin(), links.end(), 0);
    for (auto* totals : {&zero.read_bytes, &zero.write_bytes, &zero.wire_bytes})
      std::fill(totals->begin(), totals->end(), 0);
    return zero;
  }

  void write(const Track& track) {
    const TraceCounter counter = track.describe();
    for (std::size_t w = 1; w < ends_.size(); ++w) {
      const std::uint64_t cycles = ends_[w]->cycle - ends_[w - 1]->cycle;
      const std::uint64_t counted = track.total(*ends_[w]) - track.total(*ends_[w - 1]);
      sink_.counter(counter, ends_[w - 1]->cycle,
                    rounded(track.scale * static_cast<double>(counted) / static_cast<double>(cycles)));
      ++written_;
    }
  }

  const TraceSource& source_;
  Tracks& tracks_;
  TraceSink& sink_;
  CounterSample zero_;
  std::vector<const CounterSample*> ends_;  ///< of the windows, the first one's start in front
  std::vector<Track> wanted_;
  std::uint64_t written_ = 0;
};

}  // namespace

std::uint64_t write_counters(const TraceSource& source, std::uint64_t most_values, Tracks& tracks,
                             TraceSink& sink) {
  return CounterWriter(source, most_values, tracks, sink).run();
}

}  // namespace dfsim
