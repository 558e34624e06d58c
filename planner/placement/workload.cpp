#include "planner/placement/workload.h"

#include <fmt/format.h>

#include <map>

#include "planner/ops/blocks.h"
#include "planner/ops/operator.h"

namespace dfsim {

namespace {

constexpr double kOperationsPerByte = 32;

/// Per element; 1 for what is not listed.
std::uint64_t operations_per_element(const std::string& function) {
  static const std::map<std::string, std::uint64_t> kOperations{
      {"div", 4},  {"exp", 4},      {"sigmoid", 6},    {"tanh", 6},
      {"gelu", 8}, {"softmax", 12}, {"layer_norm", 6}, {"batch_norm", 2}};
  const auto it = kOperations.find(function);
  return it == kOperations.end() ? 1 : it->second;
}

}  // namespace

KernelWork kernel_of(const Graph& graph, OpId id) {
  const Operator& op = graph.op(id);
  const OperatorKind& kind = kind_of(op);
  const Work work = kind.work(graph, id, whole_block(kind.axes(graph, id, 1)));
  KernelWork kernel;
  kernel.kind = op.kind;
  kernel.matrix = work.unit == WorkUnit::matrix;
  if (kernel.matrix) kernel.operations = 2 * work.matmul.macs();
  if (work.unit == WorkUnit::vector)
    kernel.operations = work.elements * operations_per_element(work.vector_function);
  std::uint64_t made = 0;
  for (const TensorId t : op.outputs) {
    made += graph.tensor(t).bytes();
    kernel.output_elements += graph.tensor(t).elements();
  }
  kernel.type = graph.tensor(op.outputs.front()).type;
  kernel.bytes = made;
  for (const TensorId t : op.inputs) {
    const Tensor& tensor = graph.tensor(t);
    kernel.bytes += tensor.role == TensorRole::embedding ? made : tensor.bytes();
  }
  return kernel;
}

SubgraphWork work_of(const Graph& graph, const CutSubgraph& subgraph) {
  SubgraphWork work;
  for (const OpId op : subgraph.operators) work.kernels.push_back(kernel_of(graph, op));
  for (const TensorId t : subgraph.inputs)
    if (graph.tensor(t).role == TensorRole::input) work.input_bytes += graph.tensor(t).bytes();
  for (const TensorId t : subgraph.outputs)
    if (graph.tensor(t).role == TensorRole::output) work.output_bytes += graph.tensor(t).bytes();
  return work;
}

std::uint64_t tensor_bytes(const Graph& graph, const std::vector<TensorId>& tensors) {
  std::uint64_t bytes = 0;
  for (const TensorId t : tensors) bytes += graph.tensor(t).bytes();
  return bytes;
}

std::uint64_t parameter_bytes(const Graph& graph, const CutSubgraph& subgraph) {
  std::uint64_t bytes = 0;
  for (const OpId op : subgraph.operators)
    for (const TensorId t : graph.op(op).inputs)
      if (!graph.tensor(t).has_samples()) bytes += graph.tensor(t).bytes();
  return bytes;
}

double relative_work(const Graph& graph, OpId op) {
  const KernelWork kernel = kernel_of(graph, op);
  return static_cast<double>(kernel.operations) + kOperationsPerByte * static_cast<double>(kernel.bytes);
}

std::string refusal(const ProcessorSpec& processor, const Graph& graph, OpId op) {
  const std::string& kind = graph.op(op).kind;
  if (!processor.can_run(kind)) return fmt::format("it does not support {}", kind);
  if (processor.kind == ProcessorKind::card) return {};
  const KernelWork kernel = kernel_of(graph, op);
  const auto& rates = kernel.matrix ? processor.matrix_operations : processor.vector_operations;
  if (kernel.operations > 0 && !rates.count(kernel.type))
    return fmt::format("it has no {} rate for {}", kernel.matrix ? "matrix" : "vector",
                       to_string(kernel.type));
  return {};
}

}  // namespace dfsim
