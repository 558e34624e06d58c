#include "sim/mem/reference/experiment.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "sim/base/errors.h"
#include "sim/mem/reference/channel.h"
#include "sim/mem/reference/pattern.h"

namespace dfsim {
namespace {

bool has_two_buses(const DramDeviceSpec& device) {
  const auto it = device.timing.find("COMMAND_BUSES");
  return it != device.timing.end() && it->second == 2;
}

std::unique_ptr<ReferenceChannel> make_channel(const DramExperiment& e) {
  ReferenceSettings settings;
  if (e.source == DramSource::dramsim3) return make_staged_channel(e.device, settings);
  settings.keep_older_hits = e.scheduler == "RowHit";
  settings.data_clock_stops = e.device.name.starts_with("LPDDR5");
  return make_active_list_channel(e.device, settings);
}

// The channels of an experiment; a channel is ticked only in clocks in which it can do something.
class Memory {
 public:
  explicit Memory(const DramExperiment& e)
      : groups_(e.device.bank_groups),
        banks_(e.device.banks_per_group),
        map_(AddressMapRegistry::instance().make(e.address_map, DramGeometry::of(e.device, e.channels))) {
    for (std::uint32_t i = 0; i < e.channels; ++i) {
      channels_.push_back(make_channel(e));
      wake_.push_back(0);
    }
  }

  DramAddress decode(std::uint64_t burst) const { return map_->decode(burst); }

  bool offer(const DramAddress& a, bool write, std::uint64_t clock) {
    ReferenceChannel& channel = *channels_[a.channel];
    if (!channel.accepts(write)) return false;
    ReferenceRequest request;
    request.write = write;
    request.bank = (a.rank * groups_ + a.bank_group) * banks_ + a.bank;
    request.row = a.row;
    request.column = a.column;
    request.accepted = clock;
    channel.accept(request, clock);
    wake_[a.channel] = clock;
    return true;
  }

  /// Returns the next clock in which a channel can do something.
  std::uint64_t tick(std::uint64_t clock, std::vector<ReferenceCompletion>& done) {
    std::uint64_t next = ReferenceChannel::kNever;
    for (std::size_t i = 0; i < channels_.size(); ++i) {
      if (wake_[i] <= clock) {
        wake_[i] = channels_[i]->tick(clock);
        auto& completed = channels_[i]->completed();
        done.insert(done.end(), completed.begin(), completed.end());
        completed.clear();
      }
      next = std::min(next, wake_[i]);
    }
    return next;
  }

 private:
  std::uint32_t groups_, banks_;
  std::unique_ptr<AddressMap> map_;
  std::vector<std::unique_ptr<ReferenceChannel>> channels_;
  std::vector<std::uint64_t> wake_;
};

PatternSpace space_of(const DramExperiment& e) {
  const DramDeviceSpec& d = e.device;
  PatternSpace space;
  space.bursts = DramGeometry::of(d, e.channels).bursts();
  space.burst_bytes = d.burst_bytes;
  space.page_bytes = d.page_bytes;
  // All maps have the row, or the row and the channel, on top; the step to the next row is the size of all
  // below it.
  space.same_bank_step = space.bursts / d.rows * d.burst_bytes;
  return space;
}

// Single reads 200 clocks apart: the first opens a row, the second hits it or conflicts with it.
DramExperimentResult run_idle(const DramExperiment& e) {
  Memory memory(e);
  const PatternSpace space = space_of(e);
  const DramAddress first = memory.decode(0);
  // Another burst in the same row, or in another row of the same bank, as the map has it.
  std::uint64_t second = 1;
  const auto wanted = [&](const DramAddress& a) {
    const bool same_bank = a.channel == first.channel && a.rank == first.rank &&
                           a.bank_group == first.bank_group && a.bank == first.bank;
    return same_bank && (a.row == first.row) == (e.pattern == "idle_row_hit");
  };
  while (second < space.bursts && !wanted(memory.decode(second))) ++second;
  std::vector<ReferenceCompletion> done;
  std::vector<std::uint64_t> offers{10};
  if (e.pattern != "idle_row_closed") offers.push_back(210);
  for (std::size_t i = 0; i < offers.size(); ++i) {
    memory.offer(i == 0 ? first : memory.decode(second), false, offers[i]);
    for (std::uint64_t t = offers[i]; done.size() <= i; t = memory.tick(t, done)) {
    }
  }
  DramExperimentResult result;
  result.reads = 1;
  result.cycles = done.back().completed;
  result.p50_cycles = result.p99_cycles = done.back().completed - done.back().accepted;
  result.mean_read_latency_cycles = static_cast<double>(result.p50_cycles);
  return result;
}

// The generator: clock in which request i is due, and the head-of-line request that a channel has refused.
class Generator {
 public:
  Generator(const DramExperiment& e, Memory& memory)
      : memory_(memory), pattern_(make_pattern(e.pattern, space_of(e))), requests_(e.requests) {
    if (e.load) {
      const double burst_clocks = static_cast<double>(e.device.timing.at("BL")) /
                                  (e.channels * (has_two_buses(e.device) ? e.device.ranks : 1));
      interval_ = burst_clocks / *e.load;
    }
    prepare();
  }

