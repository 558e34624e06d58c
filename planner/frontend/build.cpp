// planner/frontend/build.cpp: shapes in topological order, and the graph.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "planner/frontend/draft.h"
#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

/// What is wrong with the size of a tensor; empty if nothing.
std::string size_error(const std::vector<std::uint32_t>& shape) {
  if (shape.empty() || shape.size() > kMaxRankOfTensor)
    return fmt::format("{} has {} dimensions; 1 to {} are possible", shape_text(shape), shape.size(),
                       kMaxRankOfTensor);
  std::uint64_t elements = 1;
  for (const std::uint32_t extent : shape) {
    if (extent == 0) return fmt::format("{} is empty", shape_text(shape));
    elements *= extent;
    if (elements > kMaxElements) return fmt::format("{} has more than 2^31 elements", shape_text(shape));
  }
  return {};
}

class Builder {
 public:
  Builder(const Draft& draft, const Wiring& wiring, Mistakes& mistakes)
      : draft_(draft),
        wiring_(wiring),
        mistakes_(mistakes),
        made_(draft.operators.size()),
        ids_(draft.operators.size()) {}

  Graph run() {
    graph_.name = draft_.name;
    for (const DraftInput& input : draft_.inputs) add_input(input);
    for (const std::size_t op : wiring_.order)
      if (draft_.operators[op].sound) add(op);
    check_outputs();
    for (const std::size_t op : wiring_.order) add_control_edges(op);
    return std::move(graph_);
  }

 private:
  void add_input(const DraftInput& input) {
    const std::string error = input.sound ? size_error(input.shape) : "";
    if (!error.empty())
      mistakes_.report(input.name.where, "size", fmt::format("input '{}': {}", input.name.text, error));
    inputs_.emplace_back();
    if (input.sound && error.empty())
      inputs_.back() =
          graph_.add_tensor({input.name.text, input.type, TensorRole::input, input.shape, {}, {}});
  }

  std::optional<std::vector<TensorId>> inputs_of(std::size_t index) {
    std::vector<TensorId> result;
    for (const DraftTensor& tensor : wiring_.inputs[index]) {
      if (tensor.is_input) {
        if (!inputs_[tensor.index]) return std::nullopt;
        result.push_back(*inputs_[tensor.index]);
        continue;
      }
      const std::vector<TensorId>& made = made_[tensor.index];
      if (made.empty()) return std::nullopt;  // its producer was reported
      const DraftName& written = draft_.operators[index].inputs[result.size()];
      if (!check_output_number(tensor, written.where)) return std::nullopt;
      result.push_back(made[tensor.output]);
    }
    return result;
  }

  bool check_output_number(const DraftTensor& tensor, const SourceLocation& where) {
    const std::size_t count = made_[tensor.index].size();
    const std::string& name = draft_.operators[tensor.index].name;
    if (tensor.output >= count)
      mistakes_.report(
          where, "output number",
          fmt::format("'{}' has {} output{}, counted from 0", name, count, count == 1 ? "" : "s"));
    else if (count > 1 && !tensor.numbered)
      mistakes_.report(where, "output number", fmt::format("'{}' has {} outputs; say which", name, count),
                       fmt::format("'{}.0' is the first", name));
    else
      return true;
    return false;
  }

  void add(std::size_t index) {
    const DraftOperator& draft = draft_.operators[index];
    const auto inputs = inputs_of(index);
    if (!inputs) return;
    Operator op{draft.name, draft.kind, draft.attributes, *inputs, {}, draft.where};
    ShapeContext context{op, {}};
    for (const TensorId input : *inputs) context.inputs.push_back(&graph_.tensor(input));
    if (!same_types(op, context)) return;
    const InferredShapes shapes = kind_of(op).infer(context);
    if (!shapes.error.empty()) {
      mistakes_.report(draft.where, "shape", shapes.error);
      return;
    }
    if (!sizes_fit(draft, shapes) || !output_count_fits(draft, shapes.outputs.size())) return;
    add_tensors(index, op, shapes);
    ids_[index] = graph_.add_operator(std::move(op));
  }

