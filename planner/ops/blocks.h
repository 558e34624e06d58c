// planner/ops/blocks.h: what the kinds of operators share: boxes from spans, generic axes, attributes, texts.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "planner/ops/operator.h"

namespace dfsim {

/// The elements [offset, offset + extent) along one dimension.
struct Span {
  std::uint32_t offset = 0;
  std::uint32_t extent = 0;
  std::uint32_t end() const { return offset + extent; }
};

inline Span span_of(const Box& block, std::size_t axis) { return {block.offset[axis], block.extent[axis]}; }
inline Span whole(std::uint32_t extent) { return {0, extent}; }
/// The common part; extent 0 if there is none.
Span common(Span a, Span b);

Box box_of(std::initializer_list<Span> spans);
Box box_of(const std::vector<Span>& spans);
/// The box of all elements of `tensor`, for as many samples as `block` holds (its axis 0); empty if `block`
/// is.
Box whole_box(const Tensor& tensor, const Box& block);
/// A box of the rank of `tensor`'s boxes with no elements: what an empty block reads and writes.
Box empty_box(const Tensor& tensor);
/// The whole iteration space.
Box whole_block(const std::vector<Axis>& axes);

inline Axis sample_axis(std::uint32_t samples) { return {"b", samples, AxisRole::sample, true}; }
/// The sample axis and one parallel axis per dimension: n is the last, m the one before, then c and d.
std::vector<Axis> dimension_axes(const std::vector<std::uint32_t>& shape, std::uint32_t samples);

inline const Tensor& input_tensor(const Graph& graph, OpId op, std::size_t input) {
  return graph.tensor(graph.op(op).inputs[input]);
}
inline const Tensor& output_tensor(const Graph& graph, OpId op, std::size_t output) {
  return graph.tensor(graph.op(op).outputs[output]);
}

Work matrix_work(std::uint64_t m, std::uint64_t n, std::uint64_t k, std::uint64_t count, DataType type);
Work vector_work(std::string function, std::uint64_t elements);

/// List attribute, or a plain integer as a list of one; `otherwise` if absent.
std::vector<std::int64_t> integers_of(const Operator& op, const std::string& name,
                                      std::vector<std::int64_t> otherwise = {});
double number_of(const Operator& op, const std::string& name, double otherwise);

/// "[12,384,64]".
std::string shape_text(const std::vector<std::uint32_t>& shape);
/// Sizes as they may come out of arithmetic; too large ones become 2^32 - 1, which the front end refuses.
std::vector<std::uint32_t> shape_of(std::initializer_list<std::uint64_t> extents);
InferredShapes shape_error(std::string text);

}  // namespace dfsim
