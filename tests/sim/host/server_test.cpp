#include "sim/host/server.h"

#include <gtest/gtest.h>

#include <cmath>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

constexpr std::uint32_t kCpu = 0, kGpu = 1, kCard = 2;
constexpr double kGpuLink = 8.0 * 128 / 130 / 8 * 16;  // bytes per ns of PCI Express 3 x16
constexpr double kCardLink = kGpuLink / 2;             // x8

ProcessorSpec roofline(const std::string& name, ProcessorKind kind, std::uint32_t streams) {
  ProcessorSpec spec;
  spec.name = name;
  spec.kind = kind;
  spec.units = 10;
  spec.clock_mhz = 1000;
  spec.matrix_operations = spec.vector_operations = {{DataType::fp16, 100}};  // 1000 operations per ns
  spec.memory_bytes_per_ns = 50;
  spec.launch_ns = 5;
  spec.streams = streams;
  spec.tile_elements = 100;
  return spec;
}

// The GPU's link both ways, 31.5, is more than the root complex lets through; the card's, 15.75, is not.
ServerSpec server_spec() {
  ServerSpec spec;
  spec.name = "server";
  spec.root = {24, 100};
  spec.processors = {roofline("cpu", ProcessorKind::cpu, 2), roofline("gpu", ProcessorKind::gpu, 2), {}};
  spec.processors[kGpu].link = HostLinkSpec{3, 16, 1, 500, 1000};
  spec.processors[kCard].name = "card";
  spec.processors[kCard].kind = ProcessorKind::card;
  spec.processors[kCard].link = HostLinkSpec{3, 8, 1, 300, 2000};
  return spec;
}

// Built once: the kernel elaborates once per process.
ServerRunner& server() {
  static const std::unique_ptr<ServerRunner> runner = make_server_runner(server_spec());
  return *runner;
}

