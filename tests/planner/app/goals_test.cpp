// Goals with updatable hardware, as a user runs them, on a small network and at most 2 x 2 PEs.
#include <nlohmann/json.hpp>

#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

using Json = nlohmann::json;

class Goals : public RunDfsim {
 protected:
  Goals() {
    write("net.yaml",
          "name: net\ninputs: [{name: x, shape: [64, 128]}]\noutputs: [y]\noperators:\n"
          "  - {name: a, kind: matmul, inputs: [x], out_features: 256}\n"
          "  - {name: b, kind: elementwise, function: relu, inputs: [a]}\n"
          "  - {name: y, kind: matmul, inputs: [b], out_features: 128}\n");
  }
  Ended plan(const std::string& arguments) const {
    return dfsim("--config mesh2x2.yaml --model net.yaml --samples 2 --max-rounds 3 --trace none --out out " +
                 arguments);
  }
  Json curve() const { return Json::parse(read("out/curve.json"), nullptr, false); }
  Json measurement() const { return Json::parse(read("out/measurement.json"), nullptr, false); }
};

TEST_F(Goals, FewestPesNeverRiseWhenTheLimitIsRelaxed) {
  const Ended whole = plan("--curve");
  ASSERT_EQ(whole.code, 0) << whole.err;
  const Json points = curve()["points"];
  ASSERT_EQ(points.size(), 3u);  // 1, 2 and 4 PEs
  double fastest = 1e300, slowest = 0;
  for (const Json& point : points) {
    EXPECT_EQ(point["status"], "measured");
    // Periods are told apart by when their last store is acknowledged. That tail is a few cycles shorter in
    // the last period, in which nothing is loaded for a next one.
    EXPECT_GE(1.01 * point["cycles"].get<double>(), point["bound_cycles"].get<double>());
    fastest = std::min(fastest, point["cycles"].get<double>());
    slowest = std::max(slowest, point["cycles"].get<double>());
  }
  EXPECT_EQ(curve()["chosen"], "2x2");  // goal time: the described machine
  int last = 4;
  bool changed = false;
  for (int step = 0; step <= 4; ++step) {
    const double limit = fastest + (slowest - fastest) * step / 4 + 1;
    const Ended ended = plan("--goal hardware --time-limit " + std::to_string(static_cast<long>(limit)));
    ASSERT_EQ(ended.code, 0) << ended.err;
    const Json answer = measurement();
    const int pes = answer["execution_cost"]["hardware"]["pes"];
    EXPECT_LE(answer["execution_cost"]["time_cycles"].get<double>(), limit);
    EXPECT_EQ(answer["execution_cost"]["fixed"], Json::array({"time"}));
    EXPECT_EQ(answer["execution_cost"]["updatable"], Json::array({"hardware"}));
    EXPECT_EQ(answer["planner"]["goal"], "hardware");
    EXPECT_LE(pes, last);
    changed |= pes < last;
    last = pes;
    int least = 5;  // of all machines that were measured for the curve
    for (const Json& point : points)
      if (point["cycles"].get<double>() <= limit) least = std::min(least, point["pes"].get<int>());
    EXPECT_EQ(pes, least);
  }
  EXPECT_TRUE(changed);
  EXPECT_EQ(last, 1);
}

TEST_F(Goals, TheCheapestMachineIsTheMinimumOfTheCurve) {
  const Ended ended = plan("--goal cost --set cost.per_cycle=3 --set cost.per_joule=1e6");
  ASSERT_EQ(ended.code, 0) << ended.err;
  const Json found = curve();
  double chosen = 0, least = 1e300;
  for (const Json& point : found["points"]) {
    if (point["cost"].is_null()) continue;
    least = std::min(least, point["cost"].get<double>());
    if (point["machine"] == found["chosen"]) {
      chosen = point["cost"];
      EXPECT_NEAR(chosen,
                  point["cycles"].get<double>() * (point["pes"].get<double>() + 3) +
                      1e6 * point["joules"].get<double>(),
                  1e-6 * chosen);
    }
  }
  EXPECT_EQ(chosen, least);
  EXPECT_NE(ended.out.find("trade-off"), std::string::npos) << ended.out;
  EXPECT_EQ(plan("--goal cost --cost-limit 1").code, 3);
  EXPECT_TRUE(exists("out/curve.svg"));
  EXPECT_NE(read("out/curve.csv").find("machine,pes,"), std::string::npos);
}

TEST_F(Goals, WrongRequestsEndWithExitCodeTwo) {
  for (const std::string arguments :
       {"--goal hardware", "--time-limit 5", "--goal hardware --time-limit soon", "--cost-limit 3",
        "--goal hardware --time-limit 5 --minimise area"})
    EXPECT_EQ(plan(arguments).code, 2) << arguments;
  EXPECT_FALSE(exists("out"));
}

TEST_F(Goals, NothingWithinTheLimitEndsWithExitCodeThree) {
  const Ended ended = plan("--goal hardware --time-limit 1");
  EXPECT_EQ(ended.code, 3);
  EXPECT_NE(ended.err.find("no machine is within the time limit"), std::string::npos) << ended.err;
}

TEST_F(Goals, StopBelowEndsInTheFirstRoundWhoseMeasuredTimeIsBelow) {
  const Ended all = plan("--json");
  ASSERT_EQ(all.code, 0) << all.err;
  std::vector<double> costs;
  const Json full = Json::parse(all.out);
  for (const Json& round : full["planner"]["rounds"]) costs.push_back(round["cost_out"]);
  costs.resize(
      std::min<std::size_t>(costs.size(), 3));  // rounds beyond --max-rounds only complete the search
  for (const double target : costs) {
    if (target <= 0) continue;
    const Ended ended = plan("--json --stop-below " + std::to_string(static_cast<long>(target) + 1));
    ASSERT_EQ(ended.code, 0) << ended.err;
    const Json stopped = Json::parse(ended.out);
    std::size_t first = 0;
    while (costs[first] <= 0 || costs[first] >= static_cast<long>(target) + 1) ++first;
    EXPECT_EQ(stopped["planner"]["stopped"], "below_target");
    EXPECT_EQ(stopped["planner"]["rounds"].size(), first + 1);
  }
}

TEST_F(Goals, SearchesByTrialWorkWithSimulatedPrices) {
  for (const std::string name : {"ga", "rl"}) {
    const Ended one = plan("--json --optimizer " + name),
                two = plan("--json --workers 1 --optimizer " + name);
    ASSERT_EQ(one.code, 0) << one.err;
    EXPECT_EQ(one.out, two.out);
    const Json planner = Json::parse(one.out)["planner"];
    EXPECT_EQ(planner["optimizer"], name);
    bool bound = false, measured = false;
    for (const Json& round : planner["rounds"])
      for (const Json& stage : round["stages"]) {
        bound |= stage["basis"] == "bound";
        measured |= stage["basis"] == "measured";
      }
    EXPECT_TRUE(bound || measured);
    double best = 1e300;
    for (const Json& round : planner["rounds"])
      if (round["cost_out"].get<double>() > 0) best = std::min(best, round["cost_out"].get<double>());
    for (const Json& round : planner["rounds"]) EXPECT_GE(best, round["bound"].get<double>());
  }
}

}  // namespace
}  // namespace dfsim
