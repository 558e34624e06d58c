#include "planner/placement/target_task.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sim/base/rng.h"

namespace dfsim {

std::vector<ServerRequest> requests_of(const TargetTask& task, const std::vector<SampleClass>& samples) {
  std::vector<std::uint32_t> turn;
  for (std::uint32_t s = 0; s < samples.size(); ++s) turn.insert(turn.end(), samples[s].count, s);
  Rng rng(task.seed);
  std::vector<ServerRequest> requests;
  double at_ps = 0;
  for (std::uint32_t i = 0; i < task.requests; ++i) {
    requests.push_back({turn[i % turn.size()], static_cast<std::uint64_t>(std::llround(at_ps))});
    if (task.rate_per_second <= 0) continue;
    const double mean_ps = 1e12 / task.rate_per_second;
    at_ps += task.arrivals == Arrivals::fixed ? mean_ps : -mean_ps * std::log1p(-rng.uniform());
  }
  return requests;
}

TaskSummary summary_of(const std::vector<ServerRequest>& requests, const ServerMeasurement& measurement) {
  std::vector<double> latency;
  for (std::size_t i = 0; i < requests.size(); ++i)
    latency.push_back(static_cast<double>(measurement.done_ps[i] - requests[i].arrival_ps) / 1e9);
  std::sort(latency.begin(), latency.end());
  const auto percentile = [&](double p) {
    const auto rank = static_cast<std::size_t>(std::ceil(p / 100 * static_cast<double>(latency.size())));
    return latency[std::max<std::size_t>(rank, 1) - 1];
  };
  TaskSummary summary;
  summary.mean_ms =
      std::accumulate(latency.begin(), latency.end(), 0.0) / static_cast<double>(latency.size());
  summary.p50_ms = percentile(50);
  summary.p90_ms = percentile(90);
  summary.p99_ms = percentile(99);
  summary.most_ms = latency.back();
  const auto time_ps = static_cast<double>(measurement.total_ps - requests.front().arrival_ps);
  summary.throughput_per_second = static_cast<double>(requests.size()) / (time_ps * 1e-12);
  for (const std::uint64_t busy : measurement.busy_ps)
    summary.utilisation.push_back(static_cast<double>(busy) / time_ps);
  return summary;
}

}  // namespace dfsim