// One operator: `work_ns` on a CPU or GPU that fills `tiles` of its ten units; on the card latency 1000,
// interval 400 ns.
SubgraphWork work(std::uint64_t work_ns = 100, std::uint64_t tiles = 10) {
  SubgraphWork result;
  result.kernels = {{"matmul", DataType::fp16, true, work_ns * 100 * tiles, 0, tiles * 100}};
  result.card_times[kCard] = {1'000'000, 400'000};
  return result;
}

ServerTask chain(const std::vector<std::uint64_t>& bytes) {
  ServerTask task;
  for (std::uint32_t i = 0; i <= bytes.size(); ++i) task.subgraphs.push_back({work()});
  for (std::uint32_t i = 0; i < bytes.size(); ++i) task.edges.push_back({i, i + 1, {bytes[i]}});
  return task;
}

std::uint64_t duration(const CopyRecord& copy) { return copy.end_ps - copy.start_ps; }
std::uint64_t expected_ps(double fixed_ns, double bytes, double bytes_per_ns) {
  return static_cast<std::uint64_t>(std::ceil((fixed_ns + bytes / bytes_per_ns) * 1000));
}

TEST(Server, LoneCopyTakesSetupLatencyAndBytesOverBandwidth) {
  const double bytes = 1 << 20;
  const auto to_gpu = server().run(chain({1 << 20}), {{kCpu, kGpu}, {{}}, false});
  EXPECT_NEAR(duration(to_gpu.copies.at(0)), expected_ps(1000 + 500 + 100, bytes, kGpuLink), 1);
  // From the GPU to the card: the sender's set-up, both latencies, the slower link.
  const auto across = server().run(chain({1 << 20}), {{kGpu, kCard}, {{}}, false});
  EXPECT_NEAR(duration(across.copies.at(0)), expected_ps(1000 + 500 + 300 + 100, bytes, kCardLink), 1);
  const auto from_card = server().run(chain({1 << 20}), {{kCard, kCpu}, {{}}, false});
  EXPECT_NEAR(duration(from_card.copies.at(0)), expected_ps(2000 + 300 + 100, bytes, kCardLink), 1);
}

TEST(Server, NoBytesStillTakeSetupAndLatency) {
  const auto run = server().run(chain({0}), {{kCpu, kGpu}, {{}}, false});
  EXPECT_EQ(duration(run.copies.at(0)), 1'600'000u);
}

// Two sub-graphs end at the same time and their outputs leave together.
ServerTask two_copies() {
  ServerTask task;
  for (int i = 0; i < 4; ++i) task.subgraphs.push_back({work(100, 5)});
  task.edges = {{0, 2, {1 << 20}}, {1, 3, {1 << 20}}};
  return task;
}

TEST(Server, TwoCopiesOnOneLinkTakeTwiceAsLong) {
  const auto run = server().run(two_copies(), {{kCpu, kCpu, kGpu, kGpu}, {{}}, false});
  ASSERT_EQ(run.copies.size(), 2u);
  EXPECT_EQ(run.copies[0].start_ps, run.copies[1].start_ps);
  for (const CopyRecord& copy : run.copies)
    EXPECT_NEAR(duration(copy), expected_ps(1600, 2.0 * (1 << 20), kGpuLink), 2);
}

TEST(Server, LinksAreFullDuplex) {
  // One to the card from the CPU and one from the card to the CPU: 15.75 bytes per ns together, below the
  // root's.
  const auto run = server().run(two_copies(), {{kCpu, kCard, kCard, kCpu}, {{}}, false});
  ASSERT_EQ(run.copies.size(), 2u);
  for (const CopyRecord& copy : run.copies)
    EXPECT_NEAR(duration(copy), expected_ps(2400, 1 << 20, kCardLink), 1);
}

TEST(Server, CopiesShareTheRootComplex) {
  // Into the GPU and out of it at once: each direction could carry 15.75, the root complex 24 for both.
  const auto run = server().run(two_copies(), {{kCpu, kGpu, kGpu, kCpu}, {{}}, false});
  ASSERT_EQ(run.copies.size(), 2u);
  EXPECT_EQ(run.copies[0].start_ps, run.copies[1].start_ps);
  for (const CopyRecord& copy : run.copies) EXPECT_NEAR(duration(copy), expected_ps(1600, 1 << 20, 12), 2);
}

TEST(Server, InputsAndOutputsCrossTheLink) {
  ServerTask task = chain({});
  task.subgraphs[0][0].input_bytes = 1000;
  task.subgraphs[0][0].output_bytes = 4000;
  const auto run = server().run(task, {{kGpu}, {{}}, false});
  ASSERT_EQ(run.copies.size(), 2u);
  EXPECT_EQ(run.from_host[kGpu].bytes, 1000u);
  EXPECT_EQ(run.to_host[kGpu].bytes, 4000u);
  EXPECT_EQ(run.jobs[0].ready_ps, run.copies[0].end_ps);
  EXPECT_EQ(run.done_ps[0], run.copies[1].end_ps);
  const auto on_cpu = server().run(task, {{kCpu}, {{}}, false});
  EXPECT_EQ(on_cpu.done_ps[0], 105'000u);  // host memory: no way to go
}

TEST(Server, RunsKernelsOneAfterAnother) {
  ServerTask task = chain({});
  task.subgraphs[0][0].kernels.push_back(task.subgraphs[0][0].kernels[0]);
  const auto run = server().run(task, {{kCpu}, {{}}, false});
  EXPECT_EQ(run.jobs[0].end_ps, 2 * (5'000u + 100'000u));
  EXPECT_EQ(run.busy_ps[kCpu], 210'000u);
}

TEST(Server, StreamsShareAProcessorThatTheyFill) {
  ServerTask task;
  task.subgraphs = {{work(100, 5)},
                    {work(100, 5)}};  // half of the units each: 50 operations' worth beside another
  const auto beside = server().run(task, {{kGpu, kGpu}, {{}}, false});
  EXPECT_EQ(beside.jobs[1].end_ps, 105'000u);
  task.subgraphs = {{work(100, 10)}, {work(100, 10)}};
  const auto in_turn = server().run(task, {{kGpu, kGpu}, {{}}, false});
  EXPECT_EQ(in_turn.jobs[0].end_ps, 205'000u);
  EXPECT_EQ(in_turn.jobs[1].end_ps, 205'000u);
}

TEST(Server, HasNoMoreJobsAtATimeThanStreams) {
  ServerTask task;
  task.subgraphs = {{work()}, {work()}, {work()}};
  const auto run = server().run(task, {{kGpu, kGpu, kGpu}, {{}}, false});
  EXPECT_EQ(run.jobs[2].start_ps, 205'000u);
  EXPECT_EQ(run.jobs[2].end_ps, 310'000u);
}

TEST(Server, CardTakesFollowingSamplesAtItsInterval) {
  const auto run = server().run(chain({}), {{kCard}, {{}, {}, {}}, false});
  ASSERT_EQ(run.jobs.size(), 3u);
  EXPECT_EQ(run.jobs[0].end_ps, 1'000'000u);
  EXPECT_EQ(run.jobs[1].end_ps, 1'400'000u);
  EXPECT_EQ(run.jobs[2].end_ps, 1'800'000u);
  EXPECT_EQ(run.busy_ps[kCard], 1'800'000u);
}

TEST(Server, CardEmptiesBeforeAnotherSubgraph) {
  ServerTask task;
  task.subgraphs = {{work()}, {work()}};
  const auto run = server().run(task, {{kCard, kCard}, {{}}, false});
  EXPECT_EQ(run.jobs[1].start_ps, 1'000'000u);
  EXPECT_EQ(run.jobs[1].end_ps, 2'000'000u);
}

TEST(Server, OneAtATimeRequestsDoNotOverlap) {
  const ServerTask task = chain({1 << 16});
  const auto run = server().run(task, {{kCpu, kGpu}, {{}, {}}, true});
  EXPECT_EQ(run.done_ps[1], 2 * run.done_ps[0]);
  const auto pipelined = server().run(task, {{kCpu, kGpu}, {{}, {}}, false});
  EXPECT_LT(pipelined.done_ps[1], run.done_ps[1]);
}

TEST(Server, WaitsForArrivals) {
  const auto run = server().run(chain({}), {{kCpu}, {{0, 0}, {0, 7'000'000}}, false});
  EXPECT_EQ(run.jobs[1].start_ps, 7'000'000u);
}

TEST(Server, GivesTheSameMeasurementInAnyOrderOfRuns) {
  const ServerTask a = chain({1 << 20, 1 << 10}), b = two_copies();
  const ServerRun run_a{{kGpu, kCard, kCpu}, std::vector<ServerRequest>(9), false};
  const auto first = server().run(a, run_a);
  server().run(b, {{kCpu, kCpu, kGpu, kGpu}, {{}}, false});
  const auto second = server().run(a, run_a);
  EXPECT_EQ(first.done_ps, second.done_ps);
  EXPECT_EQ(first.busy_ps, second.busy_ps);
  std::uint64_t bytes = 0;
  for (const CopyRecord& copy : first.copies) bytes += copy.bytes;
  EXPECT_EQ(bytes, 9u * ((1 << 20) + (1 << 10)));
  EXPECT_EQ(first.to_host[kGpu].bytes, 9u << 20);
  EXPECT_EQ(first.from_host[kCard].bytes, 9u << 20);
  for (const std::uint64_t busy : first.busy_ps) EXPECT_LE(busy, first.total_ps);
}

TEST(Server, RefusesACardWithoutATime) {
  ServerTask task = chain({});
  task.subgraphs[0][0].card_times.clear();
  EXPECT_THROW(server().run(task, {{kCard}, {{}}, false}), SimulationError);
}

}  // namespace
}  // namespace dfsim
