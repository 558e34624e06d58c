// planner/placement/cut.h: a graph cut into sub-graphs under constraints.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/placement/constraints.h"

namespace dfsim {

struct CutSubgraph {
  std::string name;                  ///< g0, g1 ...
  std::vector<OpId> operators;       ///< ascending
  std::vector<TensorId> inputs;      ///< made elsewhere, or inputs of the network; ascending
  std::vector<TensorId> outputs;     ///< read elsewhere, or outputs of the network; ascending
  std::vector<bool> allowed;         ///< by processor
  std::vector<std::string> refused;  ///< by processor: why not; empty if allowed
};

struct CutEdge {
  std::size_t from = 0, to = 0;
  std::vector<TensorId> tensors;  ///< may be empty: a control edge only
};

struct Cut {
  std::vector<CutSubgraph> subgraphs;  ///< together every operator once, in order
  std::vector<CutEdge> edges;          ///< by from, to
  std::vector<std::vector<std::size_t>> together;
};

/// Whether and why not a processor runs an operator; empty: it does.
using OperatorSupport = std::function<std::string(std::size_t processor, OpId op)>;

/// Where cuts are possible: after operator i (true at i) if at most `max_crossing_tensors` different tensors
/// made by operators 0..i are read by later ones and no pattern lies on both sides. The last entry is false.
std::vector<bool> possible_cuts(const Graph& graph, const CutConstraints& constraints);

/// Cuts into runs of operators in their order: as many as constraints and max_subgraphs allow, at least two,
/// and among those the most even ones (least sum of squared work, in multiply-accumulates and bytes). All
/// operators of a sub-graph share at least one processor that the rules and `support` allow. Throws
/// ModelError: a rule that matches nothing, rules that contradict, an operator that no processor runs, or no
/// cut, with the constraints that would have to give way.
Cut cut_graph(const Graph& graph, const CutConstraints& constraints,
              const std::vector<std::string>& processors, const OperatorSupport& support);

/// The runs of operators that end (exclusive) at `ends`, with their tensors and edges; nothing is said about
/// processors.
Cut assemble_cut(const Graph& graph, const std::vector<std::size_t>& ends);

}  // namespace dfsim
