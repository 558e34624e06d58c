// What a trace of a real run must hold: the recorded program of traces/, simulated whole.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include "sim/api/program_json.h"
#include "sim/base/files.h"
#include "sim/hw/hardware_config.h"
#include "sim/system/system.h"
#include "sim/trace/labels.h"
#include "sim/trace/observer_list.h"
#include "sim/trace/traffic.h"
#include "tests/sim/trace/example.h"

namespace dfsim {
namespace {

using Json = nlohmann::json;

const char* const kProgram = DFSIM_SOURCE_DIR "/traces/worked_example_2x2/program.json";

/// Runs of one program in this process, which has one machine.
class TracedRun : public testing::Test {
 protected:
  TracedRun()
      : program_(program_from_json(read_file(kProgram), kProgram)),
        runner_(make_program_runner(load_hardware(DFSIM_SOURCE_DIR "/configs/mesh2x2.yaml"))) {}

  Measurement measured(Observer* observer = nullptr) {
    RunOutcome outcome = runner_->run(program_, {}, observer);
    EXPECT_EQ(outcome.status, RunStatus::finished) << outcome.reason;
    return outcome.measurement;
  }
  Json traced(const TraceOptions& options) {
    TraceRecorder recorder(options);
    ObserverList observers;
    observers.add(recorder);
    measurement_ = measured(&observers);
    StringSink out;
    ChromeTrace sink(out, 1000);
    write_timeline({recorder, program_, runner_->hardware(), measurement_, {}}, sink);
    return Json::parse(out.text);
  }
  static std::uint64_t cycles(const Json& time) {
    return static_cast<std::uint64_t>(picoseconds(time) / 1000);
  }
  static std::uint32_t pe_of(const Json& event) {
    return event["pid"].get<std::uint32_t>() - static_cast<std::uint32_t>(kPe0);
  }

  Program program_;
  std::unique_ptr<ProgramRunner> runner_;
  Measurement measurement_;
};

TEST_F(TracedRun, MeasuresTheSameAsOneWithoutATrace) {
  const Measurement plain = measured();
  for (const std::uint64_t window : {7u, 100u, 1'000'000u}) {
    TraceOptions options;
    options.detail = TraceDetail::flit;
    options.counter_cycles = window;
    traced(options);
    EXPECT_TRUE(measurement_ == plain) << "sampled every " << window << " cycles";
  }
}

TEST_F(TracedRun, BytesPerLeafAddUpToThePayload) {
  const Json trace = traced({});
  std::uint64_t bytes = 0;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "X" && (e["cat"] == "load" || e["cat"] == "store" || e["cat"] == "receive"))
      bytes += e["args"]["bytes"].get<std::uint64_t>();
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(bytes, measurement_.noc_payload_bytes);
}

TEST_F(TracedRun, EverySendHasItsReceiveAndArrowsRunForward) {
  const Json trace = traced({});
  std::map<std::uint64_t, std::uint64_t> tails, heads;
  std::size_t sends = 0, receives = 0;
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] == "s") tails[e["id"]] = cycles(e["ts"]);
    if (e["ph"] == "f") heads[e["id"]] = cycles(e["ts"]);
    sends += e["ph"] == "X" && e["cat"] == "send";
    receives += e["ph"] == "X" && e["cat"] == "receive";
  }
  EXPECT_GT(sends, 0u);
  EXPECT_EQ(sends, receives);
  EXPECT_EQ(tails.size(), sends);
  ASSERT_EQ(heads.size(), sends);
  for (const auto& [id, tail] : tails) EXPECT_LE(tail, heads.at(id));
}

TEST_F(TracedRun, StallsAndBusyTimeOfEveryPeAreThoseMeasured) {
  const Json trace = traced({});
  std::vector<std::map<std::string, std::uint64_t>> stalls(measurement_.pes.size());
  std::vector<std::set<std::uint64_t>> computing(measurement_.pes.size());
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] != "X" || e["pid"] < kPe0) continue;
    const std::uint64_t start = cycles(e["ts"]), end = start + cycles(e["dur"]);
    if (e["cat"] == "stall") stalls[pe_of(e)][e["name"]] += end - start;
    if (e["cat"] == "matmul" || e["cat"] == "vector")
      for (std::uint64_t c = start; c < end; ++c) computing[pe_of(e)].insert(c);
  }
  for (const PeMeasurement& pe : measurement_.pes) {
    for (std::size_t cause = 0; cause < kStallCauses; ++cause)
      EXPECT_EQ(stalls[pe.pe.value()][to_string(static_cast<StallCause>(cause))], pe.stall_cycles[cause]);
    const std::uint64_t conflicts = pe.stall_cycles[static_cast<std::size_t>(StallCause::bank_conflict)];
    EXPECT_EQ(computing[pe.pe.value()].size(), pe.busy_cycles + conflicts);
  }
}

TEST_F(TracedRun, SlicesOfATrackDoNotOverlap) {
  TraceOptions options;
  options.detail = TraceDetail::flit;
  const Json trace = traced(options);
  for (auto& [thread, slices] : slices_of(trace))
    for (std::size_t i = 1; i < slices.size(); ++i)
      EXPECT_LE(slices[i - 1].end, slices[i].start) << thread.first << '/' << thread.second;
}

