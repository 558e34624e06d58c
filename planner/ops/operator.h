// planner/ops/operator.h: what an operator means: shapes, iteration space, work. One implementation per file,
// registered by kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "sim/api/program.h"
#include "sim/base/registry.h"

namespace dfsim {

enum class AxisRole : std::uint8_t {
  sample,     ///< always axis 0
  parallel,   ///< appears in the output; blocks are independent
  feature,    ///< parallel, and selects a slice of the weights (output features, channels, heads)
  reduction,  ///< summed over: splitting it leaves partial sums
};

/// One axis of the iteration space. Axis 0 is the sample axis; its extent is the number of samples worked on
/// together.
struct Axis {
  std::string name;  ///< b, m, n, k, head, row, column, channel ...
  std::uint32_t extent = 1;
  AxisRole role = AxisRole::parallel;
  bool splittable = true;  ///< may be cut in space and time; else every micro-operator takes all of it
};

enum class WorkUnit : std::uint8_t { none, matrix, vector };

/// The computation of one block of the iteration space. `none`: data movement only (embedding: indirect
/// loads).
struct Work {
  WorkUnit unit = WorkUnit::none;
  MatmulWork matmul;
  std::string vector_function;  ///< a key of VectorUnitSpec::cycles_per_group
  std::uint64_t elements = 0;
};

/// What the front end knows of an operator before its outputs exist.
struct ShapeContext {
  const Operator& op;
  std::vector<const Tensor*> inputs;  ///< data inputs
};

struct ParameterShape {
  std::string name;  ///< suffix of the tensor name: weight, bias, gamma, beta, table
  std::vector<std::uint32_t> shape;
  TensorRole role = TensorRole::weight;
};

/// Shapes found, or what is wrong in words that name the operator's dimensions.
struct InferredShapes {
  std::vector<std::vector<std::uint32_t>> outputs;
  std::vector<ParameterShape> parameters;  ///< tensors the front end adds to Operator::inputs, in this order
  std::string error;                       ///< empty if all is well
};

enum class AttributeType : std::uint8_t { boolean, integer, number, text, integers };

struct AttributeSpec {
  std::string name;
  AttributeType type = AttributeType::integer;
  bool required = false;
  std::string description;
  std::vector<std::string> choices;  ///< of a text attribute; empty: any
};

/// Meaning of one kind of operator. Stateless. A block is a Box over the axes of axes(), sample axis first.
/// Boxes of tensors with samples have the sample dimension first, then the dimensions of Tensor::shape; boxes
/// of weights have the shape's only.
class OperatorKind {
 public:
  virtual ~OperatorKind() = default;
  virtual std::vector<AttributeSpec> attributes() const = 0;
  virtual std::pair<std::size_t, std::size_t> input_count() const = 0;  ///< least and most data inputs
  virtual InferredShapes infer(const ShapeContext& context) const = 0;

  /// Iteration space for `samples` samples together.
  virtual std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const = 0;
  /// The part of input `input` (index in Operator::inputs) that `block` reads.
  virtual Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const = 0;
  /// The part of output `output` that `block` writes; the whole of the reduction axes is not needed for it.
  virtual Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const = 0;
  virtual Work work(const Graph& graph, OpId op, const Box& block) const = 0;
  /// True if an output block may take the place of the input block of input 0 with the same box
  /// (elementwise).
  virtual bool in_place() const { return false; }
};

using OperatorRegistry = Registry<OperatorKind>;

/// The registered kind of an operator; throws SimulationError for an unknown one (the front end has checked).
const OperatorKind& kind_of(const Operator& op);

/// Matrix and convolution multiply-accumulates of one sample, of one operator and of the whole graph.
std::uint64_t macs_per_sample(const Graph& graph, OpId op);
std::uint64_t macs_per_sample(const Graph& graph);

}  // namespace dfsim
