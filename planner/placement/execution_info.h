// planner/placement/execution_info.h: what execution cycles have shown: durations, delays, totals.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/placement/structure.h"

namespace dfsim {

/// One execution cycle: all training samples run through one assignment. Times are in the unit of the server
/// (the simulated one: nanoseconds; a table: its own), means over the samples.
struct ExecutionCycle {
  Assignment assignment;
  std::vector<double> duration;      ///< inference duration by sub-graph
  std::vector<double> input_delay;   ///< by sub-graph: copying inputs of the network to its processor
  std::vector<double> output_delay;  ///< by sub-graph: copying outputs of the network from its processor
  std::vector<double> delay;         ///< inference delay by edge; 0 if both ends share a processor
  double value = 0;  ///< what is made least: `sum`, or under Objective::interval the time between samples
  double sum = 0;    ///< all durations and delays of one sample
};

/// Runs the samples through a structure. Equal assignments give equal cycles.
class ExecutionServer {
 public:
  virtual ~ExecutionServer() = default;
  /// Under the structure's objective. The assignment is supported and fits.
  virtual ExecutionCycle run(const Assignment& assignment) = 0;
  /// One sample at a time, so that nothing waits: lone durations and delays.
  virtual ExecutionCycle run_alone(const Assignment& assignment) { return run(assignment); }
};

/// Times of sub-graphs and copies, complete.
struct CostTable {
  std::vector<std::vector<double>> duration;  ///< [sub-graph][processor]
  std::vector<std::vector<double>> outside;   ///< [sub-graph][processor]: inputs and outputs of the network
  std::vector<std::vector<std::vector<double>>> delay;  ///< [edge][from processor][to processor]
};

/// The value that `assignment` has under these times, with nothing waiting for anything: the sum of durations
/// and delays, or the load of the busiest processor. Also gives the sum.
struct TableValue {
  double value = 0, sum = 0;
};
TableValue table_value(const HeterogeneousStructure& structure, const CostTable& table,
                       const Assignment& assignment);

/// Means of everything seen so far, and estimates from them.
class ExecutionInfo {
 public:
  explicit ExecutionInfo(const HeterogeneousStructure& structure);

  void record(const ExecutionCycle& cycle);
  std::uint32_t visits(std::size_t subgraph, std::uint32_t processor) const {
    return seen_[subgraph][processor].count;
  }
  std::optional<double> duration(std::size_t subgraph, std::uint32_t processor) const {
    return seen_[subgraph][processor].mean();
  }
  std::optional<double> delay(std::size_t edge, std::uint32_t from, std::uint32_t to) const {
    return from == to ? std::optional(0.0) : delays_[edge][from][to].mean();
  }
  /// Value of an assignment from what was seen. What was not seen counts as the least that was seen of the
  /// same sub-graph, or edge, elsewhere (nothing: 0), so that the unknown invites a visit.
  TableValue estimate(const Assignment& assignment) const;
  /// Everything as a table; entries that were never seen are filled as in estimate().
  CostTable table() const;

 private:
  struct Mean {
    double total = 0;
    std::uint32_t count = 0;
    void add(double value) { total += value, ++count; }
    std::optional<double> mean() const { return count ? std::optional(total / count) : std::nullopt; }
  };
  double duration_or_least(std::size_t subgraph, std::uint32_t processor) const;
  double delay_or_least(std::size_t edge, std::uint32_t from, std::uint32_t to) const;

  const HeterogeneousStructure& structure_;
  std::vector<std::vector<Mean>> seen_, outside_;
  std::vector<std::vector<std::vector<Mean>>> delays_;
  CostTable table_;  ///< kept filled
};

/// Runs assignments until every duration and delay that can occur has been seen alone. `cycles` collects
/// them.
ExecutionInfo measure_everything(const HeterogeneousStructure& structure, ExecutionServer& server,
                                 std::vector<ExecutionCycle>& cycles);

}  // namespace dfsim
