// tests/planner/ops/build.h: graphs of one or a few operators, without a model file.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "planner/ops/operator.h"

namespace dfsim::test {

using Attributes = std::map<std::string, Attribute>;
using Shape = std::vector<std::uint32_t>;

inline TensorId add_input(Graph& graph, const std::string& name, Shape shape,
                          DataType type = DataType::fp16) {
  return graph.add_tensor({name, type, TensorRole::input, std::move(shape), {}, {}});
}

/// Infers shapes as the front end does, adds parameters and outputs, then the operator. Fails the test on an
/// error of infer().
inline OpId add_operator(Graph& graph, const std::string& kind, std::vector<TensorId> inputs,
                         Attributes attributes, const std::string& name = "op",
                         TensorRole role = TensorRole::activation) {
  Operator op{name, kind, std::move(attributes), std::move(inputs), {}, {}};
  ShapeContext context{op, {}};
  for (const TensorId input : op.inputs) context.inputs.push_back(&graph.tensor(input));
  const InferredShapes shapes = kind_of(op).infer(context);
  EXPECT_EQ(shapes.error, "");
  for (const ParameterShape& parameter : shapes.parameters)
    op.inputs.push_back(graph.add_tensor(
        {name + "." + parameter.name, DataType::fp16, parameter.role, parameter.shape, {}, {}}));
  for (std::size_t i = 0; i < shapes.outputs.size(); ++i)
    op.outputs.push_back(graph.add_tensor(
        {i == 0 ? name : fmt::format("{}.{}", name, i), DataType::fp16, role, shapes.outputs[i], {}, {}}));
  return graph.add_operator(std::move(op));
}

/// The message of infer() for inputs of the given shapes.
inline std::string infer_error(const std::string& kind, const std::vector<Shape>& shapes,
                               Attributes attributes, DataType type = DataType::fp16) {
  Operator op{"op", kind, std::move(attributes), {}, {}, {}};
  std::vector<Tensor> tensors;
  for (const Shape& shape : shapes) tensors.push_back({"x", type, TensorRole::input, shape, {}, {}});
  ShapeContext context{op, {}};
  for (const Tensor& tensor : tensors) context.inputs.push_back(&tensor);
  return kind_of(op).infer(context).error;
}

inline Box box(std::initializer_list<std::pair<std::uint32_t, std::uint32_t>> begin_end) {
  Box result;
  for (const auto& [begin, end] : begin_end) {
    result.offset[result.rank] = begin;
    result.extent[result.rank++] = end - begin;
  }
  return result;
}

using Integers = std::vector<std::int64_t>;

}  // namespace dfsim::test
