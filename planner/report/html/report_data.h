// planner/report/html/report_data.h: what the report shows, read from the files of a run.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/api/measurement.h"

namespace dfsim::html {

struct PeData {
  std::uint32_t id = 0, noc = 0, x = 0, y = 0, z = 0;
  std::uint64_t busy = 0;  ///< cycles
  std::array<std::uint64_t, kStallCauses> stalls{};
  std::uint64_t macs = 0, sent = 0, received = 0, loaded = 0, stored = 0, scratchpad = 0;
  std::uint64_t bytes() const { return sent + received + loaded + stored; }
  std::uint64_t stalled() const;
  /// The cause with the most cycles.
  StallCause worst() const;
};

/// Cycles of PEs by what they went into: computing, then the stall causes in their order.
using Parts = std::array<std::uint64_t, 1 + kStallCauses>;
std::string part_name(std::size_t part);
Parts parts_of(const std::vector<PeData>& pes, const std::vector<std::size_t>& which);

struct LinkData {
  std::uint32_t noc = 0, from = 0, to = 0;
  std::uint64_t flits = 0;
};

struct PortData {
  std::uint32_t port = 0;
  std::uint64_t read = 0, write = 0, busy = 0, hits = 0, misses = 0;
};

struct StageData {
  std::string name;
  std::vector<std::string> operators;
  std::vector<Submesh> group;
  std::optional<std::uint64_t> price;  ///< cycles of its last period alone
  std::uint64_t measured = 0;          ///< in the whole-plan run
  std::vector<std::uint64_t> starts, ends;
};

struct RoundData {
  std::uint32_t round = 0;
  double cost_in = 0, cost_out = 0, bound = 0;
  std::size_t stages = 0;
  std::map<std::string, std::uint64_t> candidates;
};

struct WholeRunData {
  std::size_t stages = 0;
  double estimate = 0;
  std::optional<double> cycles;  ///< of the objective; none if the run failed
};

struct TrafficData {
  std::string source, destination;
  std::uint64_t bytes = 0, messages = 0;
  double mean_wait = 0;
};

struct ReportData {
  const HardwareSpec* hardware = nullptr;
  nlohmann::ordered_json measurement;  ///< the file, for the page's data
  std::string model, hardware_name, version;
  std::uint64_t cycles = 0, clock_period_ps = 1000, samples = 1, periods = 0, fill_periods = 0;
  std::uint64_t latency = 0, macs = 0, macs_per_sample = 0, dram_read = 0, dram_write = 0, payload = 0;
  std::uint64_t busiest_cycles = 0;
  std::string busiest;
  double interval = 0, lower_bound = 0;
  std::vector<std::uint64_t> period_done;
  std::vector<PeData> pes;
  /// By index in `pes`: busy and stalls of the steady state; empty if not known.
  std::vector<PeData> steady_pes;
  std::uint64_t steady_from = 0, steady_until = 0;
  std::vector<LinkData> links;
  std::vector<PortData> ports;
  std::vector<StageData> stages;
  std::map<std::string, double> energy_pj;  ///< parts
  double energy_total_pj = 0;
  bool planned = false;  ///< by a search whose rounds are known
  bool optimal = false;
  std::string objective = "interval", optimizer, stopped;
  double gap = 0;
  std::vector<RoundData> rounds;
  std::vector<WholeRunData> whole_runs;
  std::vector<TrafficData> traffic;
  nlohmann::ordered_json activity;  ///< activity.json; null if there is none

  std::uint64_t steady_cycles() const { return steady_until - steady_from; }
  std::vector<std::size_t> all_pes() const;
  double period_cycles() const { return interval * static_cast<double>(samples); }
  /// PEs of a group, by index in `pes`.
  std::vector<std::size_t> pes_of(const std::vector<Submesh>& group) const;
};

/// Stages that share a PE group, in the order of the first.
struct GroupData {
  std::vector<Submesh> group;
  std::string stages;  ///< names
  std::vector<std::size_t> pes;
};
std::vector<GroupData> groups_of(const ReportData& data);

/// From the texts of measurement.json, pe_traffic.csv and activity.json (the latter two may be empty).
/// `hardware` outlives the result.
/// Throws std::runtime_error (also nlohmann's errors) if a text is not of the expected form.
ReportData read_report_data(const HardwareSpec& hardware, const std::string& measurement_json,
                            const std::string& traffic_csv, const std::string& activity_json);

}  // namespace dfsim::html
