// planner/placement/time_table.h: times that a user has measured, in place of the simulated server.
#pragma once

#include <optional>
#include <string>

#include "planner/placement/execution_info.h"
#include "planner/placement/structure.h"

namespace dfsim {

/// A structure with all its times. The unit of time is the user's.
struct TimeTable {
  HeterogeneousStructure structure;
  CostTable costs;
};

/// Reads a table (docs/placement.md):
///   processors: [cpu, gpu, card]
///   subgraphs: [{name: g0, time: [6, 5, ~]}, ...]       one time >= 0 per processor; ~: it cannot run there
///   copies: [{from: g0, to: g1, time: 9}, ...]           between processors; on one processor a copy costs
///   nothing together: [[g2, g3]]                                 optional: these share a processor
///   objective: latency | interval                        optional: latency
/// Copies must form no cycle. `objective` given here goes before the file's. First mutation factors follow
/// from the copy times, which stand for the bytes. Throws ModelError with every mistake, located.
TimeTable read_time_table(const std::string& path, std::optional<Objective> objective = {});
TimeTable read_time_table_text(const std::string& text, const std::string& file,
                               std::optional<Objective> objective = {});

/// Answers from the table as a server would from its clock; one sample at a time, nothing waits.
class TableServer final : public ExecutionServer {
 public:
  explicit TableServer(const TimeTable& table) : table_(table) {}
  ExecutionCycle run(const Assignment& assignment) override;

 private:
  const TimeTable& table_;
};

}  // namespace dfsim
