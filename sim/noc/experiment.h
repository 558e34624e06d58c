// sim/noc/experiment.h: a network alone under synthetic traffic, measured as the classic NoC simulators do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/noc/core/network_core.h"
#include "sim/noc/latency_counts.h"

namespace dfsim {

struct NocExperiment {
  enum class Mode : std::uint8_t {
    open_loop,  ///< Bernoulli sources of `rate`
    batch,      ///< every node has `packets_per_node` packets ready at cycle 0
    saturate,   ///< every source always has a packet waiting
    single,     ///< one packet from `source` to `destination`
  };
  NocSpec spec;  ///< one endpoint per router, in router order
  Mode mode = Mode::open_loop;
  std::string traffic = "uniform";
  std::uint32_t packet_flits = 5;
  std::uint64_t seed = 1;
  double rate = 0;                     ///< flits per node and cycle; at most packet_flits
  std::uint64_t warmup_cycles = 2000;  ///< open_loop, saturate: not measured
  std::uint64_t measured_cycles = 4000;
  std::uint64_t packets_per_node = 0;
  std::uint32_t source = 0, destination = 0;
  /// Buffers are looked at once in so many cycles of the measured window (batch, single: of the run): 1 gives
  /// exact means and maxima, 0 nothing.
  std::uint64_t sample_cycles = 64;
};

/// One input virtual channel.
struct VcOccupancy {
  double mean_flits = 0;
  std::uint32_t max_flits = 0;
};

/// Latencies in cycles. Empty where nothing was measured: the run was given up because the average latency
/// exceeded 500 cycles, or no packet arrived.
struct NocExperimentResult {
  std::uint64_t completion_cycles = 0;        ///< cycle of the last arrival of a tail, plus 1
  std::optional<double> avg_packet_latency;   ///< creation to arrival of the tail
  std::optional<double> avg_network_latency;  ///< the head leaves the source queue, to arrival of the tail
  std::optional<double> avg_hops;             ///< channels between routers
  double accepted_flits_per_node_cycle =
      0;  ///< delivered in the measured window; of a batch, until completion
  double accepted_min_node = 0, accepted_max_node = 0;
  bool saturated = false;
  bool deadlock = false;
  std::string deadlock_report;
  std::uint64_t simulated_cycles = 0;
  std::uint64_t flit_hops = 0;
  std::uint64_t packets = 0;  ///< that the averages are over
  double wall_seconds = 0;

  // What explains the above.
  StallCycles stalls;                            ///< VC-cycles of the whole run
  std::vector<LatencyBucket> latency_histogram;  ///< of the packets that the averages are over
  std::optional<std::uint64_t> latency_p50, latency_p95, latency_p99;
  /// Flits per cycle over each link, in the order of LinkGraph::links, in the measured window (batch, single:
  /// in the run until completion).
  std::vector<double> link_load;
  std::uint64_t buffer_samples = 0;
  std::vector<VcOccupancy> occupancy;  ///< [(router * ports + port) * V + vc]; empty without samples
  std::uint32_t ports = 0;             ///< per router in `occupancy`
};

/// Throws InputError if the network cannot be built or the traffic does not fit it. Equal experiments give
/// equal results but for wall_seconds.
NocExperimentResult run_noc_experiment(const NocExperiment& experiment);

/// One endpoint (a PE) on every router.
void attach_one_endpoint_per_router(NocSpec& spec);

}  // namespace dfsim
