#include "planner/report/candidate_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "planner/ops/operator.h"

namespace dfsim {

namespace {

/// "a; 3x b; c" of a, b, b, b, c.
std::string join_counted(const std::vector<std::string>& texts) {
  std::string result;
  for (std::size_t begin = 0; begin < texts.size();) {
    std::size_t end = begin + 1;
    while (end < texts.size() && texts[end] == texts[begin]) ++end;
    if (!result.empty()) result += "; ";
    if (end - begin > 1) result += fmt::format("{}x ", end - begin);
    result += texts[begin];
    begin = end;
  }
  return result;
}

template <class Describe>
std::string of_all_operators(const Stage& stage, Describe describe) {
  std::vector<std::string> texts;
  const std::size_t count = std::min(stage.operators.size(), stage.strategy.operators.size());
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(describe(stage.operators[i], stage.strategy.operators[i]));
  return join_counted(texts);
}

/// The part of a tensor's name behind its operator: "layer0.ff1.weight" is "weight".
std::string short_name(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? name : name.substr(dot + 1);
}

std::string box_text(const Tensor& tensor, const Box& box) {
  return fmt::format("{}[{}]", short_name(tensor.name),
                     fmt::join(box.extent.begin(), box.extent.begin() + box.rank, ","));
}

}  // namespace

std::vector<std::string> axis_names(const Graph& graph, OpId op) {
  std::vector<std::string> names;
  for (const Axis& axis : kind_of(graph.op(op)).axes(graph, op, 1)) names.push_back(axis.name);
  return names;
}

std::string parts_text(const std::vector<std::uint32_t>& parts, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t axis = 0; axis < parts.size(); ++axis)
    if (parts[axis] > 1)
      text += fmt::format("{}{}{}", text.empty() ? "" : " ",
                          axis < names.size() ? names[axis] : fmt::format("axis{}:", axis), parts[axis]);
  return text.empty() ? "1" : text;
}

std::string operators_text(const Graph& graph, const std::vector<OpId>& operators) {
  std::string text;
  for (std::size_t begin = 0; begin < operators.size();) {
    std::size_t end = begin + 1;
    while (end < operators.size() && operators[end].value() == operators[end - 1].value() + 1) ++end;
    if (!text.empty()) text += ' ';
    if (end - begin < 4) {
      text += graph.op(operators[begin]).name;
      end = begin + 1;
    } else {
      text += fmt::format("{}..{} ({})", graph.op(operators[begin]).name, graph.op(operators[end - 1]).name,
                          end - begin);
    }
    begin = end;
  }
  return text;
}

std::string split_text(const Graph& graph, const Stage& stage) {
  return of_all_operators(stage, [&](OpId op, const OperatorCandidate& candidate) {
    const std::vector<std::string> names = axis_names(graph, op);
    return parts_text(candidate.spatial, names) + " / " + parts_text(candidate.temporal, names) +
           (candidate.outer == OuterLoop::features ? "" : " (" + to_string(candidate.outer) + " outermost)");
  });
}

std::vector<std::uint32_t> block_extents(const Graph& graph, OpId op, const OperatorCandidate& candidate,
                                         std::uint32_t samples_together) {
  std::vector<std::uint32_t> extents;
  const std::vector<Axis> axes = kind_of(graph.op(op)).axes(graph, op, samples_together);
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const std::uint32_t spatial = axis < candidate.spatial.size() ? candidate.spatial[axis] : 1;
    const std::uint32_t temporal = axis < candidate.temporal.size() ? candidate.temporal[axis] : 1;
    const std::uint32_t part = ceil_div(axes[axis].extent, std::max(1u, spatial));
    extents.push_back(ceil_div(part, std::max(1u, temporal)));
  }
  return extents;
}

std::string slicing_text(const Graph& graph, const Stage& stage, std::uint32_t samples) {
  const std::uint32_t together = ceil_div(samples, std::max(1u, stage.strategy.sub_batches));
  return of_all_operators(stage, [&](OpId id, const OperatorCandidate& candidate) {
    const Operator& op = graph.op(id);
    const OperatorKind& kind = kind_of(op);
    const std::vector<std::uint32_t> extents = block_extents(graph, id, candidate, together);
    Box block;
    block.rank = static_cast<std::uint8_t>(std::min<std::size_t>(extents.size(), kMaxRank));
    std::copy_n(extents.begin(), block.rank, block.extent.begin());
    std::string text;
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
      text += box_text(graph.tensor(op.inputs[i]), kind.input_box(graph, id, i, block)) + " ";
    text += ">";
    for (std::size_t i = 0; i < op.outputs.size(); ++i)
      text += " " + box_text(graph.tensor(op.outputs[i]), kind.output_box(graph, id, i, block));
    return text;
  });
}

std::string map_text(const Graph& graph, const Stage& stage) {
  return of_all_operators(stage, [&](OpId op, const OperatorCandidate& candidate) {
    const std::vector<std::string> names = axis_names(graph, op);
    std::string text;
    for (const std::uint32_t axis : candidate.nesting)
      if (axis < candidate.spatial.size() && axis < names.size() && candidate.spatial[axis] > 1)
        text += (text.empty() ? "" : ",") + names[axis];
    return (text.empty() ? "one" : text) + " " + to_string(candidate.order);
  });
}

}  // namespace dfsim
