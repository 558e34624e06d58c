// planner/ops/matmul.cpp: x[M, K] or x[K] times a weight [K, N], plus a bias [N].
#include <fmt/format.h>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

/// Axes b, m, n, k. A block that holds part of k leaves partial sums; the bias is added once the sum is
/// complete, which costs nothing of its own (the accumulators start from it).
class Matmul final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    return {{"out_features", AttributeType::integer, true, "N: columns of the weight", {}},
            {"in_features", AttributeType::integer, false, "K, checked against the input", {}},
            {"bias", AttributeType::boolean, false, "adds a bias [N]; true unless stated", {}}};
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const Tensor& x = *context.inputs[0];
    if (x.type == DataType::int32)
      return shape_error(fmt::format("matmul '{}' cannot multiply int32 numbers ('{}')", op.name, x.name));
    if (x.shape.empty() || x.shape.size() > 2)
      return shape_error(fmt::format("matmul '{}' takes [K] or [M,K], but '{}' is {}", op.name, x.name,
                                     shape_text(x.shape)));
    const std::int64_t n = op.integer("out_features", 0);
    if (n < 1)
      return shape_error(fmt::format("matmul '{}': out_features must be at least 1, not {}", op.name, n));
    const std::uint32_t k = x.shape.back();
    if (const std::int64_t stated = op.integer("in_features", k); stated != k)
      return shape_error(
          fmt::format("matmul '{}' cannot multiply {} by [{},{}]: inner sizes {} and {} differ", op.name,
                      shape_text(x.shape), stated, n, k, stated));
    const auto columns = static_cast<std::uint64_t>(n);
    InferredShapes result;
    result.outputs = {x.shape.size() == 1 ? shape_of({columns}) : shape_of({x.shape[0], columns})};
    result.parameters.push_back({"weight", shape_of({k, columns}), TensorRole::weight});
    if (op.flag("bias", true)) result.parameters.push_back({"bias", shape_of({columns}), TensorRole::weight});
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    const Tensor& x = input_tensor(graph, op, 0);
    return {sample_axis(samples),
            {"m", x.shape.size() == 1 ? 1 : x.shape[0], AxisRole::parallel, true},
            {"n", output_tensor(graph, op, 0).shape.back(), AxisRole::feature, true},
            {"k", x.shape.back(), AxisRole::reduction, true}};
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    const Tensor& tensor = input_tensor(graph, op, input);
    if (block.empty()) return empty_box(tensor);
    const Span b = span_of(block, 0), m = span_of(block, 1), n = span_of(block, 2), k = span_of(block, 3);
    if (input == 1) return box_of({k, n});
    if (input == 2) return box_of({n});
    return tensor.shape.size() == 1 ? box_of({b, k}) : box_of({b, m, k});
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    const Tensor& tensor = output_tensor(graph, op, output);
    if (block.empty()) return empty_box(tensor);
    const Span b = span_of(block, 0), m = span_of(block, 1), n = span_of(block, 2);
    return tensor.shape.size() == 1 ? box_of({b, n}) : box_of({b, m, n});
  }

  Work work(const Graph& graph, OpId op, const Box& block) const override {
    if (block.empty()) return {};
    return matrix_work(std::uint64_t{block.extent[0]} * block.extent[1], block.extent[2], block.extent[3], 1,
                       input_tensor(graph, op, 0).type);
  }
};

}  // namespace

const Registration<OperatorKind, Matmul> kMatmul{"matmul",
                                                 "input [M,K] or [K] times a weight [K,N], plus bias"};

}  // namespace dfsim
