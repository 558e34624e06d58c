// planner/ops/split.cpp: one tensor cut into several along one dimension.
#include <fmt/format.h>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

/// Axes: b and the dimensions of the input. A block writes of each output the part that lies in its range,
/// which may be nothing.
class Split final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    return {{"axis", AttributeType::integer, true, "dimension that is cut", {}},
            {"parts", AttributeType::integer, false, "number of equal parts", {}},
            {"sizes", AttributeType::integers, false, "extent of each part", {}}};
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const auto& shape = context.inputs[0]->shape;
    const std::int64_t axis = op.integer("axis", 0);
    if (axis < 0 || axis >= static_cast<std::int64_t>(shape.size()))
      return shape_error(fmt::format("split '{}': {} has no dimension {}", op.name, shape_text(shape), axis));
    const std::uint32_t extent = shape[static_cast<std::size_t>(axis)];
    std::vector<std::int64_t> sizes = integers_of(op, "sizes");
    const std::int64_t parts = op.integer("parts", 0);
    if ((parts != 0) != sizes.empty())
      return shape_error(fmt::format("split '{}' needs either parts or sizes", op.name));
    if (sizes.empty()) {
      if (parts < 1 || parts > 64 || extent % parts != 0)
        return shape_error(
            fmt::format("split '{}': {} does not divide into {} parts (1 to 64) along dimension {}", op.name,
                        shape_text(shape), parts, axis));
      sizes.assign(static_cast<std::size_t>(parts), extent / parts);
    }
    std::int64_t sum = 0;
    InferredShapes result;
    for (const std::int64_t size : sizes) {
      sum += size;
      result.outputs.push_back(shape);
      result.outputs.back()[static_cast<std::size_t>(axis)] = static_cast<std::uint32_t>(size);
      if (size < 1 || sum > extent) sum = -1;
      if (sum < 0) break;
    }
    if (sum != extent)
      return shape_error(fmt::format("split '{}': sizes [{}] do not add up to {} of dimension {}", op.name,
                                     fmt::join(sizes, ","), extent, axis));
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    return dimension_axes(input_tensor(graph, op, 0).shape, samples);
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    return block.empty() ? empty_box(input_tensor(graph, op, input)) : block;
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    const Tensor& tensor = output_tensor(graph, op, output);
    const auto along = static_cast<std::size_t>(graph.op(op).integer("axis", 0));
    std::uint32_t begin = 0;
    for (std::size_t i = 0; i < output; ++i) begin += output_tensor(graph, op, i).shape[along];
    const Span part = common(span_of(block, along + 1), {begin, tensor.shape[along]});
    if (block.empty() || part.extent == 0) return empty_box(tensor);
    Box box = block;
    box.offset[along + 1] = part.offset - begin;
    box.extent[along + 1] = part.extent;
    return box;
  }

  Work work(const Graph&, OpId, const Box& block) const override {
    return block.empty() ? Work{} : vector_work("copy", block.elements());
  }
};

}  // namespace

const Registration<OperatorKind, Split> kSplit{"split", "one tensor cut into several along one dimension"};

}  // namespace dfsim
