// planner/ops/normalization.cpp: softmax and layer_norm over the last dimension.
#include <fmt/format.h>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

/// Axes: b and the dimensions; the last one, over which maxima and sums run, stays whole.
class OverLastDimension : public OperatorKind {
 public:
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    std::vector<Axis> axes = dimension_axes(output_tensor(graph, op, 0).shape, samples);
    axes.back().splittable = false;
    return axes;
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    const Tensor& tensor = input_tensor(graph, op, input);
    if (block.empty()) return empty_box(tensor);
    return tensor.has_samples() ? block : box_of({span_of(block, block.rank - 1)});
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    return block.empty() ? empty_box(output_tensor(graph, op, output)) : block;
  }

  Work work(const Graph& graph, OpId op, const Box& block) const override {
    if (block.empty()) return {};
    return vector_work(graph.op(op).kind, block.elements());
  }
};

class Softmax final : public OverLastDimension {
 public:
  std::vector<AttributeSpec> attributes() const override { return {}; }
  InferredShapes infer(const ShapeContext& context) const override {
    InferredShapes result;
    result.outputs = {context.inputs[0]->shape};
    return result;
  }
};

class LayerNorm final : public OverLastDimension {
 public:
  std::vector<AttributeSpec> attributes() const override {
    return {{"epsilon", AttributeType::number, false, "added to the variance; costs nothing of its own", {}}};
  }
  InferredShapes infer(const ShapeContext& context) const override {
    const auto& shape = context.inputs[0]->shape;
    InferredShapes result;
    result.outputs = {shape};
    for (const char* name : {"gamma", "beta"})
      result.parameters.push_back({name, {shape.back()}, TensorRole::weight});
    return result;
  }
};

}  // namespace

const Registration<OperatorKind, Softmax> kSoftmax{"softmax", "softmax over the last dimension"};
const Registration<OperatorKind, LayerNorm> kLayerNorm{"layer_norm",
                                                       "layer normalisation over the last dimension"};

}  // namespace dfsim
