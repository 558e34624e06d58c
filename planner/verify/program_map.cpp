#include "planner/verify/program_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "sim/base/errors.h"

namespace dfsim {

ProgramMap::ProgramMap(const Program& program, const Graph& graph, const std::string& file) {
  Diagnostics diagnostics;
  const std::string hint = "verify needs the model that the program was made from";
  std::map<std::string, TensorId> tensors;
  for (std::uint32_t t = 0; t < graph.tensors().size(); ++t)
    tensors.emplace(graph.tensors()[t].name, TensorId(t));
  for (const ProgramTensor& tensor : program.tensors) {
    const auto found = tensors.find(tensor.name);
    tensors_.push_back(found == tensors.end() ? TensorId() : found->second);
    element_bytes_.push_back(static_cast<std::uint32_t>(bytes_of(tensor.type).count()));
    if (found == tensors.end())
      diagnostics.error({file, 1, 1}, fmt::format("the model has no tensor '{}'", tensor.name), hint);
    else if (const Tensor& known = graph.tensor(found->second);
             known.shape != tensor.shape || known.type != tensor.type)
      diagnostics.error({file, 1, 1},
                        fmt::format("tensor '{}' has another type or shape in the model", tensor.name), hint);
  }
  std::map<std::string, OpId> ops;
  for (std::uint32_t op = 0; op < graph.operators().size(); ++op)
    ops.emplace(graph.operators()[op].name, OpId(op));
  for (const ProgramOperator& op : program.operators) {
    const auto found = ops.find(op.name);
    ops_.push_back(found == ops.end() ? OpId() : found->second);
    if (found == ops.end())
      diagnostics.error({file, 1, 1}, fmt::format("the model has no operator '{}'", op.name), hint);
  }
  diagnostics.throw_if_any<ModelError>();
}

std::uint32_t ProgramMap::smallest_element() const {
  std::uint32_t least = kPartialBytes;
  for (const std::uint32_t bytes : element_bytes_) least = std::min(least, bytes);
  return least;
}

}  // namespace dfsim
