// planner/ops/copy.cpp: the same tensor again, in whatever layout its consumers want.
#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

class Copy final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override { return {}; }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }
  InferredShapes infer(const ShapeContext& context) const override {
    InferredShapes result;
    result.outputs = {context.inputs[0]->shape};
    return result;
  }
  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    return dimension_axes(output_tensor(graph, op, 0).shape, samples);
  }
  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    return block.empty() ? empty_box(input_tensor(graph, op, input)) : block;
  }
  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    return block.empty() ? empty_box(output_tensor(graph, op, output)) : block;
  }
  Work work(const Graph&, OpId, const Box& block) const override {
    return block.empty() ? Work{} : vector_work("copy", block.elements());
  }
};

}  // namespace

const Registration<OperatorKind, Copy> kCopy{"copy", "the same tensor again"};

}  // namespace dfsim
