#include "sim/trace/chrome_trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/base/files.h"
#include "sim/trace/gzip_writer.h"
#include "tests/sim/pe/program_builder.h"

namespace dfsim {
namespace {

using Json = nlohmann::json;

constexpr int kAnyProcess = -1, kPe0 = 1, kPe1 = 2;

/// Two PEs; PE 0: matmul, vector, two sends at the same time; PE 1: load, two receives, vector. Three periods
/// of 100 cycles; the stage's periods overlap.
struct Example {
  HardwareSpec hardware = line_hardware(2);
  ProgramBuilder b;
  Measurement measurement;
  TraceRecorder recorder;

  explicit Example(std::uint32_t periods = 3, const TraceOptions& options = {}) : recorder(options) {
    b.program.periods = periods;
    b.program.operators[0].name = "evil \"<script>\\";
    const std::uint32_t out = b.tensor(0, 0, 128);
    const std::uint32_t m = b.matmul(0, 8, 16, 32, {}, 0, {}, {out});
    const std::uint32_t m2 = b.matmul(0, 8, 16, 32, {}, 0, {}, {out});
    const std::uint32_t v = b.vector(0, 64, {}, {}, {out});
    const std::uint32_t load = b.memory(1, TransferKind::load, {{PortId(0), 0, 4096, 1, 0}});
    const auto [s1, r1] = b.send(0, 1, 256);
    const auto [s2, r2] = b.send(0, 1, 512);
    const std::uint32_t v1 = b.vector(1, 640);
    measurement.stage_period_start_cycles.resize(1);
    measurement.stage_period_done_cycles.resize(1);
    for (std::uint32_t p = 0; p < periods; ++p) {
      const std::uint64_t t = std::uint64_t{p} * 100;
      recorder.micro_op(PeId(1), load, p, t, t + 15);
      recorder.micro_op(PeId(0), m, p, t, t + 20);
      recorder.micro_op(PeId(0), m2, p, t + 10, t + 30);
      recorder.micro_op(PeId(0), v, p, t + 30, t + 41);
      recorder.micro_op(PeId(0), s1, p, t + 41, t + 50);
      recorder.micro_op(PeId(0), s2, p, t + 45, t + 61);
      recorder.micro_op(PeId(1), r1, p, t, t + 55);
      recorder.micro_op(PeId(1), r2, p, t, t + 66);
      recorder.stall(PeId(1), StallCause::dependence, t, t + 66);
      recorder.micro_op(PeId(1), v1, p, t + 66, t + 120);
      measurement.stage_period_start_cycles[0].push_back(t);
      measurement.stage_period_done_cycles[0].push_back(t + 120);
      measurement.period_done_cycles.push_back(t + 120);
    }
    measurement.cycles = std::uint64_t{periods} * 100 + 20;
  }
  std::string text() const {
    std::string text;
    write_chrome_trace(recorder, b.program, hardware, measurement,
                       [&](std::string_view part) { text += part; });
    return text;
  }
  Json json() const { return Json::parse(text()); }
};

/// In picoseconds, as written.
std::int64_t picoseconds(const Json& time) { return std::llround(time.get<double>() * 1e6); }

using Thread = std::pair<int, int>;

struct Interval {
  std::int64_t start, end;
};

std::map<Thread, std::vector<Interval>> slices_of(const Json& trace) {
  std::map<Thread, std::vector<Interval>> threads;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X")
      threads[{e["pid"], e["tid"]}].push_back(
          {picoseconds(e["ts"]), picoseconds(e["ts"]) + picoseconds(e["dur"])});
  return threads;
}

std::set<std::string> names_of(const Json& trace, const std::string& kind, int process = kAnyProcess) {
  std::set<std::string> names;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "M" && e["name"] == kind && (process == kAnyProcess || e["pid"] == process))
      names.insert(e["args"]["name"].get<std::string>());
  return names;
}

std::size_t counted_events(const Json& trace) {
  std::size_t count = 0;
  for (const Json& e : trace["traceEvents"]) count += e["ph"] != "M";
  return count;
}

TEST(ChromeTrace, SlicesOfAThreadDoNotOverlap) {
  const Json trace = Example().json();
  EXPECT_EQ(trace["displayTimeUnit"], "ns");
  for (auto& [thread, slices] : slices_of(trace)) {
    auto sorted = slices;
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < sorted.size(); ++i)
      EXPECT_LE(sorted[i - 1].end, sorted[i].start) << thread.first << '/' << thread.second;
  }
}

