// planner/lower/reslicing.h: brings to every PE the parts of tensors that it is about to read, from DRAM or
// from the PEs that hold them.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/lower/program_writer.h"
#include "planner/lower/spanning_tree.h"
#include "planner/lower/tensor_table.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// One PE needs `box` of `tensor`.
struct Demand {
  TensorId tensor;
  Box box;
  PeId pe;
};

/// For whom a round of demands is served.
struct DemandContext {
  OpId op;  ///< reader
  const PeGroup* group = nullptr;
  std::uint32_t samples = 1;  ///< of the period
  bool resident = false;      ///< what is brought stays (prologue)
  bool streamed = false;      ///< activations are used up tile by tile: place them like weights
};

class Reslicing {
 public:
  Reslicing(const Graph& graph, const HardwareSpec& hardware, ProgramWriter& writer, TensorTable& table)
      : graph_(graph), hardware_(hardware), writer_(writer), table_(table) {}

  /// Tensors whose producer is not part of the program lie where they are read, from the start.
  void set_given(TensorId tensor) { given_.insert(tensor); }
  /// Which stage makes a tensor (for the scope of primitives).
  void set_stage(OpId op, std::uint32_t stage) { stage_of_[op] = stage; }

  /// Serves all demands; parts already at the PE are not moved. Equal demands of several PEs on DRAM are
  /// loaded once and passed from PE to PE. Bytes moved: those that were missing, once per destination.
  void serve(std::vector<Demand> demands, const DemandContext& context);

  /// Names the layouts of the reslicing primitives of tensor `tensor` into operator `op`.
  void describe(TensorId tensor, OpId op, const std::vector<Box>& from, const std::vector<Box>& to);

 private:
  std::vector<Box> pieces(const Demand& demand, std::size_t readers) const;
  /// A part of an owner's micro-tensor on its way to all who read it.
  struct Spread {
    const Copy* owner;
    Box part;
    std::size_t turn;  // pieces of a part go one after the other
    std::vector<TreeNode> tree;
    std::vector<std::uint32_t> at;  // by node: micro-tensor there
  };

  void from_dram(TensorId tensor, const Box& box, std::vector<PeId> readers, const DemandContext& context);
  /// All readers of one tensor; `demands` are sorted by box.
  void from_owners(TensorId tensor, const std::vector<Demand>& demands, const DemandContext& context);
  std::vector<Box> parts_in_time(TensorId tensor, const Copy& owner, const Box& part) const;
  void spread(const Copy& owner, const Box& part, std::size_t turn, const std::vector<PeId>& pes,
              std::vector<Spread>& spreads) const;
  bool far_away(PeId owner, const std::vector<PeId>& readers, const std::vector<TreeNode>& tree) const;
  void given(const Demand& demand);
  bool send_level(TensorId tensor, Spread& spread, std::uint32_t depth, const DemandContext& context);
  PrimitiveKey key(const char* kind, const char* algorithm, TensorId tensor, OpId op) const;
  /// Readers as a chain of short hops that starts near a port. The same readers always form the same chain:
  /// every PE passes tiles on in the order in which they come, and none waits for a tile that comes by
  /// another way.
  const std::vector<PeId>& chain(const std::vector<PeId>& readers, const std::vector<PortId>& ports);

  const Graph& graph_;
  const HardwareSpec& hardware_;
  ProgramWriter& writer_;
  TensorTable& table_;
  std::set<TensorId> given_;
  std::map<OpId, std::uint32_t> stage_of_;
  std::map<std::vector<PeId>, std::vector<PeId>> chains_;
};

}  // namespace dfsim
