// planner/report/candidate_text.h: one stage with its candidates in words, for candidates.csv, the summary
// and plan.yaml.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/plan/plan.h"

namespace dfsim {

/// Names of the axes of an operator, in their order.
std::vector<std::string> axis_names(const Graph& graph, OpId op);

/// "b8 n2": axes with more than one part; "1" if there is none.
std::string parts_text(const std::vector<std::uint32_t>& parts, const std::vector<std::string>& names);

/// "ff1..ff12 (12)" for operators in a row, single names else, separated by a space.
std::string operators_text(const Graph& graph, const std::vector<OpId>& operators);

/// Spatial and temporal split of every operator of a stage: "b8 n2 / n24"; equal neighbours are counted: "12x
/// b8 / n2".
std::string split_text(const Graph& graph, const Stage& stage);

/// The micro-tensors of the first micro-operator of every operator: "x[1,128,768] weight[768,32] >
/// y[1,128,32]".
std::string slicing_text(const Graph& graph, const Stage& stage, std::uint32_t samples);

/// Which PEs take which micro-operators: "b,n row_major", axes from the slowest to the fastest over the PEs.
std::string map_text(const Graph& graph, const Stage& stage);

/// The block of the iteration space that the largest micro-operator of `op` covers, sample axis first.
std::vector<std::uint32_t> block_extents(const Graph& graph, OpId op, const OperatorCandidate& candidate,
                                         std::uint32_t samples_together);

}  // namespace dfsim
