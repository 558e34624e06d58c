#include "planner/verify/comparison.h"

#include <algorithm>
#include <cmath>

#include "planner/verify/boxes.h"

namespace dfsim {

Comparison::Comparison(const Graph& graph, const Reference& reference, double tolerance,
                       bool same_every_period)
    : graph_(graph),
      reference_(reference),
      tolerance_(tolerance),
      same_every_period_(same_every_period),
      largest_error_(graph.tensors().size(), 0) {}

/// Calls visit(position in `box`, reference values, elements) for every contiguous piece.
template <class Visit>
void Comparison::each_sample(TensorId tensor, const Box& box, std::uint32_t period,
                             const Visit& visit) const {
  Box stored = reference_.stored_box(tensor);
  const auto visit_from = [&](const Box& part, const float* values) {
    for_each_run(part, box, stored, [&](std::uint64_t here, std::uint64_t there, std::uint64_t length) {
      visit(here, values + there, length);
    });
  };
  if (!graph_.tensor(tensor).has_samples()) return visit_from(box, reference_.values(tensor).data());
  for (std::uint32_t s = 0; s < box.extent[0]; ++s) {
    Box part = box;
    part.offset[0] = stored.offset[0] = box.offset[0] + s;
    part.extent[0] = stored.extent[0] = 1;
    visit_from(part, reference_.sample_values(tensor, data_sample(part.offset[0], period)));
  }
}

void Comparison::expected(TensorId tensor, const Box& box, std::uint32_t period, float* values) const {
  each_sample(tensor, box, period, [&](std::uint64_t at, const float* from, std::uint64_t length) {
    std::copy_n(from, length, values + at);
  });
}

void Comparison::check(TensorId tensor, const Box& box, std::uint32_t period, const float* values) {
  const auto limit = static_cast<float>(tolerance_ * reference_.largest(tensor));
  float largest = 0;
  each_sample(tensor, box, period, [&](std::uint64_t at, const float* expected, std::uint64_t length) {
    for (std::uint64_t i = 0; i < length; ++i) {
      const float error = std::abs(values[at + i] - expected[i]);
      if (!(error <= limit)) wrong(tensor, box, at + i, expected[i], values[at + i]);
      largest = std::max(largest, error);
    }
  });
  double& known = largest_error_[tensor.value()];
  known = std::max(known, double{largest});
}

void Comparison::wrong(TensorId tensor, const Box& box, std::uint64_t position, float expected,
                       float got) const {
  Fault fault;
  fault.what = "a wrong value";
  fault.tensor = graph_.tensor(tensor).name;
  fault.region = box;
  fault.at.emplace();
  for (std::uint8_t d = box.rank; d > 0; position /= box.extent[--d])
    (*fault.at)[d - 1u] = box.offset[d - 1u] + static_cast<std::uint32_t>(position % box.extent[d - 1u]);
  fault.expected = expected;
  fault.got = got;
  throw FaultFound(std::move(fault));
}

double Comparison::relative_error(TensorId tensor) const {
  const double largest = reference_.largest(tensor);
  return largest > 0 ? largest_error(tensor) / largest : largest_error(tensor);
}

}  // namespace dfsim
