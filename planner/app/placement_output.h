// planner/app/placement_output.h: the files of `dfsim place`.
#pragma once

#include <string>
#include <vector>

#include "planner/app/server_inputs.h"
#include "planner/placement/cut.h"
#include "planner/placement/load.h"
#include "planner/placement/placement_file.h"
#include "planner/placement/settle.h"
#include "planner/placement/simulated_server.h"

namespace dfsim {

/// Everything that a placement ends with. References outlive it.
struct PlacementResult {
  const ServerInputs& inputs;
  const Network& network;
  const Cut& cut;
  const HeterogeneousStructure& structure;
  const Settled& settled;
  const std::vector<SampleRecord>& records;
  std::vector<StoredCardTime> card_times;
  std::string method;
  std::uint64_t seed = 1;
};

/// The summary for the terminal and the page.
std::string placement_summary(const PlacementResult& result);
/// The same as JSON.
std::string placement_json(const PlacementResult& result);

/// Writes placement.yaml, subgraphs/*.yaml, config.resolved.yaml, model.resolved.yaml, subgraphs.csv,
/// execution_cycles.csv, execution_samples.csv and report.html to `folder`. Throws FileError.
void write_placement(const PlacementResult& result, const std::string& folder);

}  // namespace dfsim
