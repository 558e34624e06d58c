// planner/ops/elementwise.cpp: a function of each element of one tensor, or of two.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

constexpr std::array kUnary{"relu", "gelu", "tanh", "sigmoid", "exp", "scale"};
constexpr std::array kBinary{"add", "sub", "mul", "div", "max"};

bool is_binary(std::string_view function) {
  return std::find(kBinary.begin(), kBinary.end(), function) != kBinary.end();
}

/// True if `shape` can be stretched to `whole`: counted from the last dimension, extents are equal or 1.
bool stretches(const std::vector<std::uint32_t>& shape, const std::vector<std::uint32_t>& whole) {
  if (shape.empty() || shape.size() > whole.size()) return false;
  for (std::size_t d = 1; d <= shape.size(); ++d)
    if (shape[shape.size() - d] != 1 && shape[shape.size() - d] != whole[whole.size() - d]) return false;
  return true;
}

/// Axes: b and the dimensions of the output, which are those of input 0; an axis along which a parameter
/// varies selects a slice of it (feature). The second operand may lack leading dimensions or have extents of
/// 1. `batch_norm` (inference: x * scale + shift per channel, dimension 0) has two parameters.
/// The price of a function is its entry in VectorUnitSpec::cycles_per_group.
class Elementwise final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    std::vector<std::string> functions(kUnary.begin(), kUnary.end());
    functions.insert(functions.end(), kBinary.begin(), kBinary.end());
    functions.emplace_back("batch_norm");
    return {
        {"function", AttributeType::text, true, "what is done to each element", functions},
        {"parameter", AttributeType::boolean, false, "the second operand is a parameter", {}},
        {"parameter_shape", AttributeType::integers, false, "its shape; that of the input unless stated", {}},
        {"factor", AttributeType::number, false, "of scale", {}}};
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 2}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const std::string function = op.text("function", "");
    const Tensor& x = *context.inputs[0];
    const bool parameter = op.flag("parameter");
    const std::size_t operands = context.inputs.size() + (parameter ? 1 : 0),
                      wanted = is_binary(function) ? 2 : 1;
    const std::string who = fmt::format("elementwise '{}'", op.name);
    if (operands != wanted)
      return shape_error(fmt::format("{}: {} takes {} operand{}, not {}{}", who, function, wanted,
                                     wanted == 1 ? "" : "s", operands,
                                     parameter ? " (with its parameter)" : ""));
    if (!parameter && op.attributes.find("parameter_shape") != op.attributes.end())
      return shape_error(who + ": parameter_shape means nothing without parameter: true");
    InferredShapes result;
    result.outputs = {x.shape};
    if (context.inputs.size() == 2 && !stretches(context.inputs[1]->shape, x.shape))
      return shape_error(fmt::format("{} cannot {} {} and {}: the second does not stretch to the first", who,
                                     function, shape_text(x.shape), shape_text(context.inputs[1]->shape)));
    if (parameter) {
      std::vector<std::uint32_t> shape = x.shape;
      if (const auto stated = integers_of(op, "parameter_shape"); !stated.empty()) {
        shape.clear();
        for (const std::int64_t extent : stated)
          shape.push_back(extent < 1 ? 0 : shape_of({static_cast<std::uint64_t>(extent)})[0]);
      }
      if (!stretches(shape, x.shape))
        return shape_error(
            fmt::format("{} cannot {} {} and its parameter {}: the second does not stretch to the first", who,
                        function, shape_text(x.shape), shape_text(shape)));
      result.parameters.push_back({"parameter", shape, TensorRole::weight});
    }
    if (function == "batch_norm") {
      std::vector<std::uint32_t> shape(x.shape.size(), 1);
      shape[0] = x.shape[0];
      for (const char* name : {"scale", "shift"})
        result.parameters.push_back({name, shape, TensorRole::weight});
    }
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    const auto& shape = output_tensor(graph, op, 0).shape;
    std::vector<Axis> axes = dimension_axes(shape, samples);
    for (std::size_t input = 1; input < graph.op(op).inputs.size(); ++input) {
      const Tensor& tensor = input_tensor(graph, op, input);
      if (tensor.has_samples()) continue;
      const std::size_t first = axes.size() - tensor.shape.size();
      for (std::size_t d = 0; d < tensor.shape.size(); ++d)
        if (tensor.shape[d] > 1) axes[first + d].role = AxisRole::feature;
    }
    return axes;
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    const Tensor& tensor = input_tensor(graph, op, input);
    if (block.empty()) return empty_box(tensor);
    std::vector<Span> spans;
    if (tensor.has_samples()) spans.push_back(span_of(block, 0));
    const std::size_t first = block.rank - tensor.shape.size();
    const auto& shape = output_tensor(graph, op, 0).shape;
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      const bool stretched = tensor.shape[d] == 1 && shape[first - 1 + d] != 1;
      spans.push_back(stretched ? whole(1) : span_of(block, first + d));
    }
    return box_of(spans);
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    return block.empty() ? empty_box(output_tensor(graph, op, output)) : block;
  }

  Work work(const Graph& graph, OpId op, const Box& block) const override {
    if (block.empty()) return {};
    return vector_work(graph.op(op).text("function", ""), block.elements());
  }

  bool in_place() const override { return true; }
};

}  // namespace

const Registration<OperatorKind, Elementwise> kElementwise{
    "elementwise", "a function of the elements of one or two tensors"};

}  // namespace dfsim
