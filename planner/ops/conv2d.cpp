// planner/ops/conv2d.cpp: two-dimensional convolution of x[C,H,W] with a weight [Cout, C/groups, kh, kw].
#include <fmt/format.h>

#include <numeric>

#include "planner/ops/blocks.h"
#include "planner/ops/windows.h"

namespace dfsim {

namespace {

/// Axes b, n (output channels), row, column, k (input channels of a group). Work is the matrix product of the
/// unfolded input (implicit im2col): m = samples * rows * columns, k = channels * kh * kw, n = output
/// channels.
/// Not modelled: the unfolding costs no cycles and no scratchpad; blocks of columns (halos in one dimension).
class Conv2d final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    std::vector<AttributeSpec> specs = window_attributes(true);
    specs.push_back({"out_channels", AttributeType::integer, true, "Cout", {}});
    specs.push_back(
        {"groups", AttributeType::integer, false, "independent groups of channels; 1 unless stated", {}});
    specs.push_back({"bias", AttributeType::boolean, false, "adds a bias [Cout]; true unless stated", {}});
    return specs;
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const Tensor& x = *context.inputs[0];
    if (x.type == DataType::int32)
      return shape_error(fmt::format("conv2d '{}' cannot multiply int32 numbers ('{}')", op.name, x.name));
    if (x.shape.size() != 3)
      return shape_error(
          fmt::format("conv2d '{}' takes [C,H,W], but '{}' is {}", op.name, x.name, shape_text(x.shape)));
    if (std::string error = window_error(op, x.shape[1], x.shape[2], false); !error.empty())
      return shape_error(error);
    const std::int64_t groups = op.integer("groups", 1), out = op.integer("out_channels", 0);
    if (out < 1)
      return shape_error(fmt::format("conv2d '{}': out_channels must be at least 1, not {}", op.name, out));
    if (groups < 1 || x.shape[0] % groups != 0 || out % groups != 0)
      return shape_error(
          fmt::format("conv2d '{}': {} input and {} output channels do not divide into {} groups", op.name,
                      x.shape[0], out, groups));
    const Windows windows = windows_of(op, false);
    const auto channels = static_cast<std::uint64_t>(out);
    InferredShapes result;
    result.outputs = {
        shape_of({channels, windows.positions(0, x.shape[1]), windows.positions(1, x.shape[2])})};
    result.parameters.push_back({"weight",
                                 shape_of({channels, x.shape[0] / static_cast<std::uint64_t>(groups),
                                           windows.kernel[0], windows.kernel[1]}),
                                 TensorRole::weight});
    if (op.flag("bias", true))
      result.parameters.push_back({"bias", shape_of({channels}), TensorRole::weight});
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    const auto& out = output_tensor(graph, op, 0).shape;
    return {sample_axis(samples),
            {"n", out[0], AxisRole::feature, true},
            {"row", out[1], AxisRole::parallel, true},
            {"column", out[2], AxisRole::parallel, false},
            {"k", input_tensor(graph, op, 1).shape[1], AxisRole::reduction, groups_of(graph, op) == 1}};
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    const Tensor& tensor = input_tensor(graph, op, input);
    if (block.empty()) return empty_box(tensor);
    const Span n = span_of(block, 1), k = span_of(block, 4);
    if (input == 2) return box_of({n});
    if (input == 1) return box_of({n, k, whole(tensor.shape[2]), whole(tensor.shape[3])});
    const Windows windows = windows_of(graph.op(op), false);
    return box_of({span_of(block, 0), channels_read(graph, op, n, k),
                   windows.covered(0, span_of(block, 2), tensor.shape[1]),
                   windows.covered(1, span_of(block, 3), tensor.shape[2])});
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    if (block.empty()) return empty_box(output_tensor(graph, op, output));
    return box_of({span_of(block, 0), span_of(block, 1), span_of(block, 2), span_of(block, 3)});
  }

  Work work(const Graph& graph, OpId op, const Box& block) const override {
    if (block.empty()) return {};
    const auto& weight = input_tensor(graph, op, 1).shape;
    const std::uint64_t m = std::uint64_t{block.extent[0]} * block.extent[2] * block.extent[3];
    const std::uint64_t k = std::uint64_t{block.extent[4]} * weight[2] * weight[3];
    const std::uint32_t n = columns_per_product(graph, op, span_of(block, 1));
    return matrix_work(m, n, k, block.extent[1] / n, input_tensor(graph, op, 0).type);
  }

 private:
  static std::uint32_t groups_of(const Graph& graph, OpId op) {
    return static_cast<std::uint32_t>(graph.op(op).integer("groups", 1));
  }
  static std::uint32_t outputs_per_group(const Graph& graph, OpId op) {
    return output_tensor(graph, op, 0).shape[0] / groups_of(graph, op);
  }

  /// With groups, all channels of every group that the output channels `n` touch.
  static Span channels_read(const Graph& graph, OpId op, Span n, Span k) {
    if (groups_of(graph, op) == 1) return k;
    const std::uint32_t per_group = outputs_per_group(graph, op),
                        inputs = input_tensor(graph, op, 1).shape[1];
    const std::uint32_t first = n.offset / per_group, last = (n.end() - 1) / per_group;
    return {first * inputs, (last - first + 1) * inputs};
  }

  /// Output channels of each of the equal products that make up the block: those of a group if the block
  /// holds whole groups, and the largest common part where it cuts groups in pieces.
  static std::uint32_t columns_per_product(const Graph& graph, OpId op, Span n) {
    const std::uint32_t per_group = outputs_per_group(graph, op);
    if (n.offset / per_group == (n.end() - 1) / per_group) return n.extent;
    return std::gcd(per_group, std::gcd(n.offset % per_group, n.end() % per_group));
  }
};

}  // namespace

const Registration<OperatorKind, Conv2d> kConv2d{"conv2d",
                                                 "convolution with stride, pad and groups, plus bias"};

}  // namespace dfsim
