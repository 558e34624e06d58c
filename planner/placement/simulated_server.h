// planner/placement/simulated_server.h: execution cycles on the simulated server.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/placement/cut.h"
#include "planner/placement/execution_info.h"
#include "planner/placement/load.h"
#include "sim/api/server.h"

namespace dfsim {

/// Structure of a cut on a server, without card times: who supports what, bytes, first factors.
HeterogeneousStructure structure_of(const Graph& graph, const Cut& cut, const ServerSpec& server,
                                    Objective objective);

/// The work of all sub-graphs for every sample class. No card times.
ServerTask task_of(const Cut& cut, const std::vector<SampleClass>& samples);

/// One line of execution_samples.csv.
struct SampleRecord {
  std::uint32_t cycle = 0;  ///< from 1
  std::uint32_t sample_class = 0;
  std::uint32_t subgraph = 0, processor = 0;
  double duration_ns = 0;
  double delay_ns = 0;        ///< copying its outputs onwards
  double input_delay_ns = 0;  ///< copying inputs of the network to it
};

/// Times in nanoseconds. A cycle runs each sample class alone, one at a time, which gives durations and
/// delays that nothing else stretched; means are weighted by counts, and their sum is the value under
/// Objective::latency. Under Objective::interval the samples then stream through together, in the order of
/// the file with their counts; the list is repeated up to at least kStream requests, and the value is the
/// mean time between completions in the second half, when the pipeline is full.
class SimulatedServer final : public ExecutionServer {
 public:
  static constexpr std::uint32_t kStream = 32;

  /// References outlive this.
  SimulatedServer(const HeterogeneousStructure& structure, const ServerTask& task,
                  const std::vector<SampleClass>& samples, ServerRunner& runner);

  ExecutionCycle run(const Assignment& assignment) override;
  ExecutionCycle run_alone(const Assignment& assignment) override;

  const std::vector<SampleRecord>& records() const { return records_; }  ///< of all cycles so far

 private:
  double interval(const Assignment& assignment) const;
  void record(const ServerRun& run, const ServerMeasurement& measurement);

  const HeterogeneousStructure& structure_;
  const ServerTask& task_;
  const std::vector<SampleClass>& samples_;
  ServerRunner& runner_;
  std::vector<SampleRecord> records_;
  std::uint32_t cycles_ = 0;
};

}  // namespace dfsim