TEST(ChromeTrace, NamesProcessesAndTracks) {
  const Json trace = Example().json();
  EXPECT_EQ(names_of(trace, "process_name"),
            (std::set<std::string>{"stages", "chip0 pe 0,0", "chip0 pe 1,0"}));
  EXPECT_EQ(names_of(trace, "thread_name", kPe0), (std::set<std::string>{"matrix", "vector", "tx"}));
  EXPECT_EQ(names_of(trace, "thread_name", kPe1), (std::set<std::string>{"vector", "dma", "rx", "stalls"}));
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
  EXPECT_EQ(slices["matmul"]["name"], "evil \"<script>\\");
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

TEST(ChromeTrace, DetailAndWindowChooseWhatIsShown) {
  TraceOptions options;
  options.ops = false;
  EXPECT_EQ(names_of(Example(3, options).json(), "process_name"), std::set<std::string>{"stages"});
  options.ops = true;
  options.from = 201;
  options.until = 230;
  const Json trace = Example(3, options).json();
  std::size_t stages = 0;
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    stages += e["cat"] == "stage";
    if (e["cat"] == "stage") continue;
    EXPECT_LT(e["ts"].get<double>(), 0.230);
    EXPECT_GT(e["ts"].get<double>() + e["dur"].get<double>(), 0.200);
  }
  EXPECT_EQ(stages, 3u);
}

TEST(ChromeTrace, TheLimitCutsAndSaysSo) {
  const std::size_t all = counted_events(Example().json());
  EXPECT_EQ(all, 3u + 3 * (10 + 4)) << "stages; slices and arrow ends";
  for (const std::size_t limit : {0u, 2u, 3u, 4u, 20u, 44u, 45u}) {
    TraceOptions options;
    options.max_events = limit;
    const Json trace = Example(3, options).json();
    EXPECT_LE(counted_events(trace), limit);
    const bool cut = trace["otherData"]["dropped"].get<std::uint64_t>() > 0;
    EXPECT_EQ(cut, limit < all);
    EXPECT_EQ(trace["otherData"]["note"].get<std::string>().starts_with("cut"), cut);
  }
}

TEST(ChromeTrace, DefaultWindowIsOneIntervalAfterTheFill) {
  const Example example;
  const auto window = [&](std::uint32_t fill) {
    const TraceOptions options = one_period_after_fill(example.measurement, fill);
    return std::pair(options.from, options.until);
  };
  EXPECT_EQ(window(0), (std::pair<std::uint64_t, std::uint64_t>(0, 120)));
  EXPECT_EQ(window(1), (std::pair<std::uint64_t, std::uint64_t>(120, 220)));
  EXPECT_EQ(window(9), (std::pair<std::uint64_t, std::uint64_t>(220, 320)));
}

TEST(ChromeTrace, CompressedFilesAreDeterministicAndHoldTheText) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "dfsim_chrome_trace_test";
  std::filesystem::create_directories(folder);
  const Example example(300);  // several blocks of the compressor
  const auto write = [&](const std::string& name) {
    const std::string path = (folder / name).string();
    write_chrome_trace_file(example.recorder, example.b.program, example.hardware, example.measurement, path);
    return path;
  };
  const std::string text = example.text();
  const std::string path = write("a.json.gz"), compressed = read_file(path);
  EXPECT_LT(compressed.size() * 5, text.size());
  EXPECT_TRUE(compressed == read_file(write("b.json.gz")));
  EXPECT_EQ(compressed.substr(4, 4), std::string(4, '\0')) << "no time in the header";
  EXPECT_TRUE(read_gzip(path) == text);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace dfsim
