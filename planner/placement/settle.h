// planner/placement/settle.h: execution cycles in which sub-graphs move between processors until each has
// settled.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "planner/placement/execution_info.h"
#include "planner/placement/structure.h"
#include "sim/base/result.h"

namespace dfsim {

struct SettleOptions {
  std::uint32_t max_cycles = 500;  ///< execution cycles, at least 1
  std::uint64_t seed = 1;
};

enum class SettleStop : std::uint8_t { settled, budget, exact, interrupted };
std::string to_string(SettleStop stop);

struct Settled {
  ExecutionCycle best;                       ///< the answer: the best cycle seen
  std::uint32_t best_cycle = 0;              ///< its number, from 1
  std::vector<ExecutionCycle> cycles;        ///< in order
  std::vector<std::vector<double>> factors;  ///< [cycle][sub-graph], after the cycle
  SettleStop stop = SettleStop::settled;
};

/// True if `a` is better than `b`: less value, or the same value (to a part in 1e9) and less sum.
bool is_better(const ExecutionCycle& a, const ExecutionCycle& b);

/// Mutation. The first cycles run everything on one processor each, which shows every duration and is the
/// best single processor; the best of them is the first structure. Then, per cycle:
///  - mutants of the structure are drawn: a unit by its mutation factor, moved alone, or with one neighbour
///  (both
///    drawn anew), or with the run of neighbours that share its processor; and mutants of mutants. Single
///    moves get stuck (shared case P8), pairs and runs do not;
///  - of those that were not run yet, the one with the least estimate from the execution information is run;
///  - the cycle is compared with the one before: if it is better, or by chance (simulated annealing, a
///    temperature that falls while nothing gets better), it becomes the structure. A move that was better
///    raises the factors of what moved and wakes its neighbours; a move that was worse lowers them.
/// Settled when every factor has fallen below a tenth of its first value or nothing better was seen for a
/// while (see the constants), or when no mutant is left that was not run. Deterministic given the seed.
/// `interrupted` (may be empty) is polled. Infeasible if a unit has no processor or no assignment fits the
/// memories.
Result<Settled, Infeasible> settle(const HeterogeneousStructure& structure, ExecutionServer& server,
                                   const SettleOptions& options,
                                   const std::function<bool()>& interrupted = {});

}  // namespace dfsim