TEST_F(TracedRun, FlitsOfALinkAreThoseMeasuredOneACycle) {
  TraceOptions options;
  options.detail = TraceDetail::flit;
  const Json trace = traced(options);
  std::map<std::uint64_t, std::string> names;
  for (const Json& e : trace["traceEvents"])
    if (e["ph"] == "M" && e["name"] == "thread_name") names[e["tid"]] = e["args"]["name"];
  std::map<std::string, std::vector<Interval>> links;
  std::map<std::string, std::uint64_t> flits;
  std::uint64_t hops = 0;
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] != "X") continue;
    if (e["cat"] == "packet")
      hops += e["args"]["flits"].get<std::uint64_t>() * e["args"]["hops"].get<std::uint64_t>();
    if (e["cat"] != "flits") continue;
    const std::string& track = names.at(e["tid"]);  // "0,0 > 1,0 vc 2"
    const std::string link = track.substr(0, track.find(" vc "));
    const std::int64_t start = picoseconds(e["ts"]);
    links[link].push_back({start, start + picoseconds(e["dur"])});
    EXPECT_EQ(cycles(e["dur"]), e["args"]["flits"].get<std::uint64_t>());
    flits[link] += cycles(e["dur"]);
  }
  std::uint64_t all = 0;
  for (const LinkMeasurement& link : measurement_.links) {
    EXPECT_EQ(flits[link_label(runner_->hardware(), link.noc, link.link)], link.flits);
    all += link.flits;
  }
  EXPECT_GT(all, 0u);
  EXPECT_EQ(hops, all) << "every packet crosses as many links as it says";
  for (auto& [link, slices] : links) {
    std::sort(slices.begin(), slices.end(),
              [](const Interval& a, const Interval& b) { return a.start < b.start; });
    for (std::size_t i = 1; i < slices.size(); ++i) EXPECT_LE(slices[i - 1].end, slices[i].start) << link;
  }
}

TEST_F(TracedRun, CountersIntegrateToLinkFlitsAndDramBytes) {
  TraceOptions options;
  options.counter_cycles = 64;
  const Json trace = traced(options);
  std::map<std::string, double> integrals;
  std::map<std::string, std::pair<std::uint64_t, double>> last;
  const auto close = [&](const std::string& name, std::uint64_t at) {
    if (const auto it = last.find(name); it != last.end())
      integrals[name] += it->second.second * static_cast<double>(at - it->second.first);
  };
  for (const Json& e : trace["traceEvents"]) {
    if (e["ph"] != "C") continue;
    close(e["name"], cycles(e["ts"]));
    last[e["name"]] = {cycles(e["ts"]), e["args"].begin()->get<double>()};
  }
  for (const auto& [name, value] : std::map(last)) close(name, measurement_.cycles);
  double links = 0, read = 0;
  for (const auto& [name, integral] : integrals) {
    if (name.starts_with("link ")) links += integral / 100;
    if (name.ends_with(" read")) read += integral;
  }
  std::uint64_t flits = 0, busy = 0;
  for (const LinkMeasurement& link : measurement_.links) flits += link.flits;
  for (const PeMeasurement& pe : measurement_.pes) busy += pe.busy_cycles;
  EXPECT_GT(flits, 0u);
  EXPECT_NEAR(links, static_cast<double>(flits), 1.0);
  EXPECT_NEAR(read, static_cast<double>(measurement_.dram_read_bytes), 1.0);
  EXPECT_NEAR(integrals.at("PEs computing"), static_cast<double>(busy), 1.0);
}

TEST_F(TracedRun, TrafficAddsUpToThePayload) {
  TrafficCounter traffic(runner_->hardware());
  const Measurement measurement = measured(&traffic);
  std::uint64_t bytes = 0, messages = 0, least_wait = UINT64_MAX;
  for (const TrafficRow& row : traffic.rows()) {
    bytes += row.bytes;
    messages += row.messages;
    least_wait = std::min(least_wait, row.wait_cycles / row.packets);
  }
  EXPECT_EQ(bytes, measurement.noc_payload_bytes);
  EXPECT_GT(messages, 0u);
  EXPECT_LT(least_wait, 50u) << "some way is nearly free";
}

/// PE 0 on one chip sends to PE 4 on the other, and both use DRAM.
TEST(TracedEthernetRun, WhatCrossesEthernetCountsOnEachNoC) {
  const auto runner =
      make_program_runner(load_hardware(DFSIM_SOURCE_DIR "/configs/two_nocs_8x8.yaml", {"noc.dims=2x2"}));
  const HardwareSpec& hardware = runner->hardware();
  ASSERT_EQ(hardware.pes.size(), 8u);
  ProgramBuilder b;
  b.program.periods = 2;
  const std::uint32_t load = b.memory(0, TransferKind::load, {{PortId(0), 0, 4096, 1, 0}});
  const std::uint32_t received = b.send(0, 4, 6000, {{load, 0}}, {}, 1).second;
  b.memory(4, TransferKind::store, {{PortId(4), 0, 6000, 1, 0}}, {{received, 0}});
  TrafficCounter traffic(hardware);
  TraceOptions options;
  options.counter_cycles = 100;
  TraceRecorder recorder(options);
  ObserverList observers;
  observers.add(traffic);
  observers.add(recorder);
  const RunOutcome outcome = runner->run(b.program, {}, &observers);
  ASSERT_EQ(outcome.status, RunStatus::finished) << outcome.reason;
  std::uint64_t ends = 0, passes = 0;
  for (const TrafficRow& row : traffic.rows()) {
    const EndpointSpec& to = hardware.nocs[row.noc.value()].endpoints[row.destination.value()];
    (to.kind == EndpointKind::ethernet_port ? passes : ends) += row.bytes;
  }
  EXPECT_EQ(ends, 2u * (4096 + 6000 + 6000));
  EXPECT_EQ(ends, outcome.measurement.noc_payload_bytes);
  EXPECT_EQ(passes, 2u * 6000);
  ASSERT_FALSE(recorder.samples().empty());
  const std::vector<std::uint64_t>& wire = recorder.samples().back().wire_bytes;
  EXPECT_GT(*std::max_element(wire.begin(), wire.end()), 2u * 6000);
}

}  // namespace
}  // namespace dfsim