  bool same_types(const Operator& op, const ShapeContext& context) {
    for (const Tensor* input : context.inputs)
      if (input->type != context.inputs[0]->type) {
        mistakes_.report(op.where, "types",
                         fmt::format("{} '{}' mixes data types: '{}' is {}, '{}' is {}", op.kind, op.name,
                                     context.inputs[0]->name, to_string(context.inputs[0]->type), input->name,
                                     to_string(input->type)));
        return false;
      }
    return true;
  }

  bool sizes_fit(const DraftOperator& draft, const InferredShapes& shapes) {
    std::string error;
    for (const auto& shape : shapes.outputs)
      if (error.empty()) error = size_error(shape);
    for (const ParameterShape& parameter : shapes.parameters)
      if (error.empty()) error = size_error(parameter.shape);
    if (!error.empty())
      mistakes_.report(draft.where, "size", fmt::format("{} '{}': {}", draft.kind, draft.name, error));
    return error.empty();
  }

  bool output_count_fits(const DraftOperator& draft, std::size_t count) {
    if (draft.outputs.empty() || draft.outputs.size() == count) return true;
    mistakes_.report(draft.outputs[0].where, "output count",
                     fmt::format("{} '{}' makes {} output{}, {} named", draft.kind, draft.name, count,
                                 count == 1 ? "" : "s", draft.outputs.size()));
    return false;
  }

  /// Parameters have the model's data type. Outputs have that of the data inputs; rows gathered from a table
  /// have the table's.
  void add_tensors(std::size_t index, Operator& op, const InferredShapes& shapes) {
    const DraftOperator& draft = draft_.operators[index];
    DataType type = graph_.tensor(op.inputs[0]).type;
    for (const ParameterShape& parameter : shapes.parameters) {
      if (parameter.role == TensorRole::embedding) type = draft_.type;
      op.inputs.push_back(graph_.add_tensor({fmt::format("{}.{}", op.name, parameter.name),
                                             draft_.type,
                                             parameter.role,
                                             parameter.shape,
                                             {},
                                             {}}));
    }
    for (std::size_t o = 0; o < shapes.outputs.size(); ++o) {
      std::string name = op.name;
      if (!draft.outputs.empty())
        name = draft.outputs[o].text;
      else if (shapes.outputs.size() > 1)
        name += fmt::format(".{}", o);
      const TensorRole role = is_output(index, o) ? TensorRole::output : TensorRole::activation;
      op.outputs.push_back(graph_.add_tensor({std::move(name), type, role, shapes.outputs[o], {}, {}}));
    }
    made_[index] = op.outputs;
  }

  bool is_output(std::size_t op, std::size_t output) const {
    return std::any_of(wiring_.outputs.begin(), wiring_.outputs.end(), [&](const auto& entry) {
      return entry.first.index == op && entry.first.output == output;
    });
  }

  void check_outputs() {
    for (const auto& [tensor, where] : wiring_.outputs)
      if (!made_[tensor.index].empty()) check_output_number(tensor, where);
  }

  void add_control_edges(std::size_t index) {
    std::vector<OpId> before;
    for (const std::size_t other : wiring_.after[index])
      if (ids_[other]) before.push_back(*ids_[other]);
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    if (!ids_[index]) return;
    for (const OpId other : before) graph_.add_control_edge(other, *ids_[index]);
  }

  const Draft& draft_;
  const Wiring& wiring_;
  Mistakes& mistakes_;
  Graph graph_;
  std::vector<std::optional<TensorId>> inputs_;  ///< none: reported
  std::vector<std::vector<TensorId>> made_;      ///< outputs by operator; empty: not built
  std::vector<std::optional<OpId>> ids_;
};

}  // namespace

Graph build(const Draft& draft, const Wiring& wiring, Mistakes& mistakes) {
  return Builder(draft, wiring, mistakes).run();
}

}  // namespace dfsim
