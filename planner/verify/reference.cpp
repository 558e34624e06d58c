#include "planner/verify/reference.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "planner/ops/blocks.h"
#include "planner/ops/operator.h"
#include "planner/verify/boxes.h"
#include "planner/verify/kernel.h"
#include "planner/verify/seeded_values.h"

namespace dfsim {

namespace {

/// Streams of the generator: one per tensor, and one per row of a table.
std::uint64_t stream_of(TensorId tensor, std::uint32_t row = 0) {
  return (std::uint64_t{tensor.value()} << 32) | row;
}

/// Row numbers must exist in every table that they select from.
std::uint32_t rows_of_tables(const Graph& graph, const Tensor& numbers) {
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (const OpId consumer : numbers.consumers)
    for (const TensorId input : graph.op(consumer).inputs)
      if (const Tensor& tensor = graph.tensor(input); tensor.role == TensorRole::embedding)
        least = std::min(least, tensor.shape[0]);
  return least == std::numeric_limits<std::uint32_t>::max() ? 256 : least;
}

/// Whole tensors as operands.
class WholeOperands final : public Operands {
 public:
  WholeOperands(const Graph& graph, const Reference& reference, OpId op)
      : graph_(graph), reference_(reference), op_(graph.op(op)) {}

  Box read(std::size_t input, std::uint64_t) const override {
    return reference_.stored_box(op_.inputs[input]);
  }

  const float* values(std::size_t input, const Box& box) override {
    const TensorId tensor = op_.inputs[input];
    std::vector<float>& copy = copies_.emplace_back();
    if (graph_.tensor(tensor).role == TensorRole::embedding) {
      copy = reference_.table_row(tensor, box.offset[0]);
      return copy.data() + box.offset[1];
    }
    const Box& stored = reference_.stored_box(tensor);
    if (box == stored) return reference_.values(tensor).data();
    copy.resize(box.elements());
    copy_common(stored, reference_.values(tensor).data(), box, copy.data());
    return copy.data();
  }

 private:
  const Graph& graph_;
  const Reference& reference_;
  const Operator& op_;
  std::vector<std::vector<float>> copies_;
};

}  // namespace

Reference::Reference(const Graph& graph, std::uint32_t samples, std::uint64_t seed)
    : graph_(graph),
      samples_(samples),
      seed_(seed),
      values_(graph.tensors().size()),
      boxes_(graph.tensors().size()),
      largest_(graph.tensors().size(), 0) {
  for (std::uint32_t t = 0; t < values_.size(); ++t) {
    const TensorId id(t);
    boxes_[t] = whole_box(graph.tensor(id), box_of({whole(samples)}));
    if (!graph.tensor(id).producer && graph.tensor(id).role != TensorRole::embedding) draw(id);
  }
  for (std::uint32_t op = 0; op < graph.operators().size(); ++op) compute(OpId(op));
  for (std::uint32_t t = 0; t < values_.size(); ++t)
    for (const float value : values_[t]) largest_[t] = std::max(largest_[t], std::abs(double{value}));
}

void Reference::draw(TensorId id) {
  const Tensor& tensor = graph_.tensor(id);
  std::vector<float>& values = values_[id.value()];
  values.resize(boxes_[id.value()].elements());
  if (tensor.role == TensorRole::input && tensor.type == DataType::int32) {
    draw_below(seed_, stream_of(id), rows_of_tables(graph_, tensor), values.data(), values.size());
    return;
  }
  Distribution distribution;
  if (tensor.role == TensorRole::weight && !tensor.consumers.empty()) {
    const OpId reader = tensor.consumers.front();
    const std::vector<TensorId>& inputs = graph_.op(reader).inputs;
    const auto position = std::find(inputs.begin(), inputs.end(), id) - inputs.begin();
    distribution =
        kernel_of(graph_.op(reader)).parameter({graph_, reader}, static_cast<std::size_t>(position));
  }
  draw_normal(seed_, stream_of(id), distribution, values.data(), values.size());
}

std::vector<float> Reference::table_row(TensorId tensor, std::uint32_t row) const {
  std::vector<float> values(graph_.tensor(tensor).shape[1]);
  draw_normal(seed_, stream_of(tensor, row), {}, values.data(), values.size());
  return values;
}

void Reference::compute(OpId id) {
  const Operator& op = graph_.op(id);
  const Kernel& kernel = kernel_of(op);
  const KernelOp kernel_op{graph_, id};
  WholeOperands operands(graph_, *this, id);
  std::vector<OutputBlock> outputs;
  for (std::size_t output = 0; output < op.outputs.size(); ++output) {
    const TensorId tensor = op.outputs[output];
    std::vector<float>& values = values_[tensor.value()];
    values.assign(boxes_[tensor.value()].elements(), 0);
    outputs.push_back({output, boxes_[tensor.value()], values.data()});
  }
  kernel.run(kernel_op, whole_block(kind_of(op).axes(graph_, id, samples_)), outputs, operands);
  for (const OutputBlock& output : outputs) kernel.finish(kernel_op, output, operands);
}

}  // namespace dfsim
