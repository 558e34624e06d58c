// planner/placement/exact.h: the best assignment under given times, by dynamic programming.
#pragma once

#include "planner/placement/execution_info.h"
#include "planner/placement/structure.h"
#include "sim/base/result.h"

namespace dfsim {

struct ExactAnswer {
  Assignment assignment;
  TableValue value;
};

/// Least table_value(). Units are placed in order; a state is the processors of those placed units that still
/// have an unplaced neighbour, with the least sum so far. For a chain that is one processor, for a tree the
/// open branches, so chains and trees take time linear in the sub-graphs; any other graph is solved too, with
/// states exponential in the width of its frontier (dynamic programming over a path decomposition). Memories
/// that can run short, and under Objective::interval the loads of the processors, join the state, of which
/// only those survive that no other state equals or beats in every part. Of equal intervals the least sum
/// wins. Infeasible if nothing fits, or if it would take more than two
/// million states or a billion comparisons of them.
Result<ExactAnswer, Infeasible> exact_placement(const HeterogeneousStructure& structure,
                                                const CostTable& table);

}  // namespace dfsim
