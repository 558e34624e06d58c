// planner/ops/concat.cpp: tensors one behind the other along one dimension.
#include <fmt/format.h>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

/// Axes: b and the dimensions of the output. A block reads of each input the part that lies in its range,
/// which may be nothing.
class Concat final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    return {{"axis", AttributeType::integer, true, "dimension along which the inputs follow each other", {}}};
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {2, 64}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const auto& first = context.inputs[0]->shape;
    const std::int64_t axis = op.integer("axis", 0);
    if (axis < 0 || axis >= static_cast<std::int64_t>(first.size()))
      return shape_error(
          fmt::format("concat '{}': {} has no dimension {}", op.name, shape_text(first), axis));
    const auto along = static_cast<std::size_t>(axis);
    std::uint64_t sum = 0;
    for (const Tensor* input : context.inputs) {
      bool good = input->shape.size() == first.size();
      for (std::size_t d = 0; good && d < first.size(); ++d) good = d == along || input->shape[d] == first[d];
      if (!good)
        return shape_error(fmt::format("concat '{}' cannot put {} behind {}: they differ beside dimension {}",
                                       op.name, shape_text(input->shape), shape_text(first), axis));
      sum += input->shape[along];
    }
    InferredShapes result;
    result.outputs = {first};
    result.outputs[0][along] = shape_of({sum})[0];
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    return dimension_axes(output_tensor(graph, op, 0).shape, samples);
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    const Tensor& tensor = input_tensor(graph, op, input);
    const auto along = static_cast<std::size_t>(graph.op(op).integer("axis", 0));
    std::uint32_t begin = 0;
    for (std::size_t i = 0; i < input; ++i) begin += input_tensor(graph, op, i).shape[along];
    const Span part = common(span_of(block, along + 1), {begin, tensor.shape[along]});
    if (block.empty() || part.extent == 0) return empty_box(tensor);
    Box box = block;
    box.offset[along + 1] = part.offset - begin;
    box.extent[along + 1] = part.extent;
    return box;
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    return block.empty() ? empty_box(output_tensor(graph, op, output)) : block;
  }

  Work work(const Graph&, OpId, const Box& block) const override {
    return block.empty() ? Work{} : vector_work("copy", block.elements());
  }
};

}  // namespace

const Registration<OperatorKind, Concat> kConcat{"concat",
                                                 "tensors one behind the other along one dimension"};

}  // namespace dfsim
