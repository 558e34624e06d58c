// planner/placement/target_task.h: a stream of requests through a settled structure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/placement/load.h"
#include "sim/api/server.h"

namespace dfsim {

enum class Arrivals : std::uint8_t { poisson, fixed };

struct TargetTask {
  std::uint32_t requests = 200;
  double rate_per_second = 0;  ///< 0: all at once
  Arrivals arrivals = Arrivals::poisson;
  std::uint64_t seed = 1;
};

/// Arrivals of a task: with `poisson` the times between them are exponential with mean 1 / rate; sample
/// classes take turns in proportion to their counts.
std::vector<ServerRequest> requests_of(const TargetTask& task, const std::vector<SampleClass>& samples);

struct TaskSummary {
  double mean_ms = 0, p50_ms = 0, p90_ms = 0, p99_ms = 0, most_ms = 0;  ///< latency: arrival to completion
  double throughput_per_second = 0;  ///< requests over the time from the first arrival to the last completion
  std::vector<double> utilisation;   ///< by processor: share of that time in which it was busy
};

/// Percentiles are nearest-rank: the least latency that at least p % of the requests do not exceed.
TaskSummary summary_of(const std::vector<ServerRequest>& requests, const ServerMeasurement& measurement);

}  // namespace dfsim
