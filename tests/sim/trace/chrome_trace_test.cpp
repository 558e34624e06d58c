#include "sim/trace/chrome_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/sim/trace/example.h"

namespace dfsim {
namespace {

using Json = nlohmann::json;

constexpr int kAnyProcess = -1;

std::set<std::string> names_of(const Json& trace, const std::string& kind, int process = kAnyProcess) {
  std::set<std::string> names;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "M" && e["name"] == kind && (process == kAnyProcess || e["pid"] == process))
      names.insert(e["args"]["name"].get<std::string>());
  return names;
}

TEST(ChromeTrace, SlicesOfAThreadDoNotOverlap) {
  const Json trace = Example().json();
  EXPECT_EQ(trace["displayTimeUnit"], "ns");
  for (auto& [thread, slices] : slices_of(trace))
    for (std::size_t i = 1; i < slices.size(); ++i)
      EXPECT_LE(slices[i - 1].end, slices[i].start) << thread.first << '/' << thread.second;
}

TEST(ChromeTrace, NamesProcessesWithCoordinatesAndStages) {
  const Json trace = Example().json();
  EXPECT_EQ(names_of(trace, "process_name"),
            (std::set<std::string>{"stages", "chip0 pe 0,0 (stage0)", "chip0 pe 1,0 (stage0)"}));
  EXPECT_EQ(names_of(trace, "thread_name", kPe0), (std::set<std::string>{"matrix", "vector", "tx"}));
  EXPECT_EQ(names_of(trace, "thread_name", kPe1), (std::set<std::string>{"vector", "dma", "rx", "stalls"}));
  for (const Json& e : trace["traceEvents"]) EXPECT_GT(e["pid"], 0) << "0 is the idle process to viewers";
}

TEST(ChromeTrace, ThreadsAreDescribedBeforeTheirSlices) {
  const Json trace = Example().json();
  std::set<ThreadKey> described;
  for (const Json& e : trace["traceEvents"]) {
    const ThreadKey key(e["pid"].get<int>(), e["tid"].get<int>());
    if (e["ph"] == "M" && e["name"] == "thread_name") described.insert(key);
    if (e["ph"] != "X") continue;
    EXPECT_TRUE(described.contains(key)) << e;
  }
}

TEST(ChromeTrace, TimesAddUpToWhatWasRecorded) {
  Example example;
  example.hardware.clock_period_ps = 769;
  const Json trace = example.json();
  std::map<std::string, std::int64_t> sums;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X") sums[e["cat"].get<std::string>()] += picoseconds(e["dur"]);
  EXPECT_EQ(sums["vector"], 3 * (11 + 54) * 769);
  EXPECT_EQ(sums["matmul"], 3 * (20 + 20) * 769);
  EXPECT_EQ(sums["stall"], 3 * 66 * 769);
  EXPECT_EQ(sums["stage"], 3 * 120 * 769);
  EXPECT_EQ(sums["receive"], 3 * (14 + 21) * 769) << "from the first packet on, not from the grant";
}

TEST(ChromeTrace, ArrowsAreBoundAtBothEnds) {
  const Json trace = Example().json();
  const auto threads = slices_of(trace);
  std::map<std::uint64_t, Json> tails, heads;
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] != "s" && e["ph"] != "f") continue;
    auto& ends = e["ph"] == "s" ? tails : heads;
    EXPECT_TRUE(ends.emplace(e["id"].get<std::uint64_t>(), e).second) << "one end per transfer and period";
    const std::int64_t at = picoseconds(e["ts"]);
    int inside = 0;
    for (const Interval& slice : threads.at({e["pid"], e["tid"]}))
      inside += slice.start <= at && at < slice.end;
    EXPECT_EQ(inside, 1);
  }
  EXPECT_EQ(tails.size(), 6u);
  ASSERT_EQ(heads.size(), 6u);
  for (const auto& [id, tail] : tails) {
    ASSERT_TRUE(heads.contains(id));
    EXPECT_LE(tail["ts"].get<double>(), heads[id]["ts"].get<double>());
    EXPECT_EQ(tail["pid"], kPe0);
    EXPECT_EQ(heads[id]["pid"], kPe1);
  }
}

TEST(ChromeTrace, SaysWhatASliceIs) {
  const Json trace = Example().json();
  std::map<std::string, Json> slices;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X") slices.emplace(e["cat"].get<std::string>(), e);
  EXPECT_EQ(slices["matmul"]["name"], "evil \"</script>\\\x01");
  EXPECT_EQ(slices["matmul"]["args"]["macs"], 8 * 16 * 32);
  EXPECT_EQ(slices["matmul"]["args"]["tensor"], "t");
  EXPECT_EQ(slices["matmul"]["args"]["box"], "[0:64]");
  EXPECT_EQ(slices["vector"]["args"]["elements"], 64);
  EXPECT_EQ(slices["vector"]["args"]["function"], "add");
  EXPECT_EQ(slices["send"]["args"]["peer"], "chip0 pe 1,0");
  EXPECT_EQ(slices["receive"]["args"]["peer"], "chip0 pe 0,0");
  EXPECT_EQ(slices["receive"]["args"]["bytes"], 256);
  EXPECT_EQ(slices["stall"]["name"], "dependence");
  EXPECT_EQ(slices["stage"]["args"]["period"], 0);
}

TEST(ChromeTrace, NamesAreData) {
  EXPECT_EQ(json_escaped("</script>\"\\\n"), "\\u003c/script>\\\"\\\\\\u000a");
  EXPECT_EQ(json_escaped("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), "\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
  for (const char* wrong : {"\xC3", "\x80", "\xC0\xAF", "\xED\xA0\x80", "\xF5\x80\x80\x80", "\xE2\x82"})
    EXPECT_NO_THROW(Json::parse("\"" + json_escaped(wrong) + "\"")) << wrong;
  EXPECT_EQ(Example().text().find("</script"), std::string::npos);
}

TEST(ChromeTrace, TheHeadSaysWhereItComesFrom) {
  Example example;
  example.origin = {{"command_line", true, 0, "dfsim --model \"<x>\""}, {"seed", false, 7, {}}};
  const Json head = example.json()["otherData"];
  EXPECT_EQ(head["command_line"], "dfsim --model \"<x>\"");
  EXPECT_EQ(head["seed"], 7);
  EXPECT_EQ(head["program"], "hand");
  EXPECT_EQ(head["slices"], 3 + 3 * 10);
  EXPECT_EQ(head["arrows"], 6);
  EXPECT_EQ(head["dropped"], 0);
}

}  // namespace
}  // namespace dfsim
