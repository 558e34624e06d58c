// planner/graph/graph.cpp: building and walking the graph. Broken invariants are our bugs (the front end has
// checked the input), so they throw SimulationError.
#include "planner/graph/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dfsim {

namespace {

template <class T>
const T* attribute_as(const Operator& op, const std::string& name) {
  const auto it = op.attributes.find(name);
  if (it == op.attributes.end()) return nullptr;
  const T* value = std::get_if<T>(&it->second);
  if (!value)
    throw SimulationError(fmt::format("graph: attribute '{}' of '{}' has another type", name, op.name));
  return value;
}

std::vector<OpId> sorted_unique(std::vector<OpId> ids) {
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

}  // namespace

std::uint64_t Tensor::elements() const {
  std::uint64_t product = 1;
  for (const std::uint32_t extent : shape) product *= extent;
  return product;
}

std::int64_t Operator::integer(const std::string& attribute, std::int64_t otherwise) const {
  const auto* value = attribute_as<std::int64_t>(*this, attribute);
  return value ? *value : otherwise;
}

bool Operator::flag(const std::string& attribute, bool otherwise) const {
  const auto* value = attribute_as<bool>(*this, attribute);
  return value ? *value : otherwise;
}

std::string Operator::text(const std::string& attribute, const std::string& otherwise) const {
  const auto* value = attribute_as<std::string>(*this, attribute);
  return value ? *value : otherwise;
}

TensorId Graph::add_tensor(Tensor tensor) {
  tensor.producer.reset();
  tensor.consumers.clear();
  tensors_.push_back(std::move(tensor));
  return TensorId(static_cast<std::uint32_t>(tensors_.size() - 1));
}

OpId Graph::add_operator(Operator op) {
  const OpId id(static_cast<std::uint32_t>(operators_.size()));
  for (const auto* list : {&op.inputs, &op.outputs})
    for (const TensorId tensor : *list)
      if (tensor.value() >= tensors_.size())
        throw SimulationError(fmt::format("graph: operator '{}' names an unknown tensor", op.name));
  boost::add_vertex(adjacency_);
  for (const TensorId input : op.inputs) {
    Tensor& tensor = tensors_[input.value()];
    const bool made = tensor.role == TensorRole::activation || tensor.role == TensorRole::output;
    if (made && !tensor.producer)
      throw SimulationError(fmt::format("graph: '{}' reads '{}' before it is made", op.name, tensor.name));
    if (!tensor.consumers.empty() && tensor.consumers.back() == id) continue;  // read twice by one operator
    tensor.consumers.push_back(id);
    if (tensor.producer) boost::add_edge(tensor.producer->value(), id.value(), Edge{input}, adjacency_);
  }
  for (const TensorId output : op.outputs) {
    Tensor& tensor = tensors_[output.value()];
    if (tensor.role != TensorRole::activation && tensor.role != TensorRole::output)
      throw SimulationError(
          fmt::format("graph: '{}' makes '{}', which is no activation", op.name, tensor.name));
    if (tensor.producer) throw SimulationError(fmt::format("graph: '{}' is made twice", tensor.name));
    tensor.producer = id;
  }
  operators_.push_back(std::move(op));
  return id;
}

void Graph::add_control_edge(OpId before, OpId after) {
  if (after.value() >= operators_.size() || before >= after)
    throw SimulationError("graph: a control edge must lead from an operator to a later one");
  control_edges_.emplace_back(before, after);
  boost::add_edge(before.value(), after.value(), Edge{}, adjacency_);
}

std::vector<OpId> Graph::predecessors(OpId id) const {
  std::vector<OpId> result;
  for (auto [edge, end] = boost::in_edges(id.value(), adjacency_); edge != end; ++edge)
    result.emplace_back(static_cast<std::uint32_t>(boost::source(*edge, adjacency_)));
  return sorted_unique(std::move(result));
}

std::vector<OpId> Graph::successors(OpId id) const {
  std::vector<OpId> result;
  for (auto [edge, end] = boost::out_edges(id.value(), adjacency_); edge != end; ++edge)
    result.emplace_back(static_cast<std::uint32_t>(boost::target(*edge, adjacency_)));
  return sorted_unique(std::move(result));
}

std::uint64_t Graph::weight_bytes() const {
  std::uint64_t sum = 0;
  for (const Tensor& tensor : tensors_)
    if (tensor.role == TensorRole::weight) sum += tensor.bytes();
  return sum;
}

}  // namespace dfsim
