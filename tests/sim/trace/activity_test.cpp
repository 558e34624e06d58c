#include "sim/trace/activity.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "sim/trace/observer_list.h"
#include "sim/trace/recorder.h"
#include "tests/sim/pe/program_builder.h"

namespace dfsim {
namespace {

CounterSample sample(std::uint64_t cycle, bool last = false) {
  CounterSample sample;
  sample.cycle = cycle;
  sample.last = last;
  sample.link_flits = {{cycle / 2, 0}};
  sample.read_bytes = {cycle};
  sample.write_bytes = {2 * cycle};
  return sample;
}

TEST(Activity, AddsUpPerWindow) {
  const HardwareSpec hardware = line_hardware(2);
  ActivityCounter activity(hardware, 100);
  activity.stall(PeId(0), StallCause::no_work, 0, 130);
  activity.stall(PeId(0), StallCause::dependence, 190, 210);
  for (const std::uint64_t cycle : {100, 200}) activity.sample(sample(cycle));
  activity.sample(sample(250, true));
  const auto json = nlohmann::json::parse(activity_json(hardware, activity, LatencyHistogram()));
  EXPECT_EQ(json["window_cycles"], 100);
  EXPECT_EQ(json["cycles"], 250);
  EXPECT_EQ(json["pes"], nlohmann::json::parse("[[0,60,40],[100,100,50]]"));
  EXPECT_EQ(json["links"], nlohmann::json::parse("[[50,50,25],[0,0,0]]"));
  EXPECT_EQ(json["ports"], nlohmann::json::parse("[[300,300,150]]"));
  EXPECT_TRUE(json["packet_latency"]["packets"].empty());
}

/// Asks for multiples of `every`, up to `end`.
class Asking : public Observer {
 public:
  Asking(std::uint64_t every, std::uint64_t end) : every_(every), end_(end) {}
  void micro_op(PeId, std::uint32_t, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  void stall(PeId, StallCause, std::uint64_t, std::uint64_t) override {}
  void transfer(TransferId, std::uint32_t, std::uint64_t, std::uint64_t) override {}
  std::uint64_t next_sample(std::uint64_t cycle) const override {
    return cycle >= end_ ? kNoSample : (cycle / every_ + 1) * every_;
  }
  void sample(const CounterSample& sample) override { told.push_back(sample.cycle); }
  std::vector<std::uint64_t> told;

 private:
  std::uint64_t every_, end_;
};

TEST(ObserverList, GivesEveryoneTheSamplesTheyAskedFor) {
  Asking threes(3, 100), fives(5, 10), none(1, 0);
  ObserverList list;
  list.add(threes);
  list.add(fives);
  list.add(none);
  for (std::uint64_t cycle = list.next_sample(0); cycle <= 16; cycle = list.next_sample(cycle))
    list.sample(sample(cycle));
  list.sample(sample(17, true));
  EXPECT_EQ(threes.told, (std::vector<std::uint64_t>{3, 6, 9, 12, 15, 17}));
  EXPECT_EQ(fives.told, (std::vector<std::uint64_t>{5, 10, 17}));
  EXPECT_TRUE(none.told.empty());
}

TEST(TraceRecorder, AsksForSamplesAroundItsWindowOnly) {
  TraceOptions options;
  options.counter_cycles = 10;
  options.from = 1005;
  options.until = 1025;
  const TraceRecorder recorder(options);
  EXPECT_EQ(recorder.next_sample(0), 1000u) << "the value to start from";
  EXPECT_EQ(recorder.next_sample(1000), 1010u);
  EXPECT_EQ(recorder.next_sample(1020), 1030u);
  EXPECT_EQ(recorder.next_sample(1030), Observer::kNoSample);
}

}  // namespace
}  // namespace dfsim
