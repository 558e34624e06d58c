// dfsim plan --price-table, as a user runs it.
#include <nlohmann/json.hpp>

#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

using Json = nlohmann::json;

const std::string kTables = DFSIM_SOURCE_DIR "/tests/data/planner/";

class PriceTables : public RunDfsim {
 protected:
  Json json(const std::string& arguments) {
    const Ended ended = dfsim("plan --json --price-table " + arguments);
    EXPECT_EQ(ended.code, 0) << arguments << "\n" << ended.err;
    return Json::parse(ended.out, nullptr, false);
  }
};

TEST_F(PriceTables, TheOutputSaysWhereThePricesComeFrom) {
  const Json plan = json(kTables + "p3.yaml");
  EXPECT_EQ(plan["prices"], "table");
  EXPECT_EQ(plan["value"], 11);
  EXPECT_EQ(plan["optimal"], true);
  ASSERT_EQ(plan["stages"].size(), 2u);
  EXPECT_EQ(plan["stages"][0]["layers"], Json::array({0, 0}));
  EXPECT_EQ(plan["stages"][0]["pes"], 9);
  EXPECT_EQ(plan["stages"][0]["rect"].size(), 4u);
  const Ended text = dfsim("plan --price-table " + kTables + "p3.yaml");
  EXPECT_NE(text.out.find("prices       table"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("measured"), std::string::npos) << "nothing was measured";
  EXPECT_FALSE(exists("out"));
}

TEST_F(PriceTables, EveryOptimizerAnswers) {
  for (const std::string name : {"dp", "exhaustive", "ga", "rl"}) {
    const Json plan = json(kTables + "p2.yaml --optimizer " + name);
    EXPECT_EQ(plan["value"], 346) << name;
    EXPECT_EQ(plan["optimal"], true) << name;
    EXPECT_EQ(plan["goal"]["makespan"], 16);
    EXPECT_LE(plan["priced_plans"], 2000);
  }
}

TEST_F(PriceTables, EqualSeedsGiveEqualBytesAndPoliciesCanBeUsedAgain) {
  const std::string table = kTables + "p2.yaml --optimizer rl --seed 5 --save-policy ";
  const Ended a = dfsim("plan --json --price-table " + table + "a.json");
  const Ended b = dfsim("plan --json --price-table " + table + "b.json");
  EXPECT_EQ(a.out, b.out);
  EXPECT_EQ(read("a.json"), read("b.json"));
  const Ended again =
      dfsim("plan --price-table " + kTables + "p1.yaml --optimizer rl --load-policy a.json --priced-plans 8");
  EXPECT_EQ(again.code, 0) << again.err;
}

TEST_F(PriceTables, MistakesEndWithExitCodeTwo) {
  write("bad.yaml", "goal: pes\npes: 4\nwork: [1, x]\nstage_time: p\n");
  const Ended bad = dfsim("plan --price-table bad.yaml");
  EXPECT_EQ(bad.code, 2);
  EXPECT_NE(bad.err.find("bad.yaml:1:7: error: the goal 'pes' needs a time_limit"), std::string::npos)
      << bad.err;
  EXPECT_NE(bad.err.find("bad.yaml:3:11: error:"), std::string::npos) << bad.err;
  write("policy.json", "{\"kind\": \"something else\"}");
  const std::string p1 = "plan --price-table " + kTables + "p1.yaml ";
  for (const std::string arguments :
       {"plan --price-table none.yaml", "plan --price-table bad.yaml --config mesh2x2.yaml"})
    EXPECT_EQ(dfsim(arguments).code, 2) << arguments;
  for (const std::string arguments :
       {"--optimizer annealing", "--load-policy policy.json", "--optimizer rl --load-policy policy.json",
        "--optimizer rl --load-policy none.json", "--optimizer ga --save-policy p.json"})
    EXPECT_EQ(dfsim(p1 + arguments).code, 2) << arguments;
}

TEST_F(PriceTables, WhatDoesNotFitEndsWithExitCodeThree) {
  write("limit.yaml", "goal: pes\ntime_limit: 1\npes: 2\nwork: [4, 4]\nstage_time: sum(work)/p\n");
  EXPECT_EQ(dfsim("plan --price-table limit.yaml").code, 3);
}

}  // namespace
}  // namespace dfsim
