#include "planner/placement/simulated_server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "planner/placement/exact.h"
#include "planner/placement/settle.h"
#include "planner/placement/workload.h"
#include "sim/host/server.h"

namespace dfsim {
namespace {

ProcessorSpec processor(const std::string& name, double clock_mhz, std::uint64_t launch_ns) {
  ProcessorSpec spec;
  spec.name = name;
  spec.units = 4;
  spec.clock_mhz = clock_mhz;
  spec.matrix_operations = {{DataType::fp16, 64}};
  spec.vector_operations = {{DataType::fp16, 16}};
  spec.memory_bytes = 1 << 30;
  spec.memory_bytes_per_ns = 20;
  spec.launch_ns = launch_ns;
  return spec;
}

// A slow processor that begins at once, and a fast one behind a link that takes long to begin.
ServerSpec two() {
  ServerSpec spec;
  spec.name = "two";
  spec.root = {50, 100};
  spec.processors = {processor("near", 500, 100), processor("far", 20000, 3000)};
  spec.processors[1].memory_bytes_per_ns = 1000;
  spec.processors[1].link = HostLinkSpec{3, 16, 1, 500, 2000};
  return spec;
}

// Built once: the kernel elaborates once per process.
ServerRunner& shared_runner() {
  static const std::unique_ptr<ServerRunner> runner = make_server_runner(two());
  return *runner;
}

struct Rig {
  explicit Rig(Objective objective)
      : network(load_network(DFSIM_SOURCE_DIR "/models/mlp.yaml", {}, "")),
        spec(two()),
        cut(cut_graph(network.model.graph, {}, {"near", "far"},
                      [](std::size_t, OpId) { return std::string(); })),
        structure(structure_of(network.model.graph, cut, spec, objective)),
        task(task_of(cut, network.samples)),
        server(structure, task, network.samples, shared_runner()) {}
  Network network;
  ServerSpec spec;
  Cut cut;
  HeterogeneousStructure structure;
  ServerTask task;
  SimulatedServer server;
};

TEST(SimulatedServer, SumIsWhatOneSampleTakesThroughAChain) {
  Rig rig(Objective::latency);
  Assignment at(rig.structure.subgraphs.size(), 0);
  for (std::size_t i = 0; i < at.size(); i += 2) at[i] = 1;
  const ExecutionCycle cycle = rig.server.run(at);
  const ServerMeasurement alone = shared_runner().run(rig.task, {at, {{}}, true});
  EXPECT_NEAR(cycle.sum, static_cast<double>(alone.done_ps[0]) / 1000, 1e-3);
  EXPECT_EQ(rig.server.records().size(), at.size());
}

TEST(SimulatedServer, SettlesWhereTheExactProgramDoes) {
  Rig rig(Objective::latency);
  std::vector<ExecutionCycle> cycles;
  const ExecutionInfo info = measure_everything(rig.structure, rig.server, cycles);
  const auto exact = exact_placement(rig.structure, info.table());
  ASSERT_TRUE(exact.ok());
  const ExecutionCycle run = rig.server.run(exact->assignment);
  EXPECT_NEAR(run.value, exact->value.value, 1e-6 * run.value);
  const auto settled = settle(rig.structure, rig.server, {500, 1});
  EXPECT_NEAR(settled->best.value, run.value, 1e-6 * run.value);
  // Both processors are of use: the first layer is worth the way, the last is not.
  EXPECT_EQ(run.assignment.front(), 1u);
  EXPECT_EQ(run.assignment.back(), 0u);
}

TEST(SimulatedServer, PipelinesSamplesUnderInterval) {
  Rig rig(Objective::interval);
  Assignment at(rig.structure.subgraphs.size(), 0);
  const ExecutionCycle one = rig.server.run(at);
  EXPECT_NEAR(one.value, one.sum, 1e-6 * one.sum);  // one processor at a time
  for (std::size_t i = 0; i < at.size() / 2; ++i) at[i] = 1;
  const ExecutionCycle both = rig.server.run(at);
  EXPECT_LT(both.value, both.sum);
  const double busiest = table_value(
                             rig.structure,
                             [&] {
                               std::vector<ExecutionCycle> cycles;
                               return measure_everything(rig.structure, rig.server, cycles).table();
                             }(),
                             at)
                             .value;
  EXPECT_NEAR(both.value, busiest, 0.02 * busiest);
}

TEST(Workload, CountsOperationsAndBytes) {
  const Graph graph = load_model(DFSIM_SOURCE_DIR "/models/mlp.yaml");
  const KernelWork kernel = kernel_of(graph, OpId(0));  // 784 x 2000, fp16, bias
  EXPECT_TRUE(kernel.matrix);
  EXPECT_EQ(kernel.operations, 2u * 784 * 2000);
  EXPECT_EQ(kernel.bytes, 2u * (784 + 784 * 2000 + 2000 + 2000));
  EXPECT_EQ(kernel.output_elements, 2000u);
  const Graph bert = load_model(DFSIM_SOURCE_DIR "/models/bert.yaml");
  const KernelWork rows = kernel_of(bert, OpId(0));  // 128 rows of 768, ids of 4 bytes
  EXPECT_EQ(rows.operations, 0u);
  EXPECT_EQ(rows.bytes, 128u * (4 + 2 * 768 * 2));
}

TEST(Workload, SaysWhatAProcessorCannotRun) {
  const Graph graph = load_model(DFSIM_SOURCE_DIR "/models/mlp.yaml");
  ProcessorSpec spec = processor("p", 1000, 0);
  EXPECT_EQ(refusal(spec, graph, OpId(0)), "");
  spec.matrix_operations = {{DataType::fp32, 1}};
  EXPECT_EQ(refusal(spec, graph, OpId(0)), "it has no matrix rate for fp16");
  spec.supports = {"softmax"};
  EXPECT_EQ(refusal(spec, graph, OpId(0)), "it does not support matmul");
}

TEST(Load, SamplesChangeShapesAndNothingElse) {
  const std::string file = testing::TempDir() + "samples_" + std::to_string(::getpid()) + ".yaml";
  {
    std::ofstream out(file);
    out << "samples:\n  - {dimensions: {sequence_length: 64}, count: 3}\n  - {dimensions: {sequence_length: "
           "32}}\n";
  }
  const Network network = load_network(DFSIM_SOURCE_DIR "/models/bert.yaml", {}, file);
  ASSERT_EQ(network.samples.size(), 2u);
  EXPECT_EQ(network.samples[0].count, 3u);
  EXPECT_EQ(network.samples[0].name, "sequence_length=64");
  EXPECT_EQ(graph_identity(network.samples[0].graph), graph_identity(network.model.graph));
  EXPECT_LT(work_of(network.samples[1].graph, {"all", {OpId(0)}, {}, {}, {}, {}}).kernels[0].bytes,
            work_of(network.samples[0].graph, {"all", {OpId(0)}, {}, {}, {}, {}}).kernels[0].bytes);
}

TEST(Load, LocatesDimensionsThatTheModelRefuses) {
  const std::string file = testing::TempDir() + "bad_samples_" + std::to_string(::getpid()) + ".yaml";
  {
    std::ofstream out(file);
    out << "samples:\n  - {dimensions: {sequence_length: 1000}}\n  - {dimensions: {tokens: 32}}\n";
  }
  try {
    load_network(DFSIM_SOURCE_DIR "/models/bert.yaml", {}, file);
    FAIL();
  } catch (const ModelError& error) {
    const std::string said = error.what();
    EXPECT_NE(said.find(file + ":2:18: error: the model refuses these dimensions"), std::string::npos)
        << said;
    EXPECT_NE(said.find(file + ":3:18: error: the model refuses these dimensions"), std::string::npos)
        << said;
  }
}

}  // namespace
}  // namespace dfsim
