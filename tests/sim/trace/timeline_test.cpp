#include "sim/trace/timeline.h"

#include <gtest/gtest.h>

#include <set>

#include "sim/trace/lanes.h"
#include "tests/sim/trace/example.h"

namespace dfsim {
namespace {

using Json = nlohmann::json;

std::size_t counted_events(const Json& trace) {
  std::size_t count = 0;
  for (const Json& e : trace["traceEvents"]) count += e["ph"] != "M";
  return count;
}

TEST(Lanes, AsManyAsThereAreSlicesAtATime) {
  Lanes lanes;
  EXPECT_EQ(lanes.take(0, 10), 0u);
  EXPECT_EQ(lanes.take(5, 15), 1u);
  EXPECT_EQ(lanes.take(10, 20), 0u);
  EXPECT_EQ(lanes.take(18, 25), 1u);
  EXPECT_EQ(lanes.take(30, 30), 1u) << "the one that became free last";
  EXPECT_EQ(lanes.take(30, 31), 0u) << "an empty slice takes a cycle";
  EXPECT_EQ(lanes.count(), 2u);
}

TEST(Timeline, MoreThanAHundredSlicesAtATimeKeepTheirOwnLanes) {
  TraceOptions options;
  Example example(1, options);
  for (std::uint32_t i = 0; i < 300; ++i) example.recorder.micro_op(PeId(1), 0, 0, 400, 1000 + i);
  for (auto& [thread, slices] : slices_of(example.json()))
    for (std::size_t i = 1; i < slices.size(); ++i) EXPECT_LE(slices[i - 1].end, slices[i].start);
}

TEST(Timeline, DetailAndWindowChooseWhatIsShown) {
  TraceOptions options;
  options.detail = TraceDetail::stage;
  for (const auto& [thread, slices] : slices_of(Example(3, options).json()))
    EXPECT_EQ(thread.first, kStageGroup);
  options.detail = TraceDetail::op;
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

TEST(Timeline, ChosenPesAloneAreShownWithoutHalfArrows) {
  TraceOptions options;
  options.pes = {false, true};
  const Json trace = Example(3, options).json();
  std::set<int> groups;
  for (const Json& e : trace["traceEvents"]) {
    groups.insert(e["pid"].get<int>());
    EXPECT_NE(e["ph"], "f");
  }
  EXPECT_EQ(groups, (std::set<int>{kStageGroup, kPe1}));
}

// One to many: from the start of the send, or load, to the end of every receive.
TEST(Timeline, AMulticastHasAnArrowToEveryLeaf) {
  ProgramBuilder b;
  const auto sent = b.multicast(TransferKind::send, 0, {1, 2}, 256);
  const auto loaded = b.multicast(TransferKind::load, 1, {0, 2}, 256);
  TraceRecorder recorder{TraceOptions{}};
  recorder.micro_op(PeId(0), sent[0], 0, 0, 10);
  recorder.micro_op(PeId(1), sent[1], 0, 0, 20);
  recorder.micro_op(PeId(2), sent[2], 0, 0, 22);
  recorder.micro_op(PeId(1), loaded[0], 0, 5, 40);
  recorder.micro_op(PeId(0), loaded[1], 0, 0, 41);
  recorder.micro_op(PeId(2), loaded[2], 0, 0, 42);
  Measurement measurement;
  measurement.cycles = 50;
  const HardwareSpec hardware = line_hardware(3);
  StringSink out;
  ChromeTrace sink(out, 1000);
  const TraceSummary summary = write_timeline({recorder, b.program, hardware, measurement, {}}, sink);
  EXPECT_EQ(summary.arrows, 4u);
  std::map<std::uint64_t, std::vector<std::string>> ends;
  const Json trace = Json::parse(out.text);
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "s" || e["ph"] == "f") ends[e["id"]].push_back(e["ph"]);
  EXPECT_EQ(ends.size(), 4u);
  for (const auto& [id, phases] : ends) EXPECT_EQ(phases.size(), 2u) << id;
}

TEST(Timeline, TheLimitCutsInTimeAndSaysSo) {
  const std::size_t all = counted_events(Example().json());
  EXPECT_EQ(all, 3u + 3 * (10 + 4)) << "stages; slices and arrow ends";
  for (std::size_t limit = 0; limit <= all; ++limit) {
    TraceOptions options;
    options.max_events = limit;
    const Json trace = Example(3, options).json();
    EXPECT_LE(counted_events(trace), limit);
    EXPECT_GE(counted_events(trace) + 3, limit) << "at most an arrow with its slice does not fit";
    const Json& head = trace["otherData"];
    EXPECT_EQ(head["events"], counted_events(trace));
    EXPECT_EQ(head["slices"].get<std::size_t>() + head["dropped"].get<std::size_t>(), 3u + 30u);
    EXPECT_EQ(head["dropped"] > 0, limit < all);
    EXPECT_EQ(head["note"].get<std::string>().starts_with("cut"), limit < all);
    std::map<std::uint64_t, int> ends;
    std::int64_t last = 0;
    for (const Json& e : trace["traceEvents"]) {
      if (e["ph"] == "s") ++ends[e["id"]];
      if (e["ph"] == "f") ++ends[e["id"]];
      if (e["ph"] != "X" || e["cat"] == "stage") continue;
      last = std::max(last, picoseconds(e["ts"]) + picoseconds(e["dur"]));
    }
    for (const auto& [id, count] : ends) EXPECT_EQ(count, 2) << "arrow " << id << " has one end";
    // Both PEs are shown up to the same time.
    if (limit <= 20) continue;
    EXPECT_GT(last, 100'000) << limit;
  }
}

TEST(Timeline, WhatIsBeforeTheCutIsComplete) {
  TraceOptions options;
  options.max_events = 25;
  Example cut(3, options);
  StringSink out;
  ChromeTrace sink(out, 1000);
  const TraceSummary summary =
      write_timeline({cut.recorder, cut.b.program, cut.hardware, cut.measurement, {}}, sink);
  std::multiset<std::pair<std::int64_t, std::string>> before, shown;
  const auto until = static_cast<std::int64_t>(summary.complete_until * 1000);
  for (auto [trace, set] : {std::pair(Example().json(), &before), std::pair(Json::parse(out.text), &shown)})
    for (const Json& e : trace["traceEvents"]) {
      if (e["ph"] != "X" || e["cat"] == "stage") continue;
      const std::int64_t end = picoseconds(e["ts"]) + picoseconds(e["dur"]);
      if (end < until) set->insert({end, e["cat"].get<std::string>()});
    }
  EXPECT_FALSE(before.empty());
  EXPECT_EQ(before, shown);
}

TEST(Timeline, CountersIntegrateToWhatWasCounted) {
  TraceOptions options;
  options.counter_cycles = 50;
  const Json trace = Example(3, options).json();
  struct Value {
    std::int64_t at;
    double value;
  };
  std::map<std::string, std::vector<Value>> counters;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "C")
      counters[e["name"]].push_back({picoseconds(e["ts"]), e["args"].begin()->get<double>()});
  const auto integral = [&](const std::string& name) {
    const std::vector<Value>& values = counters.at(name);
    double sum = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::int64_t end = i + 1 < values.size() ? values[i + 1].at : 320'000;
      sum += values[i].value * static_cast<double>(end - values[i].at) / 1000;
    }
    return sum;
  };
  EXPECT_NEAR(integral("link 0,0 > 1,0") / 100, 64, 0.01);
  EXPECT_NEAR(integral("chip0 memory 0 read"), 8 * 320, 0.01);
  EXPECT_NEAR(integral("PEs computing"), 2 * 320 - 3 * 66, 0.01);
  EXPECT_EQ(counters.count("link 1,0 > 0,0"), 0u) << "carried nothing";
  EXPECT_EQ(counters.count("chip0 memory 0 write"), 0u);
  EXPECT_EQ(trace["otherData"]["counter_values"], 3 * 7);
}

TEST(Timeline, CountersJoinWindowsWhenThereIsLittleRoom) {
  TraceOptions options;
  options.counter_cycles = 50;
  options.max_events = 40;
  const Json trace = Example(3, options).json();
  EXPECT_EQ(trace["otherData"]["counter_values"], 3 * 3) << "a quarter of 37 over three counters";
  EXPECT_LE(counted_events(trace), 40u);
}

TEST(Timeline, PacketsAreOnTheTrackOfTheirSource) {
  TraceOptions options;
  options.detail = TraceDetail::packet;
  Example example(3, options);
  ObservedPacket packet;
  packet.source = EndpointId(2);
  packet.destination = EndpointId(1);
  packet.transfer = TransferId(0);
  packet.data = true;
  packet.bytes = 64;
  packet.flits = 2;
  packet.hops = 1;
  packet.created = 100;
  packet.entered = 103;
  packet.arrived = 120;
  example.recorder.packet(packet);
  Json found;
  std::string track;
  const Json trace = example.json();
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X" && e["cat"] == "packet") found = e;
  ASSERT_FALSE(found.is_null());
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "M" && e["name"] == "thread_name" && e["tid"] == found["tid"]) track = e["args"]["name"];
  EXPECT_EQ(track, "chip0 memory 0");
  EXPECT_EQ(found["name"], "data to chip0 pe 1,0");
  EXPECT_EQ(picoseconds(found["ts"]), 103'000);
  EXPECT_EQ(picoseconds(found["dur"]), 17'000);
  EXPECT_EQ(found["args"]["queued_cycles"], 3);
  EXPECT_EQ(found["args"]["tensor"], "t");
}

}  // namespace
}  // namespace dfsim
