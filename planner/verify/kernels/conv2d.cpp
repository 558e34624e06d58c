// planner/verify/kernels/conv2d.cpp: convolution of x[C,H,W] with a weight [Cout, C/groups, kh, kw], plus
// bias.
#include <Eigen/Core>
#include <algorithm>
#include <vector>

#include "planner/ops/blocks.h"
#include "planner/ops/windows.h"
#include "planner/verify/kernel.h"

namespace dfsim {

namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Elements of [0, extent) under the windows `positions`: one window reads `kernel` elements from
/// position * stride - pad on.
Span window_span(Span positions, std::uint32_t kernel, std::uint32_t stride, std::uint32_t pad,
                 std::uint32_t extent) {
  const std::int64_t begin = std::int64_t{positions.offset} * stride - pad;
  const std::int64_t end = (std::int64_t{positions.end()} - 1) * stride - pad + kernel;
  const auto from = static_cast<std::uint32_t>(std::clamp<std::int64_t>(begin, 0, extent));
  return {from, static_cast<std::uint32_t>(std::clamp<std::int64_t>(end, from, extent)) - from};
}

/// Iteration space b, n, row, column, k (input channels of a group). The range of k is that of the weight's
/// second dimension read.
class Conv2dKernel final : public Kernel {
 public:
  Box block(const KernelOp&, const std::vector<OutputBlock>& outputs, std::uint32_t reduction,
            const Operands& operands) const override {
    const Box& box = outputs[0].box;
    // The micro-op counts channels times window elements.
    const Span k = span_of(operands.read(1, std::uint64_t{box.extent[1]} * reduction), 1);
    return box_of({span_of(box, 0), span_of(box, 1), span_of(box, 2), span_of(box, 3), k});
  }

  void run(const KernelOp& op, const Box& block, const std::vector<OutputBlock>& outputs,
           Operands& operands) const override {
    const auto groups = static_cast<std::uint32_t>(op.op().integer("groups", 1));
    const std::uint32_t per_group = op.output(0).shape[0] / groups;
    const Span n = span_of(block, 1);
    for (std::uint32_t first = n.offset; first < n.end();) {
      const std::uint32_t group = first / per_group;
      const std::uint32_t end = std::min(n.end(), (group + 1) * per_group);
      run_group(op, block, {first, end - first}, group, outputs[0], operands);
      first = end;
    }
  }

  void finish(const KernelOp& op, const OutputBlock& output, Operands& operands) const override {
    if (op.op().inputs.size() < 3) return;
    const Span n = span_of(output.box, 1);
    const float* bias = operands.values(2, box_of({n}));
    const std::uint64_t plane = std::uint64_t{output.box.extent[2]} * output.box.extent[3];
    float* at = output.values;
    for (std::uint32_t s = 0; s < output.box.extent[0]; ++s)
      for (std::uint32_t c = 0; c < n.extent; ++c, at += plane)
        std::for_each(at, at + plane, [&](float& value) { value += bias[c]; });
  }

  Distribution parameter(const KernelOp& op, std::size_t input) const override {
    const auto& weight = op.input(1).shape;
    if (input == 1) return {0, weight_deviation(op, std::uint64_t{weight[1]} * weight[2] * weight[3])};
    return {0, 0.1};
  }

 private:
  /// What is unfolded: one group's channels of one sample.
  struct Unfolding {
    Windows windows;
    Span rows, columns;  // window positions
    Box box;             // of the input: sample, channels, rows, columns
    std::uint32_t channels;
  };

  /// Rows: channel, window row, window column; columns: window positions. Zero where the window hangs over
  /// the border.
  static void unfold(const Unfolding& u, const float* input, Matrix& unfolded) {
    const auto [kernel, stride, pad] = std::tie(u.windows.kernel, u.windows.stride, u.windows.pad);
    const Span held_rows = span_of(u.box, 2), held_columns = span_of(u.box, 3);
    unfolded.setZero(static_cast<std::int64_t>(u.channels * u.windows.area()),
                     std::int64_t{u.rows.extent} * u.columns.extent);
    std::int64_t line = 0;
    for (std::uint32_t c = 0; c < u.channels; ++c)
      for (std::uint32_t i = 0; i < kernel[0]; ++i)
        for (std::uint32_t j = 0; j < kernel[1]; ++j, ++line) {
          float* to = unfolded.row(line).data();
          for (std::uint32_t r = 0; r < u.rows.extent; ++r) {
            const std::int64_t row = std::int64_t{u.rows.offset + r} * stride[0] + i - pad[0];
            if (row < held_rows.offset || row >= held_rows.end()) continue;
            const float* from =
                input + (std::int64_t{c} * held_rows.extent + row - held_rows.offset) * held_columns.extent;
            for (std::uint32_t q = 0; q < u.columns.extent; ++q) {
              const std::int64_t column = std::int64_t{u.columns.offset + q} * stride[1] + j - pad[1];
              if (column >= held_columns.offset && column < held_columns.end())
                to[std::int64_t{r} * u.columns.extent + q] = from[column - held_columns.offset];
            }
          }
        }
  }

  static void run_group(const KernelOp& op, const Box& block, Span n, std::uint32_t group,
                        const OutputBlock& output, Operands& operands) {
    const auto& weight = op.input(1).shape;
    const auto& x = op.input(0).shape;
    const Span b = span_of(block, 0), k = span_of(block, 4);
    Unfolding u{windows_of(op.op(), false), span_of(block, 2), span_of(block, 3), {}, k.extent};
    const Span rows = window_span(u.rows, u.windows.kernel[0], u.windows.stride[0], u.windows.pad[0], x[1]);
    const Span columns =
        window_span(u.columns, u.windows.kernel[1], u.windows.stride[1], u.windows.pad[1], x[2]);
    u.box = box_of({b, {group * weight[1] + k.offset, k.extent}, rows, columns});
    const float* input = operands.values(0, u.box);
    const float* factors = operands.values(1, box_of({n, k, whole(weight[2]), whole(weight[3])}));
    const auto inner = static_cast<std::int64_t>(k.extent * u.windows.area());
    const std::int64_t positions = std::int64_t{u.rows.extent} * u.columns.extent;
    const Eigen::Map<const Matrix> w(factors, n.extent, inner);
    const std::uint64_t input_sample = u.box.elements() / b.extent;
    const std::uint64_t output_sample = output.box.elements() / b.extent;
    const bool plain = u.windows.area() == 1 && u.windows.stride == std::array{1u, 1u};
    Matrix unfolded;
    for (std::uint32_t s = 0; s < b.extent; ++s) {
      const float* sample = input + s * input_sample;
      float* out = output.values + s * output_sample +
                   std::uint64_t{n.offset - output.box.offset[1]} * static_cast<std::uint64_t>(positions);
      Eigen::Map<Matrix> sums(out, n.extent, positions);
      if (plain) {  // a window of one element: the input is its own unfolding
        sums.noalias() += w * Eigen::Map<const Matrix>(sample, inner, positions);
      } else {
        unfold(u, sample, unfolded);
        sums.noalias() += w * unfolded;
      }
    }
  }
};

}  // namespace

const Registration<Kernel, Conv2dKernel> kConv2dKernel{"conv2d", "convolution"};

}  // namespace dfsim
