// Problems with known answers, for every exact inter-stage optimizer: layers in a row on single PEs, a
// pipeline with a synchronisation cost, rectangles that must fit a mesh, and random tables.
#include <gtest/gtest.h>

#include <numeric>

#include "planner/cost/pipeline.h"
#include "planner/inter_stage/optimizer.h"
#include "tests/planner/inter_stage/table_cost.h"

namespace dfsim {
namespace {

using testing::bare_mesh;
using testing::chain;
using testing::kDoesNotFit;
using testing::TableCost;

class ExactOptimizer : public ::testing::TestWithParam<const char*> {
 protected:
  InterStageStrategy propose(const Graph& graph, const HardwareSpec& hardware, const ExecutionCost& cost,
                             Objective objective = Objective::interval) {
    Rng rng(1);
    const auto found = InterStageRegistry::instance()
                           .make(GetParam())
                           ->propose(graph, hardware, cost, {.objective = objective}, rng);
    EXPECT_TRUE(found.ok());
    return found.ok() ? found->strategy : InterStageStrategy{};
  }
};
INSTANTIATE_TEST_SUITE_P(Registered, ExactOptimizer, ::testing::Values("dp", "exhaustive"));

/// Groups are disjoint or equal, inside the mesh, and the stages hold all operators in order.
void expect_valid(const InterStageStrategy& strategy, const Graph& graph, const HardwareSpec& hardware) {
  std::vector<OpId> ops;
  for (const StageProposal& stage : strategy.stages) {
    ops.insert(ops.end(), stage.operators.begin(), stage.operators.end());
    for (const Submesh& box : stage.group.submeshes) {
      const auto& extent = hardware.nocs[box.noc.value()].graph.extent;
      EXPECT_LE(box.x + box.width, extent[0]);
      EXPECT_LE(box.y + box.height, extent[1]);
    }
    for (const StageProposal& other : strategy.stages)
      EXPECT_TRUE(stage.group == other.group || !stage.group.overlaps(other.group));
  }
  ASSERT_EQ(ops.size(), graph.operators().size());
  for (std::uint32_t i = 0; i < ops.size(); ++i) EXPECT_EQ(ops[i], OpId(i));
}

TEST(DpOptimizer, CutsEightLayersForSinglePes) {
  const std::vector<std::uint32_t> work{4, 2, 6, 3, 5, 2, 8, 1};
  const Graph graph = chain(work);
  const TableCost cost([&](auto first, auto last, const Submesh& shape) {
    if (shape.size() != 1) return kDoesNotFit;
    return std::accumulate(work.begin() + first, work.begin() + last + 1, 0.0);
  });
  const std::vector<std::pair<std::uint32_t, double>> expected{{1, 31}, {2, 16}, {3, 12}, {4, 9}, {5, 9}};
  for (const auto& [pes, slowest] : expected) {
    const HardwareSpec hardware = bare_mesh(pes, 1);
    Rng rng(1);
    const auto found = InterStageRegistry::instance().make("dp")->propose(graph, hardware, cost, {}, rng);
    ASSERT_TRUE(found.ok());
    const InterStageStrategy& strategy = found->strategy;
    expect_valid(strategy, graph, hardware);
    EXPECT_EQ(estimate(graph, strategy, cost).period_cycles, slowest) << pes << " PEs";
  }
}

TEST_P(ExactOptimizer, TradesPipelineAgainstSynchronisation) {
  const std::vector<std::uint32_t> work{12, 24, 24, 36};
  const Graph graph = chain(work);
  const TableCost cost([&](auto first, auto last, const Submesh& shape) {
    const std::uint32_t p = shape.size();
    if (p != 1 && p != 2 && p != 4 && p != 8) return kDoesNotFit;
    return std::accumulate(work.begin() + first, work.begin() + last + 1, 0.0) / p + 2.0 * (p - 1);
  });
  const HardwareSpec hardware = bare_mesh(8, 1);
  const InterStageStrategy fast = propose(graph, hardware, cost);
  expect_valid(fast, graph, hardware);
  EXPECT_EQ(estimate(graph, fast, cost),
            (Estimate{20, 46}));  // and of all with interval 20 the least latency
  const InterStageStrategy quick = propose(graph, hardware, cost, Objective::latency);
  EXPECT_EQ(estimate(graph, quick, cost), (Estimate{26, 26}));
  EXPECT_EQ(quick.stages.size(), 1u);
}

TEST_P(ExactOptimizer, FitsRectanglesIntoTheMesh) {
  const Graph graph = chain({1, 2});
  const TableCost cost([](auto first, auto last, const Submesh& shape) {
    if (first != last) return kDoesNotFit;
    const std::pair sides = std::minmax(shape.width, shape.height);
    using Sides = std::pair<std::uint32_t, std::uint32_t>;
    const std::vector<std::pair<Sides, double>> a{{{3, 3}, 10}, {{2, 4}, 12}, {{2, 3}, 15}};
    const std::vector<std::pair<Sides, double>> b{{{2, 3}, 9}, {{2, 4}, 8}, {{1, 4}, 11}, {{1, 3}, 14}};
    for (const auto& [shape_sides, time] : first == 0 ? a : b)
      if (shape_sides == Sides(sides)) return time;
    return kDoesNotFit;
  });
  const HardwareSpec hardware = bare_mesh(4, 4);
  const InterStageStrategy strategy = propose(graph, hardware, cost);
  expect_valid(strategy, graph, hardware);
  EXPECT_EQ(estimate(graph, strategy, cost).period_cycles, 11);
  ASSERT_EQ(strategy.stages.size(), 2u);
  EXPECT_EQ(strategy.stages[0].group.size(), 9u);
  EXPECT_EQ(strategy.stages[1].group.size(), 4u);
}

TEST_P(ExactOptimizer, SaysWhenNothingFits) {
  const Graph graph = chain({1, 2});
  const TableCost cost([](auto, auto, const Submesh&) { return kDoesNotFit; });
  Rng rng(1);
  const auto found =
      InterStageRegistry::instance().make(GetParam())->propose(graph, bare_mesh(2, 2), cost, {}, rng);
  EXPECT_FALSE(found.ok());
}

TEST(DpOptimizer, AgreesWithExhaustiveSearchOnRandomTables) {
  const auto dp = InterStageRegistry::instance().make("dp");
  const auto exhaustive = InterStageRegistry::instance().make("exhaustive");
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    Rng rng(seed);
    const auto layers = static_cast<std::uint32_t>(2 + rng.below(4));
    std::vector<std::uint32_t> sizes(layers);
    for (auto& size : sizes) size = static_cast<std::uint32_t>(1 + rng.below(3));
    const Graph graph = chain(sizes);
    const HardwareSpec hardware = seed % 3 ? bare_mesh(4, 2) : bare_mesh(3, 3);
    const TableCost cost([&](auto first, auto last, const Submesh& shape) {
      Rng cell(seed, first + 8 * (last + 8 * (shape.width + 8 * shape.height)));
      if (cell.below(4) == 0) return kDoesNotFit;
      return 1000.0 * (last - first + 1) / shape.size() + static_cast<double>(cell.below(400));
    });
    for (const Objective objective : {Objective::interval, Objective::latency}) {
      const Goal goal{.objective = objective};
      const auto a = dp->propose(graph, hardware, cost, goal, rng);
      const auto b = exhaustive->propose(graph, hardware, cost, goal, rng);
      ASSERT_EQ(a.ok(), b.ok()) << seed;
      if (!a) continue;
      expect_valid(a->strategy, graph, hardware);
      EXPECT_EQ(estimate(graph, a->strategy, cost).of(objective),
                estimate(graph, b->strategy, cost).of(objective))
          << seed;
    }
  }
}

TEST(DpOptimizer, IsTheSameEveryTime) {
  const Graph graph = chain({4, 2, 6, 3, 5, 2, 8, 1});
  const TableCost cost([](auto first, auto last, const Submesh&) { return 10.0 * (last - first + 1); });
  Rng one(1), two(2);
  const auto dp = InterStageRegistry::instance().make("dp");
  EXPECT_EQ(dp->propose(graph, bare_mesh(8, 8), cost, {}, one)->strategy,
            dp->propose(graph, bare_mesh(8, 8), cost, {}, two)->strategy);
}

TEST(DpOptimizer, PutsStagesThatFollowOneAnotherSideBySide) {
  const Graph graph = chain(std::vector<std::uint32_t>(8, 16));
  const TableCost cost([](auto first, auto last, const Submesh& shape) {
    return shape.size() == 16 ? 10.0 * (last - first + 1) : kDoesNotFit;
  });
  Rng rng(1);
  const auto found =
      InterStageRegistry::instance().make("dp")->propose(graph, bare_mesh(8, 8), cost, {}, rng);
  ASSERT_EQ(found->strategy.stages.size(), 4u);
  for (std::size_t i = 1; i < 4; ++i) {
    const Submesh& a = found->strategy.stages[i - 1].group.submeshes[0];
    const Submesh& b = found->strategy.stages[i].group.submeshes[0];
    EXPECT_TRUE(a.x == b.x || a.y == b.y) << i;
  }
}

TEST(DpOptimizer, UsesBothNocsUnlessTheEthernetIsTooSlow) {
  const Graph graph = chain({8, 8});
  const TableCost cost(
      [](auto first, auto last, const Submesh& shape) { return 6400.0 * (last - first + 1) / shape.size(); });
  HardwareSpec hardware = bare_mesh(4, 4, 2);
  hardware.ethernet_ports.resize(2);
  hardware.ethernet_ports[1].noc = NocId(1);
  hardware.ethernet_links = {{.port_a = 0, .port_b = 1, .rate_gbps = 100}};
  const auto dp = InterStageRegistry::instance().make("dp");
  Rng rng(1);
  const auto both = dp->propose(graph, hardware, cost, {}, rng);  // 16 B x 8 samples at 12.5 B per cycle
  ASSERT_EQ(both->strategy.stages.size(), 2u);
  EXPECT_NE(both->strategy.stages[0].group.submeshes[0].noc, both->strategy.stages[1].group.submeshes[0].noc);
  EXPECT_EQ(estimate(graph, both->strategy, cost).period_cycles, 400);
  hardware.ethernet_links[0].rate_gbps = 0.1;
  const auto one = dp->propose(graph, hardware, cost, {}, rng);
  for (const StageProposal& stage : one->strategy.stages) EXPECT_EQ(stage.group.submeshes[0].noc, NocId(0));
  EXPECT_EQ(estimate(graph, one->strategy, cost).period_cycles, 800);
}

}  // namespace
}  // namespace dfsim
