// planner/graph/signature.cpp: the text by which equal layers are found equal.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "planner/graph/graph.h"

namespace dfsim {

namespace {

std::string attribute_text(const Attribute& attribute) {
  struct Visitor {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
    // The shortest text that reads back as the same number, with a mark that keeps 1.0 apart from 1.
    std::string operator()(double value) const { return fmt::format("{}d", value); }
    std::string operator()(const std::string& value) const {
      return fmt::format("{}:{}", value.size(), value);  // with its length: no text can imitate another field
    }
    std::string operator()(const std::vector<std::int64_t>& value) const {
      return fmt::format("[{}]", fmt::join(value, ","));
    }
  };
  return std::visit(Visitor{}, attribute);
}

/// Where the tensors of a set of operators come from and go to, with ids counted from 0 in order of use.
class LocalTensors {
 public:
  LocalTensors(const Graph& graph, std::vector<OpId> ops) : graph_(graph), ops_(std::move(ops)) {
    std::sort(ops_.begin(), ops_.end());
  }

  /// "t3", and at the first use also what there is to say about it.
  std::string text(TensorId id) {
    const auto [it, first] = local_.emplace(id, local_.size());
    std::string result = fmt::format("t{}", it->second);
    if (!first) return result;
    const Tensor& tensor = graph_.tensor(id);
    return result + fmt::format("({} {} [{}] {}{})", to_string(tensor.type), static_cast<int>(tensor.role),
                                fmt::join(tensor.shape, ","), source(tensor),
                                leaves(tensor) ? " leaves" : "");
  }

 private:
  bool inside(OpId op) const { return std::binary_search(ops_.begin(), ops_.end(), op); }
  const char* source(const Tensor& tensor) const {
    if (!tensor.producer) return "dram";
    return inside(*tensor.producer) ? "internal" : "external";
  }
  /// Read by an operator outside. Only what is made inside can leave the set.
  bool leaves(const Tensor& tensor) const {
    return tensor.producer && inside(*tensor.producer) &&
           std::any_of(tensor.consumers.begin(), tensor.consumers.end(),
                       [&](OpId op) { return !inside(op); });
  }

  const Graph& graph_;
  std::vector<OpId> ops_;  ///< ascending
  std::map<TensorId, std::size_t> local_;
};

}  // namespace

std::string Graph::signature(const std::vector<OpId>& ops) const {
  LocalTensors tensors(*this, ops);
  std::string result;
  for (const OpId id : ops) {
    const Operator& op = this->op(id);
    result += op.kind;
    for (const auto& [name, value] : op.attributes)
      result += fmt::format(" {}={}", name, attribute_text(value));
    result += " <-";
    for (const TensorId input : op.inputs) result += " " + tensors.text(input);
    result += " ->";
    for (const TensorId output : op.outputs) result += " " + tensors.text(output);
    result += "\n";
  }
  std::vector<std::pair<std::size_t, std::size_t>> control;  // positions in `ops`
  for (const auto& [before, after] : control_edges_) {
    const auto from = std::find(ops.begin(), ops.end(), before);
    const auto to = std::find(ops.begin(), ops.end(), after);
    if (from != ops.end() && to != ops.end()) control.emplace_back(from - ops.begin(), to - ops.begin());
  }
  std::sort(control.begin(), control.end());
  control.erase(std::unique(control.begin(), control.end()), control.end());
  for (const auto& [from, to] : control) result += fmt::format("control {} {}\n", from, to);
  return result;
}

}  // namespace dfsim
