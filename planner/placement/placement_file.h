// planner/placement/placement_file.h: placement.yaml, a settled structure on disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/placement/cut.h"
#include "planner/placement/load.h"
#include "planner/placement/settle.h"
#include "planner/placement/structure.h"
#include "sim/api/server.h"

namespace dfsim {

/// Measured time of a sub-graph on a card for one sample class.
struct StoredCardTime {
  std::vector<std::string> dimensions;  ///< of the class; empty: the model's own
  std::string subgraph, processor;
  CardTime time;
};

/// A file named relative to placement.yaml, with the hash of its content.
struct HashedFile {
  std::string name, hash;
};

struct PlacementFile {
  HashedFile server, model;
  std::string graph_identity;  ///< see graph_identity()
  Objective objective = Objective::latency;
  std::string method;
  std::uint64_t seed = 1;
  double value_ns = 0, sum_ns = 0;
  struct Subgraph {
    std::string name;
    HashedFile file;
    std::string processor;
    std::uint32_t operators = 0;  ///< how many, in the order of the graph
    double mutation_factor = 0;   ///< last value
  };
  std::vector<Subgraph> subgraphs;
  std::vector<StoredCardTime> card_times;
};

std::string placement_yaml(const PlacementFile& placement);

/// Throws ModelError with every mistake, located.
PlacementFile read_placement(const std::string& path);

/// The cut and assignment that a placement states, for a graph and a server. Throws ModelError if operators
/// or processors do not fit; `path` is the placement's.
Cut cut_of(const PlacementFile& placement, const Graph& graph, const ServerSpec& server,
           const std::string& path);
Assignment assignment_of(const PlacementFile& placement, const ServerSpec& server, const std::string& path);

}  // namespace dfsim
