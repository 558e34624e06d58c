// planner/verify/control_order.h: does the later operator of a control edge wait for the earlier?
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/verify/program_map.h"
#include "planner/verify/work_order.h"
#include "sim/api/program.h"

namespace dfsim {

/// A control edge orders the same samples: all that the earlier operator computes of a sample has ended
/// before the later one computes anything of it.
class ControlOrder {
 public:
  ControlOrder(const Program& program, const ProgramMap& map, const Graph& graph);

  /// Before the first step: nothing of `periods` periods has been done.
  void start(std::uint32_t periods);
  /// Throws FaultFound if `step` computes a sample too early, else counts it.
  void execute(const WorkOrder::Step& step);

 private:
  /// First sample and number of samples that a computing micro-op writes; none if it does not compute.
  std::pair<std::uint32_t, std::uint32_t> samples_of(const PeProgram& pe, const MicroOp& op) const;

  const Program& program_;
  const ProgramMap& map_;
  const Graph& graph_;
  std::map<OpId, std::vector<OpId>> earlier_;                     // by graph operator
  std::map<OpId, std::vector<std::uint32_t>> in_period_;          // computing micro-ops by sample
  std::map<OpId, std::vector<std::vector<std::uint32_t>>> left_;  // the same, still to come, by period
};

}  // namespace dfsim
