// planner/verify/kernels/batched_matmul.cpp: one product of two activations per head.
#include <Eigen/Core>

#include "planner/ops/blocks.h"
#include "planner/verify/fault.h"
#include "planner/verify/kernel.h"

namespace dfsim {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Strided = Eigen::Map<Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;
using ConstStrided = Eigen::Map<const Matrix, Eigen::Unaligned, Eigen::OuterStride<>>;

std::uint32_t heads_of(const KernelOp& op) {
  for (std::size_t input = 0; input < 2; ++input)
    if (op.input(input).shape.size() == 3) return op.input(input).shape[0];
  return static_cast<std::uint32_t>(op.op().integer("heads", 1));
}

/// A matrix per head: [H, rows, columns], or, merged, [rows, H * columns].
struct Layout {
  Layout(const std::vector<std::uint32_t>& shape, std::uint32_t heads)
      : merged(shape.size() == 2),
        rows(merged ? shape[0] : shape[1]),
        columns(merged ? shape[1] / heads : shape[2]) {}
  bool merged;
  std::uint32_t rows, columns;

  /// All that the heads `head` have in `row` x `column`; merged, also the columns between.
  Box box(Span sample, Span head, Span row, Span column) const {
    if (!merged) return box_of({sample, head, row, column});
    const std::uint32_t begin = head.offset * columns + column.offset;
    return box_of({sample, row, {begin, (head.end() - 1) * columns + column.end() - begin}});
  }

  /// First element and row pitch of one head's matrix inside box(...), row-major. `sample` and `head` count
  /// from the first in the box.
  std::pair<std::int64_t, std::int64_t> place(const Box& box, std::uint32_t sample,
                                              std::uint32_t head) const {
    const std::int64_t pitch = box.extent[box.rank - 1u];
    if (!merged) return {(std::int64_t{sample} * box.extent[1] + head) * box.extent[2] * pitch, pitch};
    return {std::int64_t{sample} * box.extent[1] * pitch + std::int64_t{head} * columns, pitch};
  }
};

/// Iteration space b, h, m, n, k.
class BatchedMatmulKernel final : public Kernel {
 public:
  Box block(const KernelOp& op, const std::vector<OutputBlock>& outputs, std::uint32_t reduction,
            const Operands& operands) const override {
    const std::uint32_t heads = heads_of(op);
    const Layout a(op.input(0).shape, heads), output(op.output(0).shape, heads);
    const Box& box = outputs[0].box;
    Span h = span_of(box, 1), m = span_of(box, box.rank - 2u), n = span_of(box, box.rank - 1u);
    if (output.merged) {
      // Either a part of one head's columns or the columns of several heads.
      h = {n.offset / output.columns, ceil_div(n.end(), output.columns) - n.offset / output.columns};
      if (h.extent > 1 && (n.offset % output.columns != 0 || n.extent % output.columns != 0))
        throw FaultFound("columns of several heads, and not all of them");
      n = h.extent > 1 ? whole(output.columns) : Span{n.offset % output.columns, n.extent};
    }
    return box_of({span_of(box, 0), h, m, n, inner(op, a, span_of(box, 0), h, m, reduction, operands)});
  }

  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const std::uint32_t heads = heads_of(op);
    const bool transposed = op.op().flag("transpose_b");
    const Layout left(op.input(0).shape, heads), right(op.input(1).shape, heads),
        result(op.output(0).shape, heads);
    const Span b = span_of(block, 0), h = span_of(block, 1), m = span_of(block, 2), n = span_of(block, 3),
               k = span_of(block, 4);
    const Box left_box = left.box(b, h, m, k);
    const Box right_box = transposed ? right.box(b, h, n, k) : right.box(b, h, k, n);
    const float* left_values = operands.values(0, left_box);
    const float* right_values = operands.values(1, right_box);
    for (std::uint32_t s = 0; s < b.extent; ++s)
      for (std::uint32_t head = 0; head < h.extent; ++head) {
        const auto [left_at, left_pitch] = left.place(left_box, s, head);
        const auto [right_at, right_pitch] = right.place(right_box, s, head);
        const auto [at, pitch] = result.place(outputs[0].box, s, head);
        const ConstStrided x(left_values + left_at, m.extent, k.extent, Eigen::OuterStride<>(left_pitch));
        Strided sums(outputs[0].values + at, m.extent, n.extent, Eigen::OuterStride<>(pitch));
        const Eigen::OuterStride<> stride(right_pitch);
        if (transposed)
          sums.noalias() += x * ConstStrided(right_values + right_at, n.extent, k.extent, stride).transpose();
        else
          sums.noalias() += x * ConstStrided(right_values + right_at, k.extent, n.extent, stride);
      }
  }

  void finish(const KernelOp& op, const OutputBlock& output, Operands&) const override {
    const auto scale = static_cast<float>(number_of(op.op(), "scale", 1));
    for (std::uint64_t i = 0; i < output.box.elements(); ++i) output.values[i] *= scale;
  }

 private:
  /// The range of k: that of the first operand's columns read.
  static Span inner(const KernelOp& op, const Layout& a, Span b, Span h, Span m, std::uint32_t reduction,
                    const Operands& operands) {
    if (reduction == a.columns) return whole(a.columns);
    const std::uint64_t elements = std::uint64_t{b.extent} * h.extent * m.extent * reduction;
    const Box read = operands.read(0, elements);
    const Span columns = span_of(read, read.rank - 1u);
    if (!a.merged) return columns;
    if (h.extent > 1)
      throw FaultFound("operator '" + op.op().name + "': part of the columns of several heads");
    return {columns.offset - h.offset * a.columns, columns.extent};
  }
};

}  // namespace

const Registration<Kernel, BatchedMatmulKernel> kBatchedMatmulKernel{"batched_matmul",
                                                                     "matrix product per head"};

}  // namespace dfsim
