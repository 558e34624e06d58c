// planner/ops/blocks.cpp: see blocks.h.
#include "planner/ops/blocks.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace dfsim {

namespace {

template <class Spans>
Box from_spans(const Spans& spans) {
  if (spans.size() > kMaxRank) throw SimulationError("ops: a box of more than five dimensions");
  Box box;
  for (const Span& span : spans) {
    box.offset[box.rank] = span.offset;
    box.extent[box.rank] = span.extent;
    ++box.rank;
  }
  return box;
}

std::uint32_t narrow(std::uint64_t value) {
  if (value > std::numeric_limits<std::uint32_t>::max())
    throw SimulationError("ops: one micro-operator of more than 2^32 rows, columns or products");
  return static_cast<std::uint32_t>(value);
}

}  // namespace

Span common(Span a, Span b) {
  const std::uint32_t begin = std::max(a.offset, b.offset);
  const std::uint32_t end = std::min(a.end(), b.end());
  return begin < end ? Span{begin, end - begin} : Span{};
}

Box box_of(std::initializer_list<Span> spans) { return from_spans(spans); }
Box box_of(const std::vector<Span>& spans) { return from_spans(spans); }

Box empty_box(const Tensor& tensor) {
  Box box;
  box.rank = static_cast<std::uint8_t>(tensor.shape.size() + (tensor.has_samples() ? 1 : 0));
  return box;
}

Box whole_box(const Tensor& tensor, const Box& block) {
  if (block.empty()) return empty_box(tensor);
  std::vector<Span> spans;
  if (tensor.has_samples()) spans.push_back(span_of(block, 0));
  for (const std::uint32_t extent : tensor.shape) spans.push_back(whole(extent));
  return box_of(spans);
}

Box whole_block(const std::vector<Axis>& axes) {
  std::vector<Span> spans;
  for (const Axis& axis : axes) spans.push_back(whole(axis.extent));
  return box_of(spans);
}

std::vector<Axis> dimension_axes(const std::vector<std::uint32_t>& shape, std::uint32_t samples) {
  static const char* const kNames[] = {"d", "c", "m", "n"};
  if (shape.size() > std::size(kNames)) throw SimulationError("ops: a tensor of more than four dimensions");
  std::vector<Axis> axes{sample_axis(samples)};
  for (std::size_t d = 0; d < shape.size(); ++d)
    axes.push_back({kNames[std::size(kNames) - shape.size() + d], shape[d], AxisRole::parallel, true});
  return axes;
}

Work matrix_work(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t count, DataType type) {
  Work work;
  work.unit = WorkUnit::matrix;
  work.matmul = {narrow(m), narrow(n), narrow(k), narrow(count), type, false};
  return work;
}

Work vector_work(std::string function, std::uint64_t elements) {
  Work work;
  work.unit = WorkUnit::vector;
  work.vector_function = std::move(function);
  work.elements = elements;
  return work;
}

std::vector<std::int64_t> integers_of(const Operator& op, const std::string& name,
                                      std::vector<std::int64_t> otherwise) {
  const auto it = op.attributes.find(name);
  if (it == op.attributes.end()) return otherwise;
  if (const auto* one = std::get_if<std::int64_t>(&it->second)) return {*one};
  return std::get<std::vector<std::int64_t>>(it->second);
}

double number_of(const Operator& op, const std::string& name, double otherwise) {
  const auto it = op.attributes.find(name);
  if (it == op.attributes.end()) return otherwise;
  if (const auto* integer = std::get_if<std::int64_t>(&it->second)) return static_cast<double>(*integer);
  return std::get<double>(it->second);
}

std::string shape_text(const std::vector<std::uint32_t>& shape) {
  return fmt::format("[{}]", fmt::join(shape, ","));
}

std::vector<std::uint32_t> shape_of(std::initializer_list<std::uint64_t> extents) {
  std::vector<std::uint32_t> shape;
  for (const std::uint64_t extent : extents)
    shape.push_back(static_cast<std::uint32_t>(
        std::min<std::uint64_t>(extent, std::numeric_limits<std::uint32_t>::max())));
  return shape;
}

InferredShapes shape_error(std::string text) {
  InferredShapes result;
  result.error = std::move(text);
  return result;
}

}  // namespace dfsim
