// planner/lower/stage_lowering.h: writes stages into a program, one sub-batch after the other.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "planner/lower/operator_lowering.h"
#include "planner/lower/tensor_readers.h"
#include "planner/lower/tile_chain.h"
#include "planner/plan/plan.h"

namespace dfsim {

class StageLowering {
 public:
  /// `stages`: all stages of the program, in the order in which stages that share a group take turns. Tensors
  /// made by operators outside of them are given where they are read.
  StageLowering(LoweringState& state, const std::vector<Stage>& stages);

  void write_prologue();
  /// All stages. Those with a group of their own go on sub-batch by sub-batch, each as soon as what it reads
  /// has been written, so that nobody keeps more than is under way; stages on one group come one after the
  /// other.
  void write_all();
  /// The one stage, alone. What it makes for other stages stays until the sub-batch after the next one is
  /// written, as if they had taken it by then.
  void write_alone();
  /// A stage of one operator that stands for an operator inside a larger stage: what it makes of one
  /// sub-batch gives way to the next, as its readers in that stage would let it.
  void write_operator_alone();
  /// The stage that is being written.
  const std::string& writing() const { return writing_; }

  /// The producer's output tensors lie in its layout, a sub-batch at a time, and only what `consumer` reads
  /// of them is moved.
  void write_transfers(const Stage& producer, const Stage& consumer);

 private:
  struct SubBatch {
    std::uint32_t first, count;
    std::uint32_t end() const { return first + count; }
  };
  std::vector<SubBatch> sub_batches(const Stage& stage) const;
  static SubBatch common(const SubBatch& a, const SubBatch& b);
  void add_readers(TensorId tensor);
  void find_stages_before();
  void write_prologue(const Stage& stage);
  void write_until(std::size_t stage, std::uint32_t sample);
  void write_sub_batch(const Stage& stage, const SubBatch& samples);
  OperatorMapping map(const Stage& stage, std::size_t index, const SubBatch& samples) const;
  void write_chain(const Stage& stage, std::size_t first, const TileChain& chain,
                   const OperatorMapping* mappings, const SubBatch& samples);
  void end_operator(const Stage& stage, OpId id, const OperatorMapping& mapping, OperatorLowering& lowering,
                    const SubBatch& samples);
  void give_outputs(const Stage& producer, const Stage& consumer, const SubBatch& samples);
  std::vector<Demand> demands_on(TensorId tensor, OpId op, const OperatorMapping& mapping,
                                 const SubBatch& samples) const;
  void move_inputs(const Stage& consumer, const SubBatch& of, const SubBatch& samples);
  bool gathers(const Stage& consumer, const Stage& producer) const;
  void send_ahead(const Stage& producer, OpId op, const SubBatch& samples);
  void release_useless(TensorId tensor);
  void store_outputs(OpId op, const PeGroup& group, const SubBatch& samples);
  void describe(OpId op, const OperatorMapping& mapping);
  bool dies_with(TensorId tensor, OpId op) const;
  void consumed(TensorId tensor, OpId op, std::uint32_t samples_done);
  std::map<PeId, std::vector<std::uint32_t>> wait_for_control(OpId op, const OperatorMapping& mapping,
                                                              std::uint32_t sub_batch_end);

  LoweringState& state_;
  const std::vector<Stage>& stages_;
  std::vector<TensorReaders::Pes> pes_;  // by stage: of its group
  std::map<OpId, std::size_t> stage_of_;
  std::vector<std::set<std::size_t>> before_;  // by stage: those whose samples it needs
  std::vector<std::set<std::size_t>> turn_;  // by stage: those that have their turn on the same group before
  std::vector<bool> shares_;                 // by stage: its group with others
  std::vector<std::uint32_t> written_;       // by stage: sub-batches
  std::string writing_;
  TensorReaders readers_;
  std::map<OpId, std::vector<std::pair<std::uint32_t, std::map<PeId, std::vector<std::uint32_t>>>>>
      computed_;  // of operators with control successors: (end of sub-batch, micro-ops by PE)
  std::set<TensorId> given_outputs_;  // of the producer of a transfer alone
  std::vector<OpId> order_;           // all operators of the program
};

}  // namespace dfsim
