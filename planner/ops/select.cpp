// planner/ops/select.cpp: one row, or a range of rows, along the first dimension.
#include <fmt/format.h>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

/// `index: i` gives row i without its first dimension; `range: [from, to]` gives the rows from <= r < to.
/// Axes: b and the dimensions of the output.
class Select final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    return {{"index", AttributeType::integer, false, "the row taken; the dimension goes away", {}},
            {"range", AttributeType::integers, false, "[from, to): the rows taken", {}}};
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const auto& shape = context.inputs[0]->shape;
    const bool index = op.attributes.find("index") != op.attributes.end();
    const std::vector<std::int64_t> range = integers_of(op, "range");
    if (index != range.empty())
      return shape_error(fmt::format("select '{}' needs either index or range", op.name));
    if (!index && range.size() != 2)
      return shape_error(
          fmt::format("select '{}': range is [from, to], not {} numbers", op.name, range.size()));
    if (index && shape.size() == 1)
      return shape_error(
          fmt::format("select '{}' cannot take one row of {}; use range", op.name, shape_text(shape)));
    const std::int64_t from = index ? op.integer("index", 0) : range[0];
    const std::int64_t to = index ? from + 1 : range[1];
    if (from < 0 || to <= from || to > shape[0])
      return shape_error(fmt::format("select '{}' takes rows {} to {} (without the last) of {}", op.name,
                                     from, to, shape_text(shape)));
    std::vector<std::uint32_t> output = shape;
    output[0] = static_cast<std::uint32_t>(to - from);
    if (index) output.erase(output.begin());
    InferredShapes result;
    result.outputs = {output};
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    return dimension_axes(output_tensor(graph, op, 0).shape, samples);
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    if (block.empty()) return empty_box(input_tensor(graph, op, input));
    const std::vector<std::int64_t> range = integers_of(graph.op(op), "range");
    std::vector<Span> spans{span_of(block, 0)};
    if (range.empty())
      spans.push_back({static_cast<std::uint32_t>(graph.op(op).integer("index", 0)), 1});
    else
      spans.push_back({static_cast<std::uint32_t>(range[0]) + block.offset[1], block.extent[1]});
    for (std::size_t axis = range.empty() ? 1 : 2; axis < block.rank; ++axis)
      spans.push_back(span_of(block, axis));
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

const Registration<OperatorKind, Select> kSelect{"select",
                                                 "one row, or a range of rows, of the first dimension"};

}  // namespace dfsim
