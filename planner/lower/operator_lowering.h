// planner/lower/operator_lowering.h: writes the micro-ops of one operator, tile by tile, on all PEs of its
// group.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/lower/mapping.h"
#include "planner/lower/program_writer.h"
#include "planner/lower/reslicing.h"
#include "planner/lower/spanning_tree.h"
#include "planner/lower/tensor_table.h"
#include "planner/plan/plan.h"
#include "sim/base/rng.h"

namespace dfsim {

/// Everything that the operators of one program share.
struct LoweringState {
  const Graph& graph;
  const HardwareSpec& hardware;
  ProgramWriter& writer;
  TensorTable& table;
  Reslicing& reslicing;
  std::uint32_t samples;  ///< of a period
  std::uint64_t seed;
};

/// Which part of which stage is being written.
struct OperatorScope {
  OpId op;
  const PeGroup* group = nullptr;
  bool weights_resident = false;
  /// True if nobody but this operator will read `tensor` any more: its place may be taken over.
  bool input_dies = false;
  /// Per PE: micro-ops that must have ended first (control edges).
  std::map<PeId, std::vector<std::uint32_t>> after;
};

/// Inputs of matmul and convolution from this one on (the bias) are read when a sum is complete.
inline constexpr std::size_t kFirstLateInput = 2;

class OperatorLowering {
 public:
  OperatorLowering(LoweringState& state, const OperatorScope& scope, const OperatorMapping& mapping);

  /// Loads the weights of all tiles, for the prologue.
  void write_prologue();
  /// Writes loads, transfers and computation of one tile of every part; tiles in ascending order.
  void write_tile(std::size_t tile);
  /// After the last tile.
  void end();
  /// The micro-ops that compute, by PE.
  const std::map<PeId, std::vector<std::uint32_t>>& computed() const { return computed_; }

 private:
  /// The sum of one tile's share, on its way to the part that keeps it.
  struct Reduction {
    std::uint32_t owner;
    Box kept;
    const std::vector<TreeNode>& tree;
    std::vector<std::vector<Access>> arrived;  // by node: from its children
  };

  Box fetch_box(const MappedPart& part, std::size_t input, std::size_t tile) const;
  void plan_fetches();
  bool needed_at(std::size_t input, const MappedPart& part, std::size_t tile) const;
  std::vector<Demand> demands_of(std::size_t tile) const;
  DemandContext context(bool streamed) const;
  std::vector<Access> reads_of(const MappedPart& part, std::size_t tile, std::size_t first,
                               std::size_t last) const;

  void place_outputs();
  std::shared_ptr<const std::vector<Box>> completed_tiles(const MappedPart& part, std::size_t output,
                                                          const Box& box) const;
  void compute_tile(std::uint32_t part, std::size_t tile);
  void matmul_tile(std::uint32_t part, std::size_t tile, const Work& work);
  void vector_tile(std::uint32_t part, std::size_t tile, const Work& work);
  void gather_rows(std::uint32_t part, std::size_t tile);
  void exchange_partial_sums(std::uint32_t part, std::size_t tile);
  const std::vector<TreeNode>& reduction_tree(std::uint32_t owner);
  void send_up(Reduction& reduction, std::uint32_t place, std::uint32_t depth);
  void complete_sum(const Reduction& reduction, std::uint32_t place);
  void accumulate(PeId pe, const Box& kept, std::uint32_t sum, const std::vector<Access>& arrived,
                  const std::vector<Access>& writes, const std::vector<Access>& bias);
  std::uint32_t partner_at(PeId pe, std::uint32_t owner) const;
  void release_used(std::size_t tile);
  const std::vector<std::uint32_t>& waits_for(PeId pe) const;
  void emit(PeId pe, MicroOp op, const std::vector<Access>& reads, const std::vector<Access>& writes);

  LoweringState& state_;
  const OperatorScope& scope_;
  const OperatorMapping& mapping_;
  const Operator& op_;
  const OperatorKind& kind_;
  std::vector<std::vector<std::vector<Box>>>
      fetches_;  // [part][input][tile]: brought before the tile, if not there
  std::vector<std::vector<std::uint32_t>> outputs_;           // [part][output]: micro-tensor
  std::vector<std::map<std::uint32_t, std::uint32_t>> sums_;  // [part]: place -> micro-tensor of partial sums
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t>
      complete_;                                                    // (first partner, place) -> shares done
  std::map<std::uint32_t, std::vector<TreeNode>> reduction_trees_;  // by owning part
  std::vector<std::pair<PeId, std::uint32_t>> taken_over_;          // inputs whose place the output has
  std::map<PeId, std::vector<std::uint32_t>> computed_;
};

}  // namespace dfsim
