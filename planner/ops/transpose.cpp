// planner/ops/transpose.cpp: the dimensions in another order.
#include <fmt/format.h>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

/// Dimension d of the output is dimension permutation[d] of the input (the sample dimension stays first).
class Transpose final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    return {{"permutation", AttributeType::integers, true, "input dimension of each output dimension", {}}};
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const auto& shape = context.inputs[0]->shape;
    const std::vector<std::int64_t> permutation = integers_of(op, "permutation");
    std::vector<bool> seen(shape.size());
    InferredShapes result;
    result.outputs.emplace_back();
    bool good = permutation.size() == shape.size();
    for (std::size_t d = 0; good && d < permutation.size(); ++d) {
      const std::int64_t from = permutation[d];
      good = from >= 0 && from < static_cast<std::int64_t>(shape.size()) &&
             !seen[static_cast<std::size_t>(from)];
      if (!good) break;
      seen[static_cast<std::size_t>(from)] = true;
      result.outputs[0].push_back(shape[static_cast<std::size_t>(from)]);
    }
    if (!good)
      return shape_error(fmt::format("transpose '{}': [{}] is no permutation of the {} dimensions of {}",
                                     op.name, fmt::join(permutation, ","), shape.size(), shape_text(shape)));
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    return dimension_axes(output_tensor(graph, op, 0).shape, samples);
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    const Tensor& x = input_tensor(graph, op, input);
    if (block.empty()) return empty_box(x);
    const std::vector<std::int64_t> permutation = integers_of(graph.op(op), "permutation");
    std::vector<Span> spans(x.shape.size() + 1, span_of(block, 0));
    for (std::size_t d = 0; d < permutation.size(); ++d)
      spans[static_cast<std::size_t>(permutation[d]) + 1] = span_of(block, d + 1);
    return box_of(spans);
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    return block.empty() ? empty_box(output_tensor(graph, op, output)) : block;
  }

  Work work(const Graph&, OpId, const Box& block) const override {
    return block.empty() ? Work{} : vector_work("copy", block.elements());
  }
};

}  // namespace

const Registration<OperatorKind, Transpose> kTranspose{"transpose", "the dimensions in another order"};

}  // namespace dfsim
