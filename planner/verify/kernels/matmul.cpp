// planner/verify/kernels/matmul.cpp: x[M, K] or x[K] times a weight [K, N], plus bias.
#include <Eigen/Core>

#include "planner/ops/blocks.h"
#include "planner/verify/kernel.h"

namespace dfsim {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Iteration space b, m, n, k. The range of k is that of the weight's rows read.
class MatmulKernel final : public Kernel {
 public:
  Box block(const KernelOp& op, const std::vector<OutputBlock>& outputs, std::uint32_t reduction,
            const Operands& operands) const override {
    const Box& box = outputs[0].box;
    const Span n = span_of(box, box.rank - 1u);
    const Span m = op.input(0).shape.size() == 1 ? whole(1) : span_of(box, 1);
    const Span k = span_of(operands.read(1, std::uint64_t{reduction} * n.extent), 0);
    return box_of({span_of(box, 0), m, n, k});
  }

  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const Span b = span_of(block, 0), m = span_of(block, 1), n = span_of(block, 2), k = span_of(block, 3);
    const Box x_box = op.input(0).shape.size() == 1 ? box_of({b, k}) : box_of({b, m, k});
    const Eigen::Map<const Matrix> x(operands.values(0, x_box), std::int64_t{b.extent} * m.extent, k.extent);
    const Eigen::Map<const Matrix> weight(operands.values(1, box_of({k, n})), k.extent, n.extent);
    Eigen::Map<Matrix> sums(outputs[0].values, x.rows(), n.extent);
    sums.noalias() += x * weight;
  }

  void finish(const KernelOp& op, const OutputBlock& output, Operands& operands) const override {
    if (op.op().inputs.size() < 3) return;
    const Span n = span_of(output.box, output.box.rank - 1u);
    const Eigen::Map<const Matrix> bias(operands.values(2, box_of({n})), 1, n.extent);
    Eigen::Map<Matrix> sums(output.values, static_cast<std::int64_t>(output.box.elements() / n.extent),
                            n.extent);
    sums.rowwise() += bias.row(0);
  }

  Distribution parameter(const KernelOp& op, std::size_t input) const override {
    if (input == 1) return {0, weight_deviation(op, op.input(1).shape[0])};
    return {0, 0.1};
  }
};

}  // namespace

const Registration<Kernel, MatmulKernel> kMatmulKernel{"matmul", "matrix product with a weight"};

}  // namespace dfsim
