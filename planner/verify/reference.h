// planner/verify/reference.h: what the unsplit graph computes from seeded inputs and weights.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "planner/graph/graph.h"
#include "sim/api/program.h"

namespace dfsim {

/// Values of all tensors of a graph for a few samples, operator by operator on whole tensors, in float32.
///
/// Inputs are drawn from N(0, 1), parameters as their kernel says (weights N(0, 1/fan_in), doubled before a
/// relu; the parameters of norms and biases near their neutral values, so that a misplaced one shows), row
/// numbers uniformly. Every number depends on (seed, tensor, position) alone. Tables are not stored: a row
/// is drawn when it is read.
class Reference {
 public:
  /// Computes everything. `samples` are different from each other.
  Reference(const Graph& graph, std::uint32_t samples, std::uint64_t seed);

  std::uint32_t samples() const { return samples_; }
  /// Row-major over stored_box(). None of a table.
  const std::vector<float>& values(TensorId tensor) const { return values_[tensor.value()]; }
  /// Values of one sample of a tensor with samples.
  const float* sample_values(TensorId tensor, std::uint32_t sample) const {
    return values(tensor).data() + std::size_t{sample} * (values(tensor).size() / samples_);
  }
  /// The whole tensor, with the samples first if it has them.
  const Box& stored_box(TensorId tensor) const { return boxes_[tensor.value()]; }
  /// Row `row` of a table.
  std::vector<float> table_row(TensorId tensor, std::uint32_t row) const;
  /// Largest absolute value of a tensor; 0 of a table.
  double largest(TensorId tensor) const { return largest_[tensor.value()]; }

 private:
  void draw(TensorId tensor);
  void compute(OpId op);

  const Graph& graph_;
  std::uint32_t samples_;
  std::uint64_t seed_;
  std::vector<std::vector<float>> values_;  // by tensor
  std::vector<Box> boxes_;
  std::vector<double> largest_;
};

}  // namespace dfsim
