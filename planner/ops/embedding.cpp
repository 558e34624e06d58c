// planner/ops/embedding.cpp: rows of a table, chosen by numbers known at run time.
#include <fmt/format.h>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

/// Axes b, m (numbers), n (columns of the table, whole). No unit works: the rows are loaded from DRAM to
/// where the output is wanted. The input box of the table is the whole table, for any of its rows may be
/// asked for.
class Embedding final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    return {{"rows", AttributeType::integer, true, "V: rows of the table", {}},
            {"columns", AttributeType::integer, true, "elements of a row", {}}};
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const Tensor& ids = *context.inputs[0];
    if (ids.type != DataType::int32 || ids.shape.size() != 1)
      return shape_error(
          fmt::format("embedding '{}' takes row numbers [S] of type int32, but '{}' is {} of type {}",
                      op.name, ids.name, shape_text(ids.shape), to_string(ids.type)));
    const std::int64_t rows = op.integer("rows", 0), columns = op.integer("columns", 0);
    if (rows < 1 || columns < 1)
      return shape_error(
          fmt::format("embedding '{}': a table of {} rows and {} columns is empty", op.name, rows, columns));
    const auto width = static_cast<std::uint64_t>(columns);
    InferredShapes result;
    result.outputs = {shape_of({ids.shape[0], width})};
    result.parameters.push_back(
        {"table", shape_of({static_cast<std::uint64_t>(rows), width}), TensorRole::embedding});
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    std::vector<Axis> axes = dimension_axes(output_tensor(graph, op, 0).shape, samples);
    axes.back().splittable = false;
    return axes;
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    const Tensor& tensor = input_tensor(graph, op, input);
    if (block.empty()) return empty_box(tensor);
    if (input == 0) return box_of({span_of(block, 0), span_of(block, 1)});
    return whole_box(tensor, block);
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    return block.empty() ? empty_box(output_tensor(graph, op, output)) : block;
  }

  Work work(const Graph&, OpId, const Box&) const override { return {}; }
};

}  // namespace

const Registration<OperatorKind, Embedding> kEmbedding{"embedding", "rows of a table gathered by number"};

}  // namespace dfsim
