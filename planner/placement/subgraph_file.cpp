#include "planner/placement/subgraph_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "planner/ops/operator.h"

namespace dfsim {

YamlNode yaml_text(const std::string& text) {
  YamlNode node;
  node.kind = YamlNode::Kind::scalar;
  node.scalar = text;
  return node;
}

YamlNode yaml_number(double number) { return yaml_text(fmt::format("{}", number)); }

YamlNode yaml_list(std::vector<YamlNode> items) {
  YamlNode node;
  node.kind = YamlNode::Kind::list;
  node.items = std::move(items);
  return node;
}

YamlNode yaml_mapping(std::vector<std::pair<std::string, YamlNode>> entries) {
  YamlNode node;
  node.kind = YamlNode::Kind::mapping;
  for (auto& [key, value] : entries) node.entries.push_back({key, {}, std::move(value)});
  return node;
}

namespace {

YamlNode to_yaml(const Attribute& attribute) {
  struct Visitor {
    YamlNode operator()(bool value) const { return yaml_text(value ? "true" : "false"); }
    YamlNode operator()(std::int64_t value) const { return yaml_text(std::to_string(value)); }
    YamlNode operator()(double value) const { return yaml_number(value); }
    YamlNode operator()(const std::string& value) const { return yaml_text(value); }
    YamlNode operator()(const std::vector<std::int64_t>& values) const {
      std::vector<YamlNode> items;
      for (const std::int64_t value : values) items.push_back(yaml_text(std::to_string(value)));
      return yaml_list(std::move(items));
    }
  };
  return std::visit(Visitor{}, attribute);
}

YamlNode names_of(const Graph& graph, const std::vector<TensorId>& tensors) {
  std::vector<YamlNode> items;
  for (const TensorId t : tensors) items.push_back(yaml_text(graph.tensor(t).name));
  return yaml_list(std::move(items));
}

/// The type that parameters have; a graph without any does not care.
DataType parameter_type(const Graph& graph) {
  for (const Tensor& tensor : graph.tensors())
    if (!tensor.has_samples()) return tensor.type;
  return graph.tensors().empty() ? DataType::fp16 : graph.tensors().front().type;
}

YamlNode input_node(const Tensor& tensor) {
  std::vector<YamlNode> shape;
  for (const std::uint32_t extent : tensor.shape) shape.push_back(yaml_text(std::to_string(extent)));
  return yaml_mapping({{"name", yaml_text(tensor.name)},
                       {"shape", yaml_list(std::move(shape))},
                       {"type", yaml_text(to_string(tensor.type))}});
}

bool default_names(const Graph& graph, const Operator& op) {
  if (op.outputs.size() == 1) return graph.tensor(op.outputs[0]).name == op.name;
  for (std::size_t o = 0; o < op.outputs.size(); ++o)
    if (graph.tensor(op.outputs[o]).name != fmt::format("{}.{}", op.name, o)) return false;
  return true;
}

YamlNode operator_node(const Graph& graph, OpId id, const std::set<OpId>& inside) {
  const Operator& op = graph.op(id);
  std::vector<TensorId> data;
  for (const TensorId t : op.inputs)
    if (graph.tensor(t).has_samples()) data.push_back(t);
  std::vector<std::pair<std::string, YamlNode>> entries{
      {"name", yaml_text(op.name)}, {"kind", yaml_text(op.kind)}, {"inputs", names_of(graph, data)}};
  if (!default_names(graph, op)) entries.emplace_back("outputs", names_of(graph, op.outputs));
  for (const auto& [name, value] : op.attributes) entries.emplace_back(name, to_yaml(value));
  std::vector<YamlNode> after;
  for (const auto& [before, then] : graph.control_edges())
    if (then == id && inside.count(before)) after.push_back(yaml_text(graph.op(before).name));
  if (!after.empty()) entries.emplace_back("after", yaml_list(std::move(after)));
  return yaml_mapping(std::move(entries));
}

}  // namespace

std::string subgraph_model(const Graph& graph, const CutSubgraph& subgraph, const std::string& name,
                           const YamlNode& note) {
  const std::set<OpId> inside(subgraph.operators.begin(), subgraph.operators.end());
  std::vector<YamlNode> inputs, operators;
  for (const TensorId t : subgraph.inputs) inputs.push_back(input_node(graph.tensor(t)));
  for (const OpId op : subgraph.operators) operators.push_back(operator_node(graph, op, inside));
  std::vector<std::pair<std::string, YamlNode>> entries{
      {"name", yaml_text(name)}, {"data_type", yaml_text(to_string(parameter_type(graph)))}};
  if (note.kind == YamlNode::Kind::mapping) entries.emplace_back("subgraph", note);
  entries.emplace_back("inputs", yaml_list(std::move(inputs)));
  entries.emplace_back("outputs", names_of(graph, subgraph.outputs));
  entries.emplace_back("operators", yaml_list(std::move(operators)));
  return emit_yaml(yaml_mapping(std::move(entries)));
}

YamlNode subgraph_note(const Graph& graph, const Cut& cut, std::size_t index,
                       const HeterogeneousStructure& structure,
                       const std::vector<std::string>& architectures) {
  const CutSubgraph& subgraph = cut.subgraphs[index];
  const PlacedSubgraph& placed = structure.subgraphs[index];
  std::vector<YamlNode> processors, identities, inputs, outputs;
  for (std::size_t p = 0; p < structure.processors.size(); ++p)
    if (placed.supported[p]) {
      processors.push_back(yaml_text(structure.processors[p]));
      identities.push_back(yaml_text(architectures[p]));
    }
  for (const TensorId t : subgraph.inputs) {
    std::string from = "network";
    for (const CutEdge& edge : cut.edges)
      if (edge.to == index && std::count(edge.tensors.begin(), edge.tensors.end(), t))
        from = cut.subgraphs[edge.from].name;
    inputs.push_back(yaml_mapping({{"tensor", yaml_text(graph.tensor(t).name)},
                                   {"from", yaml_text(from)},
                                   {"bytes", yaml_text(std::to_string(graph.tensor(t).bytes()))}}));
  }
  for (const TensorId t : subgraph.outputs) {
    std::vector<YamlNode> to;
    for (const CutEdge& edge : cut.edges)
      if (edge.from == index && std::count(edge.tensors.begin(), edge.tensors.end(), t))
        to.push_back(yaml_text(cut.subgraphs[edge.to].name));
    if (graph.tensor(t).role == TensorRole::output) to.push_back(yaml_text("network"));
    outputs.push_back(yaml_mapping({{"tensor", yaml_text(graph.tensor(t).name)},
                                    {"to", yaml_list(std::move(to))},
                                    {"bytes", yaml_text(std::to_string(graph.tensor(t).bytes()))}}));
  }
  return yaml_mapping({{"name", yaml_text(subgraph.name)},
                       {"of", yaml_text(graph.name)},
                       {"architectures", yaml_list(std::move(identities))},
                       {"processors", yaml_list(std::move(processors))},
                       {"mutation_factor", yaml_number(placed.mutation_factor)},
                       {"memory_bytes", yaml_text(std::to_string(placed.memory_bytes))},
                       {"inputs", yaml_list(std::move(inputs))},
                       {"outputs", yaml_list(std::move(outputs))}});
}

}  // namespace dfsim
