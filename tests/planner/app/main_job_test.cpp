#include <array>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/planner/app/run_dfsim.h"

namespace dfsim {
namespace {

using Json = nlohmann::json;

const char* const kCompared[] = {"plan.yaml",    "candidates.csv", "measurement.json",
                                 "program.json", "pe_traffic.csv", "report.html"};

/// Small enough to be planned in a second or two, with enough operators for stages, re-slicing and two
/// levels.
const char* const kModel =
    "name: tiny\n"
    "data_type: fp16\n"
    "inputs:\n"
    "  - {name: x, shape: [128]}\n"
    "outputs: [last]\n"
    "operators:\n"
    "  - {name: first, kind: matmul, inputs: [x], out_features: 256}\n"
    "  - {name: act, kind: elementwise, function: relu, inputs: [first]}\n"
    "  - {name: middle, kind: matmul, inputs: [act], out_features: 192}\n"
    "  - {name: last, kind: matmul, inputs: [middle], out_features: 64}\n";

class MainJob : public RunDfsim {
 protected:
  MainJob() { write("tiny.yaml", kModel); }
  Ended plan(const std::string& out, const std::string& more = "") {
    return dfsim("--config mesh2x2.yaml --model tiny.yaml --out " + out + " " + more);
  }
  void expect_as_schema(const std::string& files) const {
    const std::string command =
        "cd '" + folder_.string() + "' && python3 '" DFSIM_SOURCE_DIR "/scripts/check_schemas.py' " + files;
    EXPECT_EQ(std::system(command.c_str()), 0);
  }
  Json measurement(const std::string& out) {
    return Json::parse(read(out + "/measurement.json"), nullptr, false);
  }
};

TEST_F(MainJob, WritesAllFilesAndTheirNumbersAgree) {
  const Ended ended = plan("a");
  ASSERT_EQ(ended.code, 0) << ended.err;
  for (const char* name :
       {"plan.yaml", "candidates.csv", "measurement.json", "program.json", "config.resolved.yaml",
        "model.resolved.yaml", "run.json", "trace.json.gz", "pe_traffic.csv", "report.html"})
    EXPECT_TRUE(exists(std::string("a/") + name)) << name;
  EXPECT_NE(ended.out.find("interval"), std::string::npos) << ended.out;
  EXPECT_NE(ended.err.find("round 1:"), std::string::npos) << ended.err;

  expect_as_schema("a/measurement.json a/run.json a/program.json a/trace.json.gz");

  const Json m = measurement("a");
  EXPECT_EQ(m["macs_per_sample"], 128 * 256 + 256 * 192 + 192 * 64);
  EXPECT_EQ(m["flits_ejected"],
            m["flits_injected"].get<std::uint64_t>() + m["flits_forked"].get<std::uint64_t>());
  const std::uint64_t cycles = m["cycles"];
  ASSERT_EQ(m["pes"].size(), 4u);
  for (const Json& pe : m["pes"]) {
    std::uint64_t sum = pe["busy_cycles"];
    for (const auto& [cause, stalled] : pe["stall_cycles"].items()) sum += stalled.get<std::uint64_t>();
    EXPECT_EQ(sum, cycles) << pe;
  }
  const std::uint32_t samples = m["samples"], fill = m["fill_periods"], periods = m["periods"];
  const auto done = m["period_done_cycles"].get<std::vector<std::uint64_t>>();
  ASSERT_EQ(done.size(), fill + periods);
  EXPECT_EQ(m["latency_cycles"], done.front());
  EXPECT_DOUBLE_EQ(m["interval_cycles"], static_cast<double>(done.back() - done[fill]) /
                                             ((periods - 1) * static_cast<double>(samples)));
  EXPECT_GE(samples * m["interval_cycles"].get<double>(), m["lower_bound_cycles"].get<double>());
  EXPECT_GE(m["total_cycles"].get<double>(), m["cold_lower_bound_cycles"].get<double>());
  EXPECT_GE(m["planner"]["rounds"].size(), 3u);
  EXPECT_EQ(m["planner"]["rounds"][0]["stages"][0]["basis"], "preset");
}

/// What the model takes in and gives out lies in the host's memory: every sample crosses the bus once, and
/// nothing of it is DRAM traffic. `verify` finds the same bytes and the right numbers.
TEST_F(MainJob, InputsAndOutputsInTheMemoryOfAHostCrossItsBusAndAreCounted) {
  write("host.yaml", "extends: " DFSIM_SOURCE_DIR
                     "/configs/mesh2x2.yaml\n"
                     "name: hosted\n"
                     "host: {bridge: [west, north]}\n");
  const std::uint64_t in = 128 * 2, out = 64 * 2;
  std::map<std::string, std::array<std::uint64_t, 4>> bytes;  // read and written over the bus, in DRAM
  for (const char* where : {"true", "false"}) {
    const Ended ended =
        dfsim(std::string("--config host.yaml --model tiny.yaml --max-rounds 2 --set host.inputs=") + where +
              " --set host.outputs=" + where + " --out " + where);
    ASSERT_EQ(ended.code, 0) << ended.err;
    const Json m = measurement(where);
    const std::uint64_t runs = m["fill_periods"].get<std::uint64_t>() + m["periods"].get<std::uint64_t>();
    const std::uint64_t samples = runs * m["samples"].get<std::uint64_t>();
    bytes[where] = {m["host_read_bytes"], m["host_write_bytes"], m["dram_read_bytes"], m["dram_write_bytes"]};
    const bool on_host = std::string(where) == "true";
    EXPECT_EQ(bytes[where][0], on_host ? samples * in : 0);
    EXPECT_EQ(bytes[where][1], on_host ? samples * out : 0);
    EXPECT_EQ(bytes[where][3], on_host ? 0 : samples * out);
    EXPECT_GT(bytes[where][2], 0u) << "the weights are in DRAM";
    const Ended verified = dfsim(std::string("verify --plan ") + where + "/plan.yaml");
    EXPECT_EQ(verified.code, 0) << verified.err;
  }
}

TEST_F(MainJob, GivesTheSameBytesWithAnyWorkersAndCache) {
  ASSERT_EQ(plan("one", "--workers 1 --cache one.sqlite --trace none").code, 0);
  ASSERT_EQ(plan("two", "--workers 2 --cache two.sqlite --trace none").code, 0);
  ASSERT_EQ(plan("warm", "--workers 2 --cache one.sqlite --trace none").code, 0);
  for (const char* name : kCompared) {
    const std::string one = read(std::string("one/") + name);
    EXPECT_FALSE(one.empty()) << name;
    EXPECT_TRUE(one == read(std::string("two/") + name)) << name << " differs with two workers";
    EXPECT_TRUE(one == read(std::string("warm/") + name)) << name << " differs with a warm cache";
  }
}

TEST_F(MainJob, PlansAndCandidatesRunAgainWithTheSameCycles) {
  ASSERT_EQ(plan("a", "--trace none").code, 0);
  EXPECT_EQ(dfsim("check a/plan.yaml a/program.json a/config.resolved.yaml a/model.resolved.yaml").code, 0);
  const Ended again = dfsim("run --plan a/plan.yaml --json");
  ASSERT_EQ(again.code, 0) << again.err;
  EXPECT_EQ(Json::parse(again.out)["period_done_cycles"], measurement("a")["period_done_cycles"]);

  std::istringstream csv(read("a/candidates.csv"));
  int tried = 0;
  for (std::string line; std::getline(csv, line) && tried < 5;) {
    if (line.find(",executed,") == std::string::npos) continue;
    ++tried;
    const std::string id = line.substr(0, line.find(','));
    const Ended ended = dfsim("run --plan a/plan.yaml --json --candidate " + id);
    ASSERT_EQ(ended.code, 0) << ended.err;
    const Json json = Json::parse(ended.out);
    EXPECT_EQ(json["cycles"], json["recorded_cycles"]) << json;
    write("candidate.json", ended.out);
  }
  EXPECT_GT(tried, 0);
  write("planning.json", dfsim("plan --config mesh2x2.yaml --model tiny.yaml --out searched --json").out);
  expect_as_schema("candidate.json planning.json");

  ASSERT_EQ(dfsim("compile --plan a/plan.yaml -o p.json --periods " +
                  std::to_string(measurement("a")["periods"].get<int>()))
                .code,
            0);
  EXPECT_EQ(dfsim("run --program p.json --config mesh2x2.yaml --json").code, 0);
}

TEST_F(MainJob, RefusesAPlanWhoseInputsHaveChanged) {
  ASSERT_EQ(plan("a", "--trace none").code, 0);
  write("a/config.resolved.yaml", read("a/config.resolved.yaml") + "# touched\n");
  const Ended ended = dfsim("run --plan a/plan.yaml");
  EXPECT_EQ(ended.code, 2);
  EXPECT_NE(ended.err.find("has changed since the plan was made"), std::string::npos) << ended.err;
}

TEST_F(MainJob, PrunesWithoutChangingThePlan) {
  ASSERT_EQ(plan("auto", "--trace none --prune auto").code, 0);
  ASSERT_EQ(plan("none", "--trace none --prune none").code, 0);
  EXPECT_TRUE(read("auto/plan.yaml") == read("none/plan.yaml"));
}

/// Shell text: starts dfsim in the background and waits until its log holds `line`.
std::string started(const std::string& arguments, const std::string& line) {
  return arguments + " 2>log & pid=$!; for i in $(seq 3000); do grep -q '" + line +
         "' log && break; sleep 0.02; done; ";
}

TEST_F(MainJob, KeepsTheBestPlanWhenInterrupted) {
  const Ended ended =
      dfsim(started("--config mesh2x2.yaml --model mlp.yaml --out cut --workers 1", "round 2:") +
            "kill -INT $pid; wait $pid");
  EXPECT_EQ(ended.code, 130) << read("log");
  EXPECT_NE(read("cut/plan.yaml").find("partial: true"), std::string::npos);
  EXPECT_FALSE(exists("cut/measurement.json"));
  EXPECT_NE(ended.out.find("interrupted"), std::string::npos) << ended.out;
  EXPECT_EQ(dfsim("check cut/plan.yaml").code, 0);
}

TEST_F(MainJob, GivesTheSameBytesAfterAKill) {
  ASSERT_EQ(plan("undisturbed", "--cache other.sqlite --trace none").code, 0);
  const Ended killed =
      dfsim(started("--config mesh2x2.yaml --model tiny.yaml --out again --trace none", "round 2:") +
            "kill -KILL $pid; wait $pid");
  EXPECT_EQ(killed.code, 128 + 9);
  EXPECT_FALSE(exists("again"));
  ASSERT_EQ(plan("again", "--trace none").code, 0);
  for (const char* name : kCompared)
    EXPECT_TRUE(read(std::string("undisturbed/") + name) == read(std::string("again/") + name)) << name;
  EXPECT_GT(Json::parse(read("again/run.json"))["reused_prices"], 0);
}

}  // namespace
}  // namespace dfsim
