#include "planner/placement/exact.h"

#include <gtest/gtest.h>

#include "tests/planner/placement/random_tables.h"

namespace dfsim {
namespace {

const std::string kTables = DFSIM_SOURCE_DIR "/tests/data/placement/";

std::string placed(const std::string& file) {
  const TimeTable table = read_time_table(kTables + file);
  const auto answer = exact_placement(table.structure, table.costs);
  std::string text = std::to_string(static_cast<int>(answer->value.value));
  for (const std::uint32_t p : answer->assignment) text += " " + table.structure.processors[p];
  return text;
}

TEST(Exact, SolvesTheFourFormsOfCaseP8) {
  EXPECT_EQ(placed("p8.yaml"), "51 gpu card card cpu cpu");
  EXPECT_EQ(placed("p8_without_card.yaml"), "55 gpu gpu gpu cpu cpu");
  EXPECT_EQ(placed("p8_together.yaml"), "56 gpu card cpu cpu cpu");
  EXPECT_EQ(placed("p8_interval.yaml"), "20 gpu card card cpu cpu");
}

// The least value, and of equal values the least sum, by trying every assignment.
TableValue enumerated(const TimeTable& table) {
  const HeterogeneousStructure& structure = table.structure;
  Assignment at(structure.subgraphs.size(), 0);
  TableValue best{1e300, 1e300};
  while (true) {
    bool possible = memory_shortage(structure, at).empty();
    for (std::size_t i = 0; i < at.size(); ++i) possible &= structure.subgraphs[i].supported[at[i]];
    for (const auto& group : structure.together)
      for (const std::size_t member : group) possible &= at[member] == at[group.front()];
    if (possible) {
      const TableValue value = table_value(structure, table.costs, at);
      if (value.value < best.value || (value.value == best.value && value.sum < best.sum)) best = value;
    }
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == structure.processors.size()) at[i++] = 0;
    if (i == at.size()) return best;
  }
}

// Chains, trees and other graphs; with memories that run short and groups that stay together.
class ExactRandom : public testing::TestWithParam<Objective> {};

TEST_P(ExactRandom, EqualsEnumeration) {
  int compared = 0;
  for (std::uint64_t seed = 0; compared < 30; ++seed) {
    TimeTable table = random_table(seed, GetParam());
    HeterogeneousStructure& structure = table.structure;
    if (structure.subgraphs.size() > 8) continue;
    if (seed % 2 == 0) {
      for (PlacedSubgraph& one : structure.subgraphs) one.memory_bytes = 1 + seed % 5;
      structure.memory_bytes[0] = 8;
    }
    if (seed % 5 == 0) structure.together = {{1, 3}, {3, 4}};
    const TableValue best = enumerated(table);
    const auto answer = exact_placement(structure, table.costs);
    ASSERT_EQ(answer.ok(), best.value < 1e300) << seed;
    if (!answer.ok()) continue;
    EXPECT_EQ(answer->value.value, best.value) << seed;
    EXPECT_EQ(answer->value.sum, best.sum) << seed;
    ++compared;
  }
}
INSTANTIATE_TEST_SUITE_P(Objectives, ExactRandom, testing::Values(Objective::latency, Objective::interval),
                         [](const auto& info) {
                           return info.param == Objective::latency ? "Latency" : "Interval";
                         });

TEST(Exact, SolvesAChainOfAThousand) {
  TimeTable table = random_table(0, Objective::latency);
  HeterogeneousStructure& structure = table.structure;
  const std::size_t n = structure.subgraphs.size();
  for (std::size_t i = n; i < 1000; ++i) {
    structure.subgraphs.push_back(structure.subgraphs[i % n]);
    table.costs.duration.push_back(table.costs.duration[i % n]);
    table.costs.outside.push_back(table.costs.outside[i % n]);
    structure.edges.push_back({i - 1, i, 1});
    table.costs.delay.push_back(table.costs.delay[i % (n - 1)]);
  }
  EXPECT_TRUE(exact_placement(structure, table.costs).ok());
}

TEST(Exact, SeesEverythingThatMeasuringShows) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const TimeTable table = random_table(seed, Objective::latency);
    TableServer server(table);
    std::vector<ExecutionCycle> cycles;
    const ExecutionInfo info = measure_everything(table.structure, server, cycles);
    const auto from_table = exact_placement(table.structure, table.costs);
    const auto from_cycles = exact_placement(table.structure, info.table());
    EXPECT_DOUBLE_EQ(from_cycles->value.value, from_table->value.value) << seed;
    for (std::size_t i = 0; i < table.structure.subgraphs.size(); ++i)
      for (std::uint32_t p = 0; p < table.structure.processors.size(); ++p) {
        EXPECT_EQ(info.visits(i, p) > 0, table.structure.subgraphs[i].supported[p]);
      }
  }
}

}  // namespace
}  // namespace dfsim
