// planner/lower/program_writer.h: collects micro-ops, transfers, primitives and tensors into one Program.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/lower/dram_homes.h"
#include "planner/lower/pe_builder.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"

namespace dfsim {

/// DMA channels by purpose: a channel takes its transfers in order, and what may run ahead must not wait
/// behind what cannot. Weights are loaded and passed on ahead of the computation, network inputs a period
/// ahead; partial sums leave while layouts change; what leaves a stage for DRAM or the next one (`store`)
/// keeps nobody waiting. With fewer channels in hardware some purposes share one.
enum class DmaUse : std::uint8_t { load = 0, forward = 1, data = 2, store = 3, partial = 4, input = 5 };

/// What a transfer is part of (one line of the plan's primitives).
struct PrimitiveKey {
  std::string kind, algorithm, scope;
  TensorId tensor;
  OpId op;
  auto operator<=>(const PrimitiveKey&) const = default;
};

class ProgramWriter {
 public:
  /// `scratchpads`: how those of all PEs are used.
  ProgramWriter(const Graph& graph, const HardwareSpec& hardware,
                std::map<PeId, ScratchpadSetup> scratchpads);

  PeBuilder& pe(PeId id);
  DramHomes& homes() { return homes_; }

  /// Ids inside the program, given out at first use.
  TensorId tensor(TensorId graph_tensor);
  OpId op(OpId graph_op) const { return op_ids_.at(graph_op.value()); }
  std::uint32_t vector_function(const std::string& name);
  void add_stage(const std::string& name, const std::vector<OpId>& operators);
  void describe(const PrimitiveKey& key, const std::string& layout_from, const std::string& layout_to);

  /// Moves `access` of `from` into a new micro-tensor at `to` and returns it.
  std::uint32_t send(PeId from, const Access& access, PeId to, DmaUse use, Placement placement, bool resident,
                     const PrimitiveKey& key, OpId graph_op);
  /// One flit from `from`, once the micro-ops `after` there have ended, to `to`; returns the receive
  /// micro-op.
  std::uint32_t token(PeId from, const std::vector<std::uint32_t>& after, PeId to, const PrimitiveKey& key,
                      OpId graph_op);
  /// Fills the part `write` of a micro-tensor of `to` from DRAM, after `reads` (row numbers) are there and
  /// the micro-ops `after` have ended; returns the load micro-op.
  std::uint32_t load(PeId to, const std::vector<DramSegment>& segments, const std::vector<Access>& reads,
                     const Access& write, const PrimitiveKey& key, OpId graph_op,
                     const std::vector<std::uint32_t>& after = {});
  void store(PeId from, const Access& read, const std::vector<DramSegment>& segments, const PrimitiveKey& key,
             OpId graph_op);

  Program finish(const std::string& name, std::uint32_t samples, std::uint32_t periods);
  void end_prologue();
  /// What the scratchpads were used for, by PE.
  std::map<PeId, ScratchpadUses> scratchpad_uses() const;

  std::uint32_t element_bytes(TensorId graph_tensor, bool partial) const;
  std::uint32_t bytes(TensorId graph_tensor, const Box& box, bool partial) const;

 private:
  TransferId add_transfer(const Transfer& transfer, const PrimitiveKey& key);
  MicroOp transfer_op(MicroOpKind kind, DmaUse use, TransferId transfer, OpId graph_op) const;

  const Graph& graph_;
  const HardwareSpec& hardware_;
  std::map<PeId, ScratchpadSetup> scratchpads_;
  DramHomes homes_;
  Program program_;
  std::map<PeId, std::unique_ptr<PeBuilder>> builders_;
  std::map<std::uint32_t, TensorId> tensor_ids_;
  std::vector<TensorId> graph_tensors_;  // by program tensor
  std::map<std::uint32_t, OpId> op_ids_;
  std::map<std::string, std::uint32_t> functions_;
  std::map<PrimitiveKey, std::uint32_t> primitives_;
};

/// A short name of how a tensor is cut: parts and the largest one, "16 x [1,64,768]".
std::string layout_name(const std::vector<Box>& boxes);

}  // namespace dfsim
