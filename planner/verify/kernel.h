// planner/verify/kernel.h: what an operator computes, on numbers. One implementation per kind of operator,
// registered under the kind's name.
//
// A kernel knows shapes and attributes only. It asks for its operands by coordinates that it works out by
// itself, not with OperatorKind::input_box, so that a wrong box in a program cannot be right here by the same
// mistake.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"
#include "sim/api/program.h"
#include "sim/base/registry.h"

namespace dfsim {

/// The inputs of one micro-op, or of a whole operator.
class Operands {
 public:
  virtual ~Operands() = default;
  /// The smallest box around the first `elements` elements that are read of input `input` (index in
  /// Operator::inputs). Two inputs may be one tensor; the reads of the earlier input come first.
  virtual Box read(std::size_t input, std::uint64_t elements) const = 0;
  /// Values of `box` of an input, row-major; valid as long as the operands. Throws FaultFound if a part of it
  /// is not among what is read or holds no value.
  virtual const float* values(std::size_t input, const Box& box) = 0;
};

/// A block of one output and where its values go, row-major.
struct OutputBlock {
  std::size_t output = 0;  ///< index in Operator::outputs
  Box box;
  float* values = nullptr;
};

/// Normal distribution that a parameter is drawn from.
struct Distribution {
  double mean = 0;
  double deviation = 1;
};

/// The operator that a kernel works for.
struct KernelOp {
  const Graph& graph;
  OpId id;
  const Operator& op() const { return graph.op(id); }
  const Tensor& input(std::size_t i) const { return graph.tensor(op().inputs[i]); }
  const Tensor& output(std::size_t i) const { return graph.tensor(op().outputs[i]); }
};

class Kernel {
 public:
  virtual ~Kernel() = default;

  /// The block of the iteration space (axes of OperatorKind::axes) that yields `outputs` from what is read;
  /// `reduction` is the extent of the reduction axis as the micro-op states it (kinds without one ignore
  /// it). Unless a kind says otherwise its iteration space is that of its output.
  virtual Box block(const KernelOp& op, const std::vector<OutputBlock>& outputs, std::uint32_t reduction,
                    const Operands& operands) const;

  /// Computes `block` into `outputs`. Kinds with a reduction axis *add* the products to what is there.
  virtual void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
                   Operands& operands) const = 0;

  /// Turns complete sums into results in place (scale, bias). Kinds without a reduction have nothing to do.
  virtual void finish(const KernelOp&, const OutputBlock&, Operands&) const {}

  /// How parameter `input` is drawn.
  virtual Distribution parameter(const KernelOp&, std::size_t) const { return {}; }
};

using KernelRegistry = Registry<Kernel>;

/// The kernel of an operator's kind. Throws SimulationError if there is none.
const Kernel& kernel_of(const Operator& op);

/// Standard deviation of a weight with `fan_in` inputs per output: 1/sqrt(fan_in), and the variance doubled
/// if the output goes into a relu, which halves the second moment (He, Zhang, Ren, Sun, "Delving Deep into
/// Rectifiers", ICCV 2015, section 2.2).
double weight_deviation(const KernelOp& op, std::uint64_t fan_in);

}  // namespace dfsim
