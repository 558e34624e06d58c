// Which machine is the answer, against looking at every machine.
#include "planner/loop/hardware_walk.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/base/rng.h"

namespace dfsim {
namespace {

/// Machines of 1 to `count` PEs whose time falls with their size, but not evenly: some larger ones are
/// slower.
struct Machines {
  std::vector<HardwarePoint> points;
  std::vector<PointMeasurement> measured;  ///< by PEs - 1
  mutable std::vector<std::size_t> asked;

  explicit Machines(std::uint64_t seed, std::size_t count = 12) {
    Rng rng(seed);
    for (std::size_t i = 0; i < count; ++i) {
      const double bound = 12000.0 / static_cast<double>(i + 1);
      points.push_back({std::to_string(i + 1), {i + 1, (i + 1) * 1024, 4 * i}, bound});
      measured.push_back({rng.below(8) > 0, bound * (1.05 + rng.uniform()), 0.001 * rng.uniform()});
    }
  }
  MeasurePoint measure() const {
    return [this](const HardwarePoint& point) {
      asked.push_back(point.amount.pes);
      return measured[point.amount.pes - 1];
    };
  }
};

TEST(LeastHardware, IsTheLeastOfAllMachinesWithinTheLimit) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Machines machines(seed);
    const double limit = 1000.0 + 300.0 * static_cast<double>(seed % 20);
    const HardwareCurve curve = least_hardware(machines.points, limit, {}, machines.measure());
    std::optional<std::size_t> expected;
    for (std::size_t i = 0; i < machines.points.size() && !expected; ++i)
      if (machines.measured[i].fits && machines.measured[i].cycles <= limit) expected = i;
    ASSERT_EQ(curve.chosen, expected) << seed;
    std::sort(machines.asked.begin(), machines.asked.end());
    EXPECT_EQ(std::unique(machines.asked.begin(), machines.asked.end()), machines.asked.end());
    EXPECT_EQ(curve.steps.size(), machines.asked.size());
  }
}

TEST(LeastHardware, NeverRisesWhenTheLimitIsRelaxed) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    const Machines machines(seed);
    std::size_t last = machines.points.size();
    for (double limit = 1000; limit < 30000; limit *= 1.2) {
      const HardwareCurve curve = least_hardware(machines.points, limit, {}, machines.measure());
      if (!curve.chosen) {
        EXPECT_EQ(last, machines.points.size());
        continue;
      }
      EXPECT_LE(*curve.chosen, last);
      last = *curve.chosen;
    }
  }
}

TEST(LeastHardware, ShrinksWhenFasterAndGrowsWhenSlower) {
  Machines machines(1);
  for (std::size_t i = 0; i < 12; ++i)
    machines.measured[i] = {true, 1.3 * machines.points[i].bound_cycles, 0};
  // Bounds allow 4 PEs for 3000 cycles; 6 PEs are fast enough.
  const HardwareCurve curve = least_hardware(machines.points, 3000, {}, machines.measure());
  EXPECT_EQ(machines.asked, (std::vector<std::size_t>{12, 4, 5, 6}));
  EXPECT_EQ(curve.steps[0].verdict, "within the limit: shrink");
  EXPECT_EQ(curve.steps[1].verdict, "slower than the limit: grow");
  EXPECT_EQ(curve.points[0].status, PointStatus::excluded);
  EXPECT_EQ(curve.points[7].status, PointStatus::open);
  EXPECT_EQ(curve.points[*curve.chosen].hardware.amount.pes, 6u);
}

TEST(LeastHardware, MeasuresTheWholeCurveIfAsked) {
  const Machines machines(3);
  const HardwareCurve some = least_hardware(machines.points, 3000, {}, machines.measure());
  const HardwareCurve all = least_hardware(machines.points, 3000, {.all = true}, machines.measure());
  EXPECT_EQ(all.chosen, some.chosen);
  for (const CurvePoint& point : all.points)
    EXPECT_TRUE(point.measured() || point.status == PointStatus::does_not_fit);
}

TEST(LeastHardware, MinimisesWhatIsAskedFor) {
  std::vector<HardwarePoint> points{
      {"few PEs", {2, 9000, 5}, 1}, {"little SRAM", {4, 1000, 9}, 1}, {"few links", {8, 5000, 1}, 1}};
  const MeasurePoint measure = [](const HardwarePoint&) { return PointMeasurement{true, 10, 0}; };
  for (const auto& [what, name] : std::vector<std::pair<Minimise, std::string>>{
           {Minimise::pes, "few PEs"}, {Minimise::sram, "little SRAM"}, {Minimise::links, "few links"}}) {
    const HardwareCurve curve = least_hardware(points, 100, {.minimise = what}, measure);
    EXPECT_EQ(curve.points[*curve.chosen].hardware.name, name);
  }
}

TEST(LeastCost, IsTheMinimumOfTheCurve) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Machines machines(seed);
    Rng rng(seed, 1);
    const CostSpec prices{rng.uniform(), 4 * rng.uniform(), 1e6 * rng.uniform()};
    const HardwareCurve curve = least_cost(machines.points, {}, {.prices = prices}, machines.measure());
    double least = 1e300;
    for (std::size_t i = 0; i < machines.points.size(); ++i)
      if (machines.measured[i].fits)
        least = std::min(least, cost_of(prices, machines.points[i].amount, machines.measured[i].cycles,
                                        machines.measured[i].joules));
    ASSERT_TRUE(curve.chosen);
    EXPECT_EQ(curve.points[*curve.chosen].cost, least) << seed;
    for (const CurvePoint& point : curve.points)
      EXPECT_TRUE(point.status == PointStatus::does_not_fit || point.cost >= least) << seed;
  }
}

TEST(LeastCost, StopsBelowTheLimitAndSaysWhenNoneIs) {
  const Machines machines(5);
  const WalkOptions options{.prices = {1, 0, 0}};
  const HardwareCurve least = least_cost(machines.points, {}, options, machines.measure());
  const double cost = least.points[*least.chosen].cost;
  const HardwareCurve below = least_cost(machines.points, cost * 2, options, machines.measure());
  ASSERT_TRUE(below.chosen);
  EXPECT_LE(below.points[*below.chosen].cost, cost * 2);
  EXPECT_LE(below.steps.size(), least.steps.size());
  EXPECT_FALSE(least_cost(machines.points, cost / 2, options, machines.measure()).chosen);
}

}  // namespace
}  // namespace dfsim
