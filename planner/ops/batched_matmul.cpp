// planner/ops/batched_matmul.cpp: one product per head of two activations (attention: Q times K transposed,
// probabilities times V).
#include <fmt/format.h>

#include <optional>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

/// One operand: [H, rows, columns], or [rows, H * columns] whose columns are cut into H blocks.
struct Operand {
  bool merged = false;
  std::uint32_t heads = 1, rows = 1, columns = 1;

  /// The box of `rows` x `columns` of the heads `head`. A merged operand is read from the first column of the
  /// first head to the last column of the last: all columns of the heads between, which is more than needed
  /// only if several heads take a part of their columns each.
  Box box(Span sample, Span head, Span row, Span column) const {
    if (!merged) return box_of({sample, head, row, column});
    const std::uint32_t begin = head.offset * columns + column.offset;
    const std::uint32_t end = (head.end() - 1) * columns + column.end();
    return box_of({sample, row, {begin, end - begin}});
  }
};

/// None if the columns do not divide into the heads, or the rank is neither 2 nor 3.
std::optional<Operand> operand_of(const std::vector<std::uint32_t>& shape, std::uint32_t heads) {
  if (shape.size() == 3) return Operand{false, shape[0], shape[1], shape[2]};
  if (shape.size() != 2 || shape[1] % heads != 0) return std::nullopt;
  return Operand{true, heads, shape[0], shape[1] / heads};
}

std::uint32_t heads_of(const Operator& op, const std::vector<std::uint32_t>& a,
                       const std::vector<std::uint32_t>& b) {
  const std::uint32_t otherwise = a.size() == 3 ? a[0] : b.size() == 3 ? b[0] : 1;
  const std::int64_t heads = op.integer("heads", otherwise);
  return heads < 1 || heads > 1'000'000 ? 0 : static_cast<std::uint32_t>(heads);
}

/// Axes b, h, m, n, k. No weights: every axis but k is parallel. A merged output (or operand) whose columns
/// belong to several heads can be cut within a head only if one head is left in a block; n is therefore
/// unsplittable with `merge_heads` and several heads (cut the heads instead), and k likewise if a merged
/// operand holds it along its columns.
class BatchedMatmul final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    return {{"heads", AttributeType::integer, false, "H: blocks of columns of an operand of rank 2", {}},
            {"transpose_b", AttributeType::boolean, false, "b is [H,N,K] instead of [H,K,N]", {}},
            {"merge_heads", AttributeType::boolean, false, "the output is [M,H*N] instead of [H,M,N]", {}},
            {"scale", AttributeType::number, false, "factor on the products; costs nothing of its own", {}}};
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {2, 2}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const auto &a = context.inputs[0]->shape, &b = context.inputs[1]->shape;
    if (context.inputs[0]->type == DataType::int32)
      return shape_error(fmt::format("matmul '{}' cannot multiply int32 numbers", op.name));
    const std::uint32_t heads = heads_of(op, a, b);
    if (heads == 0)
      return shape_error(fmt::format("matmul '{}': heads must be from 1 to 1000000, not {}", op.name,
                                     op.integer("heads", 0)));
    const auto left = operand_of(a, heads), right = operand_of(b, heads);
    const std::string both =
        fmt::format("matmul '{}' cannot multiply {} by {}", op.name, shape_text(a), shape_text(b));
    for (const auto* shape : {&a, &b}) {
      if (shape->size() != 2 && shape->size() != 3)
        return shape_error(both + ": operands are [H,rows,columns] or [rows,H*columns]");
      if (!operand_of(*shape, heads))
        return shape_error(both +
                           fmt::format(": {} columns do not divide into {} heads", (*shape)[1], heads));
    }
    if (left->heads != heads || right->heads != heads)
      return shape_error(both + fmt::format(": {} and {} heads differ", left->heads,
                                            left->heads == right->heads ? heads : right->heads));
    const bool transposed = op.flag("transpose_b");
    const std::uint32_t inner = transposed ? right->columns : right->rows;
    if (left->columns != inner)
      return shape_error(both + fmt::format(": inner sizes {} and {} differ", left->columns, inner));
    const std::uint64_t n = transposed ? right->rows : right->columns;
    InferredShapes result;
    const bool plain = a.size() == 2 && b.size() == 2 && op.attributes.find("heads") == op.attributes.end();
    if (plain || op.flag("merge_heads"))
      result.outputs = {shape_of({left->rows, heads * n})};
    else
      result.outputs = {shape_of({heads, left->rows, n})};
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    const Geometry g(graph, op);
    const bool several = g.heads > 1;
    const bool k_in_columns = g.a.merged || (g.transposed && g.b.merged);
    const bool n_in_columns = g.output.merged || (!g.transposed && g.b.merged);
    return {sample_axis(samples),
            {"h", g.heads, AxisRole::parallel, true},
            {"m", g.a.rows, AxisRole::parallel, true},
            {"n", g.output.columns, AxisRole::parallel, !(several && n_in_columns)},
            {"k", g.a.columns, AxisRole::reduction, !(several && k_in_columns)}};
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    if (block.empty()) return empty_box(input_tensor(graph, op, input));
    const Geometry g(graph, op);
    const Span b = span_of(block, 0), h = span_of(block, 1), m = span_of(block, 2), n = span_of(block, 3),
               k = span_of(block, 4);
    if (input == 0) return g.a.box(b, h, m, k);
    return g.transposed ? g.b.box(b, h, n, k) : g.b.box(b, h, k, n);
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    if (block.empty()) return empty_box(output_tensor(graph, op, output));
    return Geometry(graph, op).output.box(span_of(block, 0), span_of(block, 1), span_of(block, 2),
                                          span_of(block, 3));
  }

  Work work(const Graph& graph, OpId op, const Box& block) const override {
    if (block.empty()) return {};
    return matrix_work(block.extent[2], block.extent[3], block.extent[4],
                       std::uint64_t{block.extent[0]} * block.extent[1], input_tensor(graph, op, 0).type);
  }

 private:
  /// The checked shapes of one operator.
  struct Geometry {
    Geometry(const Graph& graph, OpId id) {
      const auto& left = input_tensor(graph, id, 0).shape;
      const auto& right = input_tensor(graph, id, 1).shape;
      heads = heads_of(graph.op(id), left, right);
      transposed = graph.op(id).flag("transpose_b");
      a = *operand_of(left, heads);
      b = *operand_of(right, heads);
      output = *operand_of(output_tensor(graph, id, 0).shape, heads);
    }
    std::uint32_t heads = 1;
    bool transposed = false;
    Operand a, b, output;
  };
};

}  // namespace

const Registration<OperatorKind, BatchedMatmul> kBatchedMatmul{"batched_matmul",
                                                               "one product of two activations per head"};

}  // namespace dfsim
