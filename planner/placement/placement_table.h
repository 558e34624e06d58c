// planner/placement/placement_table.h: what execution cycles say, as tables.
#pragma once

#include <string>
#include <vector>

#include "planner/placement/load.h"
#include "planner/placement/settle.h"
#include "planner/placement/simulated_server.h"
#include "planner/placement/structure.h"

namespace dfsim {

/// One sub-graph on one processor over all cycles.
struct VisitRow {
  std::uint32_t visits = 0;  ///< cycles
  double mean_duration = 0;
  double mean_delay = 0;  ///< of its outputs
  bool fastest = false;   ///< alone: least mean duration
};

/// [sub-graph][processor].
std::vector<std::vector<VisitRow>> visit_table(const HeterogeneousStructure& structure,
                                               const std::vector<ExecutionCycle>& cycles);

/// By sub-graph, in words: why it settled where it did, from what was seen: whether it is fastest there, and
/// what the best other processor would cost in all. Times in nanoseconds are shown in microseconds.
std::vector<std::string> settled_reasons(const HeterogeneousStructure& structure,
                                         const std::vector<ExecutionCycle>& cycles,
                                         const Assignment& settled);

/// Best cycle in which one processor runs everything; none if no such cycle was run.
const ExecutionCycle* best_single_processor(const std::vector<ExecutionCycle>& cycles);

/// subgraphs.csv: a line per sub-graph and processor.
std::string visits_csv(const HeterogeneousStructure& structure, const Settled& settled);
/// execution_cycles.csv: a line per cycle: value, sum, and of each sub-graph processor, duration, delay and
/// factor.
std::string cycles_csv(const HeterogeneousStructure& structure, const Settled& settled);
/// execution_samples.csv: a line per cycle, sample and sub-graph.
std::string samples_csv(const HeterogeneousStructure& structure, const std::vector<SampleClass>& samples,
                        const std::vector<SampleRecord>& records);
/// The visits as a table for the terminal, times in microseconds.
std::string visits_text(const HeterogeneousStructure& structure, const Settled& settled);

}  // namespace dfsim
