// planner/cost/lower_bound.h: cycles that a measurement cannot fall below. A bound discards a candidate, or
// stands in for a price not yet measured; it is never a result.
//
// All follow from work that must be done whatever the schedule: matrix unit (folds of whole blocks), vector
// unit, bytes that enter a PE through its ejection port, bytes that leave DRAM. Nothing is added up that
// could overlap.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "planner/cost/cost_oracle.h"
#include "planner/cost/layout.h"
#include "planner/graph/graph.h"
#include "planner/ops/operator.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// Cycles that the units of one PE are busy with one block, at least.
struct UnitCycles {
  double matrix = 0;
  double vector = 0;
};

/// As the matrix unit counts: F folds of max(T, R) cycles each (pipelined), of T + R + C - 2 (+ R) serial; a
/// vector function takes cycles_per_group per group of `lanes` elements. Start-up is left out: consecutive
/// micro-ops of one operator overlap it.
UnitCycles unit_cycles(const PeSpec& pe, const Work& work);

/// Parts of `box` that are weights do not change with the samples: bytes of all weight inputs of `block`.
std::uint64_t weight_bytes(const Graph& graph, OpId op, const Box& block);

class LowerBounds {
 public:
  /// `samples`: of one period.
  LowerBounds(const Graph& graph, const HardwareSpec& hardware, std::uint32_t samples);

  /// Of a candidate of a stage, or of an operator candidate given as a stage with one operator.
  StagePrice stage(const Stage& candidate) const;
  /// Of moving tensors between two stages (or operators of one stage, each given as a stage).
  StagePrice transfer(const Stage& producer, const Stage& consumer) const;
  /// Of a transfer whose layouts are known.
  StagePrice transfer(const MovedBytes& moved) const;
  /// Of whatever candidate of a stage on a PE group.
  StagePrice proposal(const StageProposal& stage) const;

  /// Bytes per cycle that the memory ports of `group` deliver at most; 0 if it has none.
  double dram_bytes_per_cycle(const PeGroup& group) const;

  std::uint32_t samples() const { return samples_; }

 private:
  struct OperatorBound {
    UnitCycles busiest;  ///< of the PE with the largest block, least over all splits; units apart
  };
  OperatorBound best_split(OpId op, std::uint32_t pes) const;
  std::uint64_t stage_weight_bytes(const std::vector<OpId>& ops) const;
  std::uint64_t link_width(const PeGroup& group) const;

  const Graph& graph_;
  const HardwareSpec& hardware_;
  std::uint32_t samples_;
  mutable std::map<std::pair<std::string, std::uint32_t>, OperatorBound> best_splits_;
};

}  // namespace dfsim
