// planner/placement/structure.h: the heterogeneous structure: sub-graphs, what joins them, and which
// processors may run them. Plain values; who runs what is an Assignment beside it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "planner/plan/execution_cost.h"

namespace dfsim {

/// Processor of each sub-graph, by index.
using Assignment = std::vector<std::uint32_t>;

struct PlacedSubgraph {
  std::string name;
  std::vector<bool> supported;       ///< by processor: it may run there
  std::vector<std::string> refused;  ///< by processor: why not; empty if supported
  std::uint64_t input_bytes = 0;   ///< of one sample: tensors that come from other sub-graphs or from outside
  std::uint64_t output_bytes = 0;  ///< of one sample
  std::uint64_t memory_bytes = 0;  ///< stays in the memory of its processor
  double mutation_factor = 0;      ///< first value, 0 to 1; see first_mutation_factor()
};

/// Tensors of `from` that `to` reads; `from` < `to`.
struct SubgraphEdge {
  std::size_t from = 0, to = 0;
  std::uint64_t bytes = 0;  ///< of one sample
};

struct HeterogeneousStructure {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  std::vector<std::string> processors;
  std::vector<std::uint64_t> memory_bytes;         ///< by processor
  std::vector<PlacedSubgraph> subgraphs;           ///< in an order in which they can run
  std::vector<SubgraphEdge> edges;                 ///< each pair once
  std::vector<std::vector<std::size_t>> together;  ///< groups that share a processor
  Objective objective = Objective::latency;
};

/// Sub-graphs that move as one, because they must share a processor. Ascending; units in order of their first
/// member.
struct MovingUnit {
  std::vector<std::size_t> members;
  std::vector<std::uint32_t> processors;  ///< that support all members; empty: none does
};
std::vector<MovingUnit> moving_units(const HeterogeneousStructure& structure);

/// First mutation factor of a sub-graph: how readily it moves.
///   (s - 1) / (P - 1)  x  B / (B + bytes)
/// with s of P processors supporting it, `bytes` its input and output tensors and B their mean over all
/// sub-graphs (`mean_bytes`). One processor: 0, it never moves. Much to copy: it moves less often alone,
/// since every move that parts it from its neighbours costs that copy. Derivation: the two factors are the
/// share of moves that are possible, and a share that is 1/2 for a sub-graph of mean traffic, 1 for one
/// without any.
double first_mutation_factor(std::size_t supporting, std::size_t processors, double bytes, double mean_bytes);

/// Sets the first mutation factor of every sub-graph from its bytes.
void set_first_factors(HeterogeneousStructure& structure);

/// Why the assignment cannot be: the memory of a processor is too small. Empty if it can.
std::string memory_shortage(const HeterogeneousStructure& structure, const Assignment& assignment);

/// "embedding=cpu layer_0=gpu".
std::string to_string(const HeterogeneousStructure& structure, const Assignment& assignment);

}  // namespace dfsim
