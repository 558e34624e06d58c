// planner/graph/graph.h: the compute graph: operators, tensors, data and control edges. Structure only; what
// an operator means is in planner/ops.
#pragma once

#include <boost/graph/adjacency_list.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/errors.h"
#include "sim/base/units.h"

namespace dfsim {

enum class TensorRole : std::uint8_t {
  input,       ///< of the network; comes from DRAM, one per sample
  weight,      ///< matmul, convolution, bias and norm parameters
  embedding,   ///< a table of which only the gathered rows are read
  activation,  ///< made by one operator
  output,      ///< an activation that also leaves the network; goes to DRAM
};

/// Shapes are those of one sample: activations, inputs and outputs have an implicit leading sample axis;
/// weights have none.
struct Tensor {
  std::string name;
  DataType type = DataType::fp16;
  TensorRole role = TensorRole::activation;
  std::vector<std::uint32_t> shape;
  std::optional<OpId> producer;  ///< of activation and output
  std::vector<OpId> consumers;   ///< ascending
  bool has_samples() const { return role != TensorRole::weight && role != TensorRole::embedding; }
  std::uint64_t elements() const;  ///< of one sample
  std::uint64_t bytes() const { return elements() * bytes_of(type).count(); }
};

using Attribute = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>>;

struct Operator {
  std::string name;
  std::string kind;  ///< name in the registry of OperatorKind
  std::map<std::string, Attribute> attributes;
  std::vector<TensorId> inputs;  ///< data inputs first, then parameters in the order of the kind
  std::vector<TensorId> outputs;
  SourceLocation where;

  std::int64_t integer(const std::string& name, std::int64_t otherwise) const;
  bool flag(const std::string& name, bool otherwise = false) const;
  std::string text(const std::string& name, const std::string& otherwise) const;
};

struct Edge {
  std::optional<TensorId> tensor;  ///< none: a control edge
};

/// Operators are numbered in the order in which they were added, which must be a topological order of data
/// and control edges (the front end sorts).
class Graph {
 public:
  using Adjacency =
      boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS, boost::no_property, Edge>;

  std::string name;

  TensorId add_tensor(Tensor tensor);  ///< producer and consumers are filled by add_operator
  OpId add_operator(Operator op);      ///< its tensors must exist; adds the data edges
  void add_control_edge(OpId before, OpId after);

  const std::vector<Operator>& operators() const { return operators_; }
  const std::vector<Tensor>& tensors() const { return tensors_; }
  const Operator& op(OpId id) const { return operators_[id.value()]; }
  const Tensor& tensor(TensorId id) const { return tensors_[id.value()]; }
  Tensor& tensor(TensorId id) { return tensors_[id.value()]; }
  const std::vector<std::pair<OpId, OpId>>& control_edges() const { return control_edges_; }
  const Adjacency& adjacency() const { return adjacency_; }

  /// Operators that must have ended before `id` may start, by data or control; ascending, each once.
  std::vector<OpId> predecessors(OpId id) const;
  std::vector<OpId> successors(OpId id) const;

  std::uint64_t weight_bytes() const;  ///< all tensors of role weight
  /// Text that changes with anything that can move a measurement of `ops`; names are left out, so equal
  /// layers are equal.
  std::string signature(const std::vector<OpId>& ops) const;

 private:
  std::vector<Operator> operators_;
  std::vector<Tensor> tensors_;
  std::vector<std::pair<OpId, OpId>> control_edges_;
  Adjacency adjacency_;
};

}  // namespace dfsim
