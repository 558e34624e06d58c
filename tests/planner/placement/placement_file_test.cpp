#include "planner/placement/placement_file.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "planner/placement/placement_table.h"

namespace dfsim {
namespace {

PlacementFile example() {
  PlacementFile placement;
  placement.server = {"config.resolved.yaml", "aa"};
  placement.model = {"model.resolved.yaml", "bb"};
  placement.graph_identity = "cc";
  placement.objective = Objective::interval;
  placement.method = "exact";
  placement.seed = 7;
  placement.value_ns = 12.5;
  placement.sum_ns = 20;
  placement.subgraphs = {{"g0", {"subgraphs/g0.yaml", "dd"}, "cpu", 4, 0.25},
                         {"g1", {"subgraphs/g1.yaml", "ee"}, "gpu", 5, 0.5}};
  placement.card_times = {{{"width=64"}, "g0", "card", {1000, 500}}, {{}, "g1", "card", {3000, 700}}};
  return placement;
}

std::string written(const std::string& text) {
  const std::string path = testing::TempDir() + "placement_file_" + std::to_string(::getpid()) + ".yaml";
  std::ofstream(path) << text;
  return path;
}

TEST(PlacementFile, ReadsBackWhatItWrote) {
  const std::string text = placement_yaml(example());
  const PlacementFile placement = read_placement(written(text));
  EXPECT_EQ(placement_yaml(placement), text);
  EXPECT_EQ(placement.card_times[0].dimensions, std::vector<std::string>{"width=64"});
  EXPECT_EQ(placement.card_times[1].time.interval_ps, 700u);
}

TEST(PlacementFile, LocatesMistakes) {
  std::string text = placement_yaml(example());
  text.replace(text.find("operators: 4"), 12, "operators: 0");
  EXPECT_THROW(read_placement(written(text)), ModelError);
  EXPECT_THROW(read_placement(written("version: 1\n")), ModelError);
}

TEST(PlacementFile, RefusesProcessorsThatTheServerDoesNotHave) {
  ServerSpec server;
  server.processors.resize(1);
  server.processors[0].name = "cpu";
  EXPECT_THROW(assignment_of(example(), server, "p.yaml"), ModelError);
  server.processors.push_back(server.processors[0]);
  server.processors[1].name = "gpu";
  EXPECT_EQ(assignment_of(example(), server, "p.yaml"), (Assignment{0, 1}));
}

// Two sub-graphs in a row on two processors.
HeterogeneousStructure pair() {
  HeterogeneousStructure structure;
  structure.processors = {"p", "q"};
  structure.memory_bytes = {HeterogeneousStructure::kUnlimited, HeterogeneousStructure::kUnlimited};
  for (const char* name : {"a", "b"}) {
    PlacedSubgraph one;
    one.name = name;
    one.supported = {true, true};
    one.refused = {"", ""};
    structure.subgraphs.push_back(one);
  }
  structure.edges = {{0, 1, 8}};
  return structure;
}

ExecutionCycle cycle(Assignment at, std::vector<double> duration, double delay) {
  ExecutionCycle result;
  result.assignment = std::move(at);
  result.duration = std::move(duration);
  result.input_delay = result.output_delay = {0, 0};
  result.delay = {delay};
  result.value = result.sum = result.duration[0] + result.duration[1] + delay;
  return result;
}

TEST(PlacementTable, CountsVisitsAndMeans) {
  const std::vector<ExecutionCycle> cycles{cycle({0, 0}, {10, 10}, 0), cycle({1, 1}, {4, 20}, 0),
                                           cycle({1, 0}, {6, 10}, 3)};
  const auto table = visit_table(pair(), cycles);
  EXPECT_EQ(table[0][1].visits, 2u);
  EXPECT_EQ(table[0][1].mean_duration, 5);
  EXPECT_EQ(table[0][1].mean_delay, 1.5);
  EXPECT_TRUE(table[0][1].fastest);
  EXPECT_FALSE(table[0][0].fastest);
  EXPECT_EQ(best_single_processor(cycles), &cycles[0]);
}

TEST(PlacementTable, SaysWhy) {
  const std::vector<ExecutionCycle> cycles{cycle({0, 0}, {10000, 10000}, 0), cycle({1, 1}, {4000, 20000}, 0),
                                           cycle({1, 0}, {4000, 10000}, 3000)};
  const auto reasons = settled_reasons(pair(), cycles, {1, 0});
  EXPECT_EQ(reasons[0], "fastest alone; on p all together takes 3.0 us more");
  EXPECT_EQ(reasons[1], "fastest alone; on q all together takes 7.0 us more");
  const auto elsewhere = settled_reasons(pair(), cycles, {0, 0});
  EXPECT_EQ(elsewhere[0], "q is 6.0 us faster alone; on q all together takes -3.0 us more");
}

}  // namespace
}  // namespace dfsim
