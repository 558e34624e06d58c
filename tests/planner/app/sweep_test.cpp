// dfsim sweep, as a user runs it.
#include <signal.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "sim/base/csv.h"
#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

class SweepCommand : public RunDfsim {
 protected:
  static std::string sweep(const std::string& out, const std::string& more = "") {
    return "sweep --config mesh2x2.yaml --model mlp.yaml --vary noc.dims=2x1,2x2,4x2 --trace none --out " +
           out + " " + more;
  }
  static const std::vector<std::string>& points() {
    static const std::vector<std::string> names{"noc.dims=2x1", "noc.dims=2x2", "noc.dims=4x2"};
    return names;
  }
  /// Every file but those that hold seconds.
  void expect_same_files(const std::string& a, const std::string& b) const {
    for (const char* name : {"sweep.csv", "sweep.json", "sweep.html"})
      EXPECT_EQ(read(a + "/" + name), read(b + "/" + name)) << name;
    for (const std::string& point : points())
      for (const char* name :
           {"point.json", "measurement.json", "plan.yaml", "candidates.csv", "report.html"}) {
        const std::string path = "/points/" + point + "/" + name;
        EXPECT_TRUE(exists(a + path)) << path;
        EXPECT_EQ(read(a + path), read(b + path)) << path;
      }
  }
  std::filesystem::file_time_type written(const std::string& name) const {
    return std::filesystem::last_write_time(folder_ / name);
  }
};

TEST_F(SweepCommand, MeasuresEveryPointWhateverTheWorkers) {
  const Ended one = dfsim(sweep("one", "--workers 1 --cache none"));
  ASSERT_EQ(one.code, 0) << one.err;
  const auto rows = parse_csv(read("one/sweep.csv"));
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[1][0], "2x1");
  EXPECT_EQ(rows[3][0], "4x2");
  EXPECT_NE(one.out.find("which noc.dims?"), std::string::npos) << one.out;
  EXPECT_NE(one.err.find("3 of 3"), std::string::npos) << one.err;
  const auto json = nlohmann::json::parse(read("one/sweep.json"));
  for (const auto& point : json["points"]) EXPECT_EQ(point["status"], "measured");
  // The same run as without a sweep.
  ASSERT_EQ(dfsim("--config mesh2x2.yaml --model mlp.yaml --set noc.dims=2x1 --trace none --out alone").code,
            0);
  EXPECT_EQ(read("alone/measurement.json"), read("one/points/noc.dims=2x1/measurement.json"));
  ASSERT_EQ(dfsim(sweep("three", "--workers 3 --cache none --quiet")).code, 0);
  expect_same_files("one", "three");
}

TEST_F(SweepCommand, GoesOnAfterAKill) {
  ASSERT_EQ(dfsim(sweep("whole")).code, 0);
  // Killed as soon as one point is finished; the others are not.
  const Ended killed = dfsim(sweep("cut", "--workers 1 --cache none") +
                             " & sweep=$!; for i in $(seq 3000); do ls cut/points/*/point.json >/dev/null "
                             "2>&1 && break; sleep 0.02; done; "
                             "kill -9 $sweep; wait $sweep; echo killed");
  ASSERT_NE(killed.out.find("killed"), std::string::npos) << killed.err;
  EXPECT_FALSE(exists("cut/sweep.csv"));
  std::vector<std::pair<std::string, std::filesystem::file_time_type>> finished;
  for (const std::string& point : points()) {
    const std::string path = "cut/points/" + point;
    if (exists(path + "/point.json")) finished.emplace_back(path, written(path + "/measurement.json"));
  }
  ASSERT_GE(finished.size(), 1u);
  ASSERT_LT(finished.size(), 3u);
  const Ended resumed = dfsim(sweep("cut", "--workers 2 --cache none"));
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("kept from an earlier sweep"), std::string::npos) << resumed.err;
  for (const auto& [path, time] : finished) EXPECT_EQ(written(path + "/measurement.json"), time) << path;
  expect_same_files("whole", "cut");
}

TEST_F(SweepCommand, APointIsMeasuredAnewWhenItsInputsChange) {
  const std::string command =
      "sweep --config mesh2x2.yaml --model matmul_2x2.yaml --vary noc.dims=2x1,2x2 --trace none --out s "
      "--workers 2 ";
  ASSERT_EQ(dfsim(command).code, 0);
  const Ended same = dfsim(command);
  EXPECT_NE(same.err.find("2 of 2 points are kept"), std::string::npos) << same.err;
  const Ended other = dfsim(command + "--samples 4");
  EXPECT_EQ(other.err.find("kept"), std::string::npos) << other.err;
}

TEST_F(SweepCommand, APointWithoutAPlanIsAResult) {
  const Ended ended = dfsim(
      "sweep --config mesh2x2.yaml --model mlp.yaml --vary pe.scratchpad_bytes=1024,1048576 --trace none "
      "--out s --json");
  EXPECT_EQ(ended.code, 0) << ended.err;
  const auto json = nlohmann::json::parse(ended.out);
  EXPECT_EQ(json["points"][0]["status"], "no_plan");
  EXPECT_NE(json["points"][0]["reason"], "");
  EXPECT_EQ(json["points"][1]["status"], "measured");
  EXPECT_EQ(
      dfsim(
          "sweep --config mesh2x2.yaml --model mlp.yaml --vary pe.scratchpad_bytes=1024 --trace none --out n")
          .code,
      3);
}

TEST_F(SweepCommand, MistakesAreFoundBeforeAnythingRuns) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"", "--vary"},
      {"--vary noc.dims", "is no key.path=value"},
      {"--vary noc.dims=2x2,", "has an empty value"},
      {"--vary noc.dims=2x2,2x2", "names '2x2' twice"},
      {"--vary noc.dims=2x2 --vary noc.dims=4x4", "varies 'noc.dims' again"},
      {"--vary noc.dims=2x2,huge", "noc.dims"},
      {"--vary noc.virtual_chanels=4", "virtual_channels"},
      {"--vary noc.dims=2x2 --trace t.json", "one file cannot take"},
      {"--vary noc.dims=2x2 --optimizer dq", "unknown optimizer"},
  };
  for (const auto& [options, said] : mistakes) {
    const Ended ended =
        dfsim(std::string("sweep --config mesh2x2.yaml --model mlp.yaml --out bad ") + options);
    EXPECT_EQ(ended.code, 2) << options;
    EXPECT_NE(ended.err.find(said), std::string::npos) << options << "\n" << ended.err;
    EXPECT_FALSE(exists("bad")) << options;
  }
}

TEST_F(SweepCommand, ListsAreValuesToo) {
  const Ended ended = dfsim(
      "sweep --config mesh2x2.yaml --model matmul_2x2.yaml --vary 'noc.dims=[2, 1],[2, 2]' --trace none "
      "--out s --quiet");
  ASSERT_EQ(ended.code, 0) << ended.err;
  EXPECT_EQ(ended.err, "");
  EXPECT_EQ(parse_csv(read("s/sweep.csv"))[1][0], "[2, 1]");
}

}  // namespace
}  // namespace dfsim
