// planner/verify/executor.h: runs a program on numbers, micro-op by micro-op.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/verify/comparison.h"
#include "planner/verify/control_order.h"
#include "planner/verify/dram_content.h"
#include "planner/verify/kernel.h"
#include "planner/verify/micro_operands.h"
#include "planner/verify/pe_memory.h"
#include "planner/verify/program_map.h"
#include "planner/verify/work_order.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"

namespace dfsim {

/// Executes each micro-op on what its PE's scratchpad holds at that moment, and compares every micro-tensor
/// that it writes with the reference (partial sums, which the reference does not have, when they are
/// complete). Values move between PEs by the program's transfers alone.
class Executor {
 public:
  /// `program` has passed the loader's checks of indices. Throws FaultFound for regions outside of their
  /// micro-tensors.
  Executor(const Program& program, const ProgramMap& map, const Graph& graph, const HardwareSpec& hardware,
           Comparison& comparison);

  /// `periods` periods in the order that `seed` draws. Throws FaultFound at the first fault.
  void run(std::uint32_t periods, std::uint64_t seed);

  /// Instances of micro-ops.
  std::uint64_t micro_ops() const { return micro_ops_; }
  /// Delivered, by Program::primitives.
  const std::vector<std::uint64_t>& primitive_bytes() const { return primitive_bytes_; }

  /// A tensor without a producer in the program lies in the scratchpads from the start: `true` if a
  /// micro-tensor is resident and no micro-op writes it.
  static bool holds_given_tensors(const Program& program);

 private:
  using Step = WorkOrder::Step;

  void check_regions(const PeProgram& pe) const;
  void fill_given(std::uint32_t pe);
  void execute(const Step& step);
  void begin(const Step& step);
  void matmul(const Step& step);
  void vector(const Step& step);
  void accumulate(const Step& step);
  void load(const Step& step);
  void gather(const Step& step);
  void store(const Step& step);
  void send(const Step& step);
  void receive(const Step& step);

  const PeProgram& pe(const Step& step) const { return program_.pes[step.pe]; }
  const MicroOp& op(const Step& step) const { return pe(step).ops[step.op]; }
  KernelOp kernel_op(const Step& step) const { return {graph_, map_.op(op(step).op)}; }
  /// What the micro-op reads.
  MicroOperands operands_of(const Step& step) {
    return {graph_,
            map_.op(op(step).op),
            map_,
            pe(step),
            op(step),
            step.period,
            memories_[step.pe],
            comparison_.reference()};
  }
  PeMemory::Place place(const Step& step, std::uint32_t micro_tensor) const;
  void write(const Step& step, const Access& access, const float* values);
  void brought(const Step& step, const Transfer& transfer, const std::vector<float>& values);
  void write_moved(const Step& step, const Transfer& transfer, const std::vector<float>& values);
  std::vector<OutputBlock> output_blocks(const Step& step, std::vector<std::vector<float>>& buffers) const;
  void add_partial_sums(const Step& step, const Box& box, float* sums, std::uint32_t& parts) const;
  void check_work(const Step& step, const Box& block) const;
  const Transfer& moved(const Step& step, const Access& access) const;
  Fault located(Fault fault, const Step& step) const;

  const Program& program_;
  const ProgramMap& map_;
  const Graph& graph_;
  const HardwareSpec& hardware_;
  Comparison& comparison_;
  DramContent dram_;
  ControlOrder control_;
  std::vector<PeMemory> memories_;  // by Program::pes
  struct Message {
    std::vector<float> values;
    std::size_t receivers = 0;  // that have not taken it
  };
  std::map<std::pair<TransferId, std::uint32_t>, Message> under_way_;  // by transfer and period
  std::vector<std::uint64_t> primitive_bytes_;
  std::uint64_t micro_ops_ = 0;
};

}  // namespace dfsim
