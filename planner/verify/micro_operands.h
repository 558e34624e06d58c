// planner/verify/micro_operands.h: the operands of one micro-op, from the scratchpad of its PE.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/verify/kernel.h"
#include "planner/verify/pe_memory.h"
#include "planner/verify/program_map.h"
#include "planner/verify/reference.h"
#include "sim/api/program.h"

namespace dfsim {

/// Only what the micro-op states as read can be read; partial sums are no operands. The rows of tables come
/// from DRAM.
class MicroOperands final : public Operands {
 public:
  MicroOperands(const Graph& graph, OpId op, const ProgramMap& map, const PeProgram& pe,
                const MicroOp& micro_op, std::uint32_t period, const PeMemory& memory,
                const Reference& tables)
      : graph_(graph),
        op_(graph.op(op)),
        map_(map),
        pe_(pe),
        micro_op_(micro_op),
        period_(period),
        memory_(memory),
        tables_(tables) {}

  Box read(std::size_t input, std::uint64_t elements) const override;
  const float* values(std::size_t input, const Box& box) override;

 private:
  template <class Visit>
  void each_read(TensorId tensor, const Visit& visit) const;
  [[noreturn]] void no_value(TensorId tensor, const Box& box, const std::vector<float>& values) const;

  const Graph& graph_;
  const Operator& op_;
  const ProgramMap& map_;
  const PeProgram& pe_;
  const MicroOp& micro_op_;
  std::uint32_t period_;
  const PeMemory& memory_;
  const Reference& tables_;
  std::vector<std::vector<float>> copies_;
};

}  // namespace dfsim
