// planner/verify/comparison.h: computed values against those of the reference.
#pragma once

#include <cstdint>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/verify/fault.h"
#include "planner/verify/reference.h"

namespace dfsim {

/// Judges values by |a - b| <= tolerance * max|b|, the maximum over the whole reference tensor b.
///
/// Sample s of period p has the data of reference sample (s + p) mod samples, so that neighbouring periods
/// differ and what is left over from one does not pass for the next. `same_every_period` turns that off, for
/// programs whose inputs lie in the scratchpads from the start.
class Comparison {
 public:
  Comparison(const Graph& graph, const Reference& reference, double tolerance, bool same_every_period);

  std::uint32_t data_sample(std::uint32_t sample, std::uint32_t period) const {
    return same_every_period_ ? sample : (sample + period) % reference_.samples();
  }
  /// Copies the expected values of `box` (row-major).
  void expected(TensorId tensor, const Box& box, std::uint32_t period, float* values) const;
  /// Compares `values`, row-major over `box`. Throws FaultFound with the first element that is wrong.
  void check(TensorId tensor, const Box& box, std::uint32_t period, const float* values);

  /// Largest |a - b| so far, and that over max|b|.
  double largest_error(TensorId tensor) const { return largest_error_[tensor.value()]; }
  double relative_error(TensorId tensor) const;
  double tolerance() const { return tolerance_; }
  const Reference& reference() const { return reference_; }

 private:
  template <class Visit>
  void each_sample(TensorId tensor, const Box& box, std::uint32_t period, const Visit& visit) const;
  [[noreturn]] void wrong(TensorId tensor, const Box& box, std::uint64_t position, float expected,
                          float got) const;

  const Graph& graph_;
  const Reference& reference_;
  double tolerance_;
  bool same_every_period_;
  std::vector<double> largest_error_;  // by tensor
};

}  // namespace dfsim