  /// Offers what is due until a request is refused; returns when the next one falls due (kNever: refused or
  /// none).
  std::uint64_t offer(std::uint64_t clock) {
    while (issued_ < requests_) {
      if (due_ > clock) return due_;
      if (!memory_.offer(address_, request_.write, clock)) return ReferenceChannel::kNever;
      ++issued_;
      prepare();
    }
    return ReferenceChannel::kNever;
  }

 private:
  void prepare() {
    if (issued_ == requests_) return;
    request_ = pattern_->next(issued_);
    address_ = memory_.decode(request_.burst);
    due_ = static_cast<std::uint64_t>(std::ceil(static_cast<double>(issued_) * interval_ - 1e-9));
  }

  Memory& memory_;
  std::unique_ptr<Pattern> pattern_;
  std::uint64_t requests_;
  std::uint64_t issued_ = 0;
  double interval_ = 0;
  std::uint64_t due_ = 0;
  PatternRequest request_;
  DramAddress address_;
};

void summarize(std::vector<std::uint64_t>& latencies, DramExperimentResult& result) {
  result.reads = latencies.size();
  if (latencies.empty()) return;
  double sum = 0;
  for (std::uint64_t latency : latencies) sum += static_cast<double>(latency);
  result.mean_read_latency_cycles = sum / static_cast<double>(latencies.size());
  std::sort(latencies.begin(), latencies.end());
  const auto at = [&](double share) {
    return latencies[static_cast<std::size_t>(share * static_cast<double>(latencies.size() - 1))];
  };
  result.p50_cycles = at(0.5);
  result.p99_cycles = at(0.99);
}

DramExperimentResult run_stream(const DramExperiment& e) {
  Memory memory(e);
  Generator generator(e, memory);
  DramExperimentResult result;
  std::vector<ReferenceCompletion> done;
  std::vector<std::uint64_t> latencies;
  std::uint64_t completed = 0;
  for (std::uint64_t clock = 0; completed < e.requests;) {
    const std::uint64_t due = generator.offer(clock);
    clock = std::min(due, memory.tick(clock, done));
    if (clock == ReferenceChannel::kNever) throw SimulationError("DRAM experiment stands still");
    for (const ReferenceCompletion& c : done) {
      ++completed;
      result.cycles = std::max(result.cycles, c.completed);
      if (!c.write) latencies.push_back(c.completed - c.accepted);
    }
    done.clear();
  }
  summarize(latencies, result);
  const double bytes = static_cast<double>(e.requests) * e.device.burst_bytes;
  result.bandwidth_gb_s =
      bytes / (static_cast<double>(result.cycles) * static_cast<double>(e.device.clock_period_ps)) * 1000;
  result.fraction_of_peak = result.bandwidth_gb_s / peak_gb_s(e.device, e.channels);
  return result;
}

}  // namespace

bool is_idle_pattern(const std::string& pattern) {
  return pattern == "idle_row_hit" || pattern == "idle_row_closed" || pattern == "idle_row_conflict";
}

std::string reference_address_map(const std::string& name, const DramDeviceSpec& device) {
  if (name == "shipped") return has_two_buses(device) ? "rorabgbachco" : "rochrababgco";
  if (name == "bankgroup_low") return "bank_group_low";
  return name;
}

std::uint32_t reference_channels(const DramDeviceSpec& device, DramSource source) {
  return source == DramSource::dramsim3 && has_two_buses(device) ? 8 : 1;
}

std::uint32_t reference_ranks(const DramDeviceSpec& device, DramSource source) {
  return source == DramSource::ramulator2 && has_two_buses(device) ? 2 : device.ranks;
}

double peak_gb_s(const DramDeviceSpec& device, std::uint32_t channels) {
  const double buses = has_two_buses(device) ? device.ranks : 1;  // pseudo channels, modelled as ranks
  return channels * buses * device.burst_bytes * 1000.0 /
         (static_cast<double>(device.timing.at("BL")) * static_cast<double>(device.clock_period_ps));
}

DramExperimentResult run_dram_experiment(const DramExperiment& experiment) {
  DramExperimentResult result =
      is_idle_pattern(experiment.pattern) ? run_idle(experiment) : run_stream(experiment);
  result.mean_read_latency_ns =
      result.mean_read_latency_cycles * static_cast<double>(experiment.device.clock_period_ps) / 1000;
  return result;
}

}  // namespace dfsim
