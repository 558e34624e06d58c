#include "planner/placement/time_table.h"

#include <gtest/gtest.h>

namespace dfsim {
namespace {

const char* const kGood =
    "processors: [cpu, gpu]\n"
    "subgraphs:\n"
    "  - {name: b, time: [3, 1]}\n"
    "  - {name: a, time: [2.5, ~]}\n"
    "copies:\n"
    "  - {from: a, to: b, time: 4}\n";

std::string mistakes(const std::string& from, const std::string& to) {
  std::string text = kGood;
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  text.replace(at, from.size(), to);
  try {
    read_time_table_text(text, "t.yaml");
  } catch (const ModelError& error) {
    return error.what();
  }
  return {};
}

TEST(TimeTable, PutsSubgraphsIntoAnOrderInWhichTheyCanRun) {
  const TimeTable table = read_time_table_text(kGood, "t.yaml");
  ASSERT_EQ(table.structure.subgraphs.size(), 2u);
  EXPECT_EQ(table.structure.subgraphs[0].name, "a");
  EXPECT_EQ(table.structure.edges[0].from, 0u);
  EXPECT_EQ(table.costs.duration[0][0], 2.5);
  EXPECT_FALSE(table.structure.subgraphs[0].supported[1]);
  EXPECT_EQ(table.costs.delay[0][0][1], 4);
  EXPECT_EQ(table.structure.subgraphs[0].mutation_factor, 0);    // one processor
  EXPECT_EQ(table.structure.subgraphs[1].mutation_factor, 0.5);  // both, mean traffic
}

TEST(TimeTable, ObjectiveOfTheCallerGoesFirst) {
  EXPECT_EQ(read_time_table_text(kGood, "t.yaml").structure.objective, Objective::latency);
  EXPECT_EQ(read_time_table_text(kGood, "t.yaml", Objective::interval).structure.objective,
            Objective::interval);
}

TEST(TimeTable, LocatesMistakes) {
  EXPECT_NE(mistakes("[3, 1]", "[3, 1, 2]").find("t.yaml:3:21: error: 'b' has 3 times, but there are 2"),
            std::string::npos);
  EXPECT_NE(mistakes("to: b", "to: c").find("t.yaml:6:19: error: there is no sub-graph 'c'"),
            std::string::npos);
  EXPECT_NE(mistakes("time: 4", "time: -4").find("t.yaml:6:28"), std::string::npos);
  EXPECT_NE(mistakes("[2.5, ~]", "[~, ~]").find("t.yaml:4:5: error: no processor can run 'a'"),
            std::string::npos);
  EXPECT_NE(mistakes("name: a", "name: b").find("there are two sub-graphs 'b'"), std::string::npos);
  EXPECT_NE(mistakes("[cpu, gpu]", "[cpu, cpu]").find("there are two processors 'cpu'"), std::string::npos);
  EXPECT_NE(mistakes("copies:", "together: [[a, b]]\ncopies:").size(), 1u);
  EXPECT_NE(mistakes("copies:", "objektive: interval\ncopies:").find("objektive"), std::string::npos);
}

TEST(TimeTable, RefusesACycleOfCopies) {
  const std::string said = mistakes("time: 4}\n", "time: 4}\n  - {from: b, to: a, time: 1}\n");
  EXPECT_NE(said.find("the copies form a cycle; it lies among b, a"), std::string::npos) << said;
}

TEST(TimeTable, RefusesAGroupThatNoProcessorCanRun) {
  const std::string said = mistakes("[3, 1]", "[~, 1]") + mistakes("copies:", "together: [[b, a]]\ncopies:");
  EXPECT_EQ(said, "");
  const char* const text =
      "processors: [cpu, gpu]\nsubgraphs: [{name: a, time: [1, ~]}, {name: b, time: [~, 1]}]\ntogether: [[a, "
      "b]]\n";
  try {
    read_time_table_text(text, "t.yaml");
    FAIL();
  } catch (const ModelError& error) {
    EXPECT_NE(std::string(error.what()).find("t.yaml:3:12: error: no processor can run all of this group"),
              std::string::npos)
        << error.what();
  }
}

}  // namespace
}  // namespace dfsim
