// planner/ops/pooling.cpp: maximum or average over windows of each channel of x[C,H,W].
#include <fmt/format.h>

#include "planner/ops/blocks.h"
#include "planner/ops/windows.h"

namespace dfsim {

namespace {

/// Axes b, c, row, column of the output (b, c with `global`, whose output is [C]). Work: max_pool
/// or average_pool of every window element; windows at the border count as long as the others.
class Pooling final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    std::vector<AttributeSpec> specs = window_attributes(false);
    specs.push_back({"function", AttributeType::text, true, "max or average", {"max", "average"}});
    specs.push_back(
        {"global", AttributeType::boolean, false, "one window over everything; the output is [C]", {}});
    return specs;
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const Tensor& x = *context.inputs[0];
    if (x.shape.size() != 3)
      return shape_error(
          fmt::format("pooling '{}' takes [C,H,W], but '{}' is {}", op.name, x.name, shape_text(x.shape)));
    const bool kernel = op.attributes.find("kernel") != op.attributes.end();
    if (op.flag("global") == kernel)
      return shape_error(fmt::format("pooling '{}' needs either a kernel or global: true", op.name));
    InferredShapes result;
    if (op.flag("global")) {
      for (const char* name : {"stride", "pad"})
        if (op.attributes.find(name) != op.attributes.end())
          return shape_error(fmt::format("pooling '{}': {} means nothing with global: true", op.name, name));
      result.outputs = {{x.shape[0]}};
      return result;
    }
    if (std::string error = window_error(op, x.shape[1], x.shape[2], true); !error.empty())
      return shape_error(error);
    const Windows windows = windows_of(op, true);
    result.outputs = {{x.shape[0], windows.positions(0, x.shape[1]), windows.positions(1, x.shape[2])}};
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    const auto& out = output_tensor(graph, op, 0).shape;
    std::vector<Axis> axes{sample_axis(samples), {"c", out[0], AxisRole::parallel, true}};
    if (out.size() == 1) return axes;
    axes.push_back({"row", out[1], AxisRole::parallel, true});
    axes.push_back({"column", out[2], AxisRole::parallel, false});
    return axes;
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    const Tensor& x = input_tensor(graph, op, input);
    if (block.empty()) return empty_box(x);
    const Span b = span_of(block, 0), c = span_of(block, 1);
    if (block.rank == 2) return box_of({b, c, whole(x.shape[1]), whole(x.shape[2])});
    const Windows windows = windows_of(graph.op(op), true);
    return box_of({b, c, windows.covered(0, span_of(block, 2), x.shape[1]),
                   windows.covered(1, span_of(block, 3), x.shape[2])});
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    return block.empty() ? empty_box(output_tensor(graph, op, output)) : block;
  }

  Work work(const Graph& graph, OpId op, const Box& block) const override {
    if (block.empty()) return {};
    const Tensor& x = input_tensor(graph, op, 0);
    const std::uint64_t window =
        block.rank == 2 ? std::uint64_t{x.shape[1]} * x.shape[2] : windows_of(graph.op(op), true).area();
    return vector_work(graph.op(op).text("function", "max") == "max" ? "max_pool" : "average_pool",
                       block.elements() * window);
  }
};

}  // namespace

const Registration<OperatorKind, Pooling> kPooling{"pooling",
                                                   "maximum or average over windows, or over everything"};

}  // namespace dfsim
