// sim/mem/reference/experiment.h: one run of `dfsim dram`, defined as in reference/dram.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

/// Whose queueing and settings a device implies.
enum class DramSource : std::uint8_t { dramsim3, ramulator2 };

struct DramExperiment {
  DramDeviceSpec device;
  DramSource source = DramSource::dramsim3;
  std::string address_map;  ///< registered name; see reference_address_map()
  std::string scheduler;    ///< ramulator2: FRFCFS or RowHit
  std::uint32_t channels = 1;
  std::uint64_t requests = 100000;
  std::string pattern =
      "seqread";  ///< of pattern_names(), or idle_row_hit, idle_row_closed, idle_row_conflict
  /// Share of the peak that is offered, 0 < load <= 1; none: saturating.
  std::optional<double> load;
};

struct DramExperimentResult {
  std::uint64_t cycles = 0;  ///< memory clock of the last completion
  double bandwidth_gb_s = 0;
  double fraction_of_peak = 0;
  std::uint64_t reads = 0;
  double mean_read_latency_cycles = 0;  ///< acceptance by the controller to data
  double mean_read_latency_ns = 0;
  std::uint64_t p50_cycles = 0, p99_cycles = 0;
};

bool is_idle_pattern(const std::string& pattern);

/// The registered map behind a name of the reference tables ("shipped", "bankgroup_low"), or `name` itself.
std::string reference_address_map(const std::string& name, const DramDeviceSpec& device);

/// Channels and ranks with which the reference runs a device: HBM stacks of DRAMsim3 have 8 channels,
/// Ramulator's HBM 2 pseudo channels.
std::uint32_t reference_channels(const DramDeviceSpec& device, DramSource source);
std::uint32_t reference_ranks(const DramDeviceSpec& device, DramSource source);

/// GB/s (1e9) of all channels together.
double peak_gb_s(const DramDeviceSpec& device, std::uint32_t channels);

/// Throws SimulationError for unknown names.
DramExperimentResult run_dram_experiment(const DramExperiment& experiment);

}  // namespace dfsim
