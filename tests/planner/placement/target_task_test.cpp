#include "planner/placement/target_task.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dfsim {
namespace {

std::vector<SampleClass> classes(const std::vector<std::uint32_t>& counts) {
  std::vector<SampleClass> samples;
  for (const std::uint32_t count : counts) samples.push_back({"c", {}, count, {}});
  return samples;
}

TEST(TargetTask, FixedArrivalsAreEven) {
  const auto requests = requests_of({4, 1000, Arrivals::fixed, 1}, classes({1}));
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(requests[i].arrival_ps, i * 1'000'000'000);
}

TEST(TargetTask, WithoutARateAllArriveAtOnce) {
  for (const ServerRequest& request : requests_of({5, 0, Arrivals::poisson, 1}, classes({1})))
    EXPECT_EQ(request.arrival_ps, 0u);
}

// Gaps of a Poisson stream: mean 1 / rate and deviation the same; 20000 draws are within 3 % of both.
TEST(TargetTask, PoissonArrivalsHaveExponentialGaps) {
  const auto requests = requests_of({20001, 50, Arrivals::poisson, 3}, classes({1}));
  double sum = 0, squares = 0;
  for (std::size_t i = 1; i < requests.size(); ++i) {
    const double gap = static_cast<double>(requests[i].arrival_ps - requests[i - 1].arrival_ps) * 1e-12;
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / 20000;
  EXPECT_NEAR(mean, 0.02, 0.0006);
  EXPECT_NEAR(std::sqrt(squares / 20000 - mean * mean), 0.02, 0.0006);
}

TEST(TargetTask, SampleClassesTakeTurnsByCount) {
  const auto requests = requests_of({6, 0, Arrivals::fixed, 1}, classes({2, 1}));
  std::vector<std::uint32_t> order;
  for (const ServerRequest& request : requests) order.push_back(request.sample_class);
  EXPECT_EQ(order, (std::vector<std::uint32_t>{0, 0, 1, 0, 0, 1}));
}

TEST(TargetTask, SummarisesLatenciesByNearestRank) {
  std::vector<ServerRequest> requests(100);
  ServerMeasurement measurement;
  for (std::uint64_t i = 1; i <= 100; ++i) measurement.done_ps.push_back(i * 1'000'000'000);
  measurement.total_ps = 100'000'000'000;
  measurement.busy_ps = {25'000'000'000};
  const TaskSummary summary = summary_of(requests, measurement);
  EXPECT_DOUBLE_EQ(summary.p50_ms, 50);
  EXPECT_DOUBLE_EQ(summary.p90_ms, 90);
  EXPECT_DOUBLE_EQ(summary.p99_ms, 99);
  EXPECT_DOUBLE_EQ(summary.most_ms, 100);
  EXPECT_DOUBLE_EQ(summary.mean_ms, 50.5);
  EXPECT_DOUBLE_EQ(summary.throughput_per_second, 1000);
  EXPECT_DOUBLE_EQ(summary.utilisation[0], 0.25);
}

}  // namespace
}  // namespace dfsim
