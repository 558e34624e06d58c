// What a price table may say, and how mistakes are reported: all at once, each at its place.
#include <gtest/gtest.h>

#include "planner/price_table/number_expression.h"
#include "planner/price_table/price_table.h"

namespace dfsim {
namespace {

std::string mistakes(const std::string& text) {
  try {
    read_price_table_text(text, "t.yaml");
  } catch (const ModelError& error) {
    return error.what();
  }
  return "";
}

TEST(NumberExpression, HasTheValueOfTheFormula) {
  ExpressionNames names;
  names.numbers["p"] = 4;
  names.lists["work"] = {12, 24, 1.5};
  const auto value = [&](const std::string& text) { return *evaluate_number(text, names); };
  EXPECT_DOUBLE_EQ(value("sum(work)/p + 2*(p-1)"), 37.5 / 4 + 6);
  EXPECT_DOUBLE_EQ(value("max(work) - min(work, 1)"), 23);
  EXPECT_DOUBLE_EQ(value("ceil(p/3) + floor(1.9) + count(work)"), 6);
  EXPECT_DOUBLE_EQ(value("-p ^ 2"), -16);
  EXPECT_DOUBLE_EQ(value("2 ^ -1 * log2(8) + sqrt(p)"), 3.5);
  EXPECT_DOUBLE_EQ(value("1e3/p"), 250);
}

TEST(NumberExpression, SaysWhatIsWrong) {
  ExpressionNames names;
  names.numbers["p"] = 0;
  names.lists["work"] = {1};
  const auto reason = [&](const std::string& text) { return evaluate_number(text, names).reason(); };
  EXPECT_EQ(reason("sum(wrk)"), "'sum(wrk)': unknown name 'wrk'; did you mean 'work'?");
  EXPECT_EQ(reason("1/p"), "'1/p': division by zero");
  EXPECT_EQ(reason("(p"), "'(p': ')' is missing");
  EXPECT_EQ(reason("work + 1"), "'work + 1': 'work' is a list: write sum(work), max(work) or min(work)");
  EXPECT_EQ(reason("p p"), "'p p': unexpected 'p'");
  EXPECT_EQ(reason("med(work)"), "'med(work)': 'med' of 1 value is no function");
  EXPECT_EQ(reason("10 ^ 400"), "'10 ^ 400': the value is not finite");
  EXPECT_NE(reason(std::string(200, '(')).find("nested too deeply"), std::string::npos);
  EXPECT_FALSE(evaluate_number("", names).ok());
}

TEST(PriceTable, TurnsShapesOnlyIfAsked) {
  const std::string text =
      "goal: interval\nmesh: [4, 4]\ntable: [{layers: [0, 0], shape: [2, 3], time: 7}]\n";
  EXPECT_EQ(read_price_table_text(text, "t").price(0, 1, {2, 3, 1}).period_cycles, 7);
  EXPECT_EQ(read_price_table_text(text, "t").price(0, 1, {3, 2, 1}).period_cycles, kNever);
  EXPECT_EQ(read_price_table_text(text + "rotate: true\n", "t").price(0, 1, {3, 2, 1}).period_cycles, 7);
}

TEST(PriceTable, StatedTimesGoBeforeTurnedOnes) {
  const PriceTable table = read_price_table_text(
      "goal: interval\nmesh: [4, 4]\nrotate: true\ntable:\n  - {layers: [0, 0], shape: [2, 3], time: 7}\n"
      "  - {layers: [0, 0], shape: [3, 2], time: 8}\n",
      "t");
  EXPECT_EQ(table.price(0, 1, {3, 2, 1}).period_cycles, 8);
}

TEST(PriceTable, LeavesOutGroupsOfOtherSizesAndTooLittleMemory) {
  const PriceTable table = read_price_table_text(
      "goal: latency\npes: 8\nwork: [8, 8]\nweights_kib: [10, 30]\nscratchpad_kib: 10\n"
      "group_sizes: [1, 4]\nstage_time: sum(work)/p\n",
      "t");
  EXPECT_EQ(table.price(0, 1, {1, 1, 1}).period_cycles, 8);
  EXPECT_EQ(table.price(0, 1, {2, 1, 1}).period_cycles, kNever);
  EXPECT_EQ(table.price(0, 2, {4, 1, 1}).period_cycles, 4);
  EXPECT_EQ(table.price(1, 2, {1, 1, 1}).period_cycles, kNever);
}

TEST(PriceTable, ReportsEveryMistakeAtItsPlace) {
  const std::string report = mistakes(
      "goal: throughput\n"
      "pes: 0\n"
      "mesh: [4]\n"
      "work: [1, -2]\n"
      "weights_kib: [1]\n"
      "group_sizes: []\n"
      "colour: red\n"
      "stage_time: p\n");
  for (const char* expected :
       {"t.yaml:1:7: error:", "t.yaml:2:6: error:", "t.yaml:3:7: error: both pes and mesh",
        "t.yaml:3:7: error: expected two numbers, found 1",
        "t.yaml:4:11: error:", "t.yaml:5:14: error: 1 weights for 2 layers",
        "t.yaml:6:14: error: no size is given", "t.yaml:7:1: error:"})
    EXPECT_NE(report.find(expected), std::string::npos) << expected << "\nin\n" << report;
}

TEST(PriceTable, ReportsMistakesOfTheTable) {
  const std::string report = mistakes(
      "goal: pes\nmesh: [4, 4]\nwork: [1, 1, 1]\ntable:\n"
      "  - {layers: [1, 0], shape: [1, 1], time: 1}\n"
      "  - {layers: [0, 3], shape: [1, 1], time: 1}\n"
      "  - {layers: [0, 0], shape: [5, 1], time: 1}\n"
      "  - {layers: [0, 0], shape: [1, 1], time: -1}\n"
      "  - {layers: [0, 0], shape: [1, 1], time: 2}\n"
      "  - {layers: [0], shape: [1, 1], time: 2}\n");
  for (const char* expected :
       {"t.yaml:1:7: error: the goal 'pes' needs a time_limit",
        "t.yaml:5:14: error: layer 1 comes after layer 0", "t.yaml:6:14: error: there is no layer 3",
        "t.yaml:7:29: error: 5 x 1 is larger than the mesh of 4 x 4",
        "t.yaml:8:43: error:", "t.yaml:9:5: error: this stage has a time on this group already",
        "t.yaml:10:14: error: expected two numbers, found 1"})
    EXPECT_NE(report.find(expected), std::string::npos) << expected << "\nin\n" << report;
}

TEST(PriceTable, ReportsWhatTheFormulaGives) {
  const std::string begin = "goal: interval\npes: 4\nwork: [1, 2]\nstage_time: ";
  EXPECT_NE(mistakes(begin + "sum(work)-2*p\n").find("the time of layers 0 to 0 on 1 PE is -1"),
            std::string::npos);
  EXPECT_NE(mistakes(begin + "sum(w)/p\n").find("t.yaml:4:13: error: 'sum(w)/p': unknown name 'w'"),
            std::string::npos);
  EXPECT_NE(mistakes("goal: interval\npes: 2\ntable: [{layers: [1, 1], pes: 1, time: 3}]\n")
                .find("no stage holds layer 0"),
            std::string::npos);
}

}  // namespace
}  // namespace dfsim
