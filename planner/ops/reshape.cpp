// planner/ops/reshape.cpp: the same elements in the same order under another shape.
#include <fmt/format.h>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

using Shape = std::vector<std::uint32_t>;

/// Dimensions [out_begin, out_end) of the output hold the same elements, in order, as [in_begin, in_end) of
/// the input.
struct Match {
  std::size_t in_begin = 0, in_end = 0, out_begin = 0, out_end = 0;
};

std::uint64_t product(const Shape& shape, std::size_t begin, std::size_t end) {
  std::uint64_t result = 1;
  for (std::size_t d = begin; d < end; ++d) result *= shape[d];
  return result;
}

/// The finest division of both shapes into runs of dimensions with equal products. Trailing ones join the
/// last run.
std::vector<Match> matches(const Shape& in, const Shape& out) {
  std::vector<Match> result;
  std::size_t i = 0, o = 0;
  while (i < in.size() && o < out.size()) {
    Match match{i, i + 1, o, o + 1};
    std::uint64_t left = in[i++], right = out[o++];
    while (left != right) {
      if (left < right)
        left *= in[i++];
      else
        right *= out[o++];
    }
    match.in_end = i;
    match.out_end = o;
    result.push_back(match);
  }
  result.back().in_end = in.size();
  result.back().out_end = out.size();
  return result;
}

/// Elements of a run behind its first dimension. A block of first output indices, with all that is behind
/// them, is a box of the input if these are whole rows of its first dimension.
bool first_is_splittable(const Match& match, const Shape& in, const Shape& out) {
  return product(out, match.out_begin + 1, match.out_end) % product(in, match.in_begin + 1, match.in_end) ==
         0;
}

/// Axes: b and the dimensions of the output. Of each run of matching dimensions only the first can be cut,
/// and only where its blocks are boxes of the input. Not modelled: cuts within a run that would need several
/// boxes of the input.
class Reshape final : public OperatorKind {
 public:
  std::vector<AttributeSpec> attributes() const override {
    return {{"shape", AttributeType::integers, true, "of one sample; -1 once for what is left", {}}};
  }
  std::pair<std::size_t, std::size_t> input_count() const override { return {1, 1}; }

  InferredShapes infer(const ShapeContext& context) const override {
    const Operator& op = context.op;
    const Tensor& x = *context.inputs[0];
    const std::vector<std::int64_t> wanted = integers_of(op, "shape");
    std::uint64_t known = 1;
    int open = 0;
    for (const std::int64_t extent : wanted) {
      if (extent == -1) ++open;
      if (extent < -1 || extent == 0 || open > 1)
        return shape_error(fmt::format("reshape '{}': [{}] is no shape", op.name, fmt::join(wanted, ",")));
      if (extent > 0) known *= static_cast<std::uint64_t>(extent);
      if (known > x.elements()) break;
    }
    const bool fits = open ? x.elements() % known == 0 && known <= x.elements() : known == x.elements();
    if (wanted.empty() || !fits)
      return shape_error(fmt::format("reshape '{}' cannot turn {} into [{}]: the number of elements differs",
                                     op.name, shape_text(x.shape), fmt::join(wanted, ",")));
    InferredShapes result;
    result.outputs.emplace_back();
    for (const std::int64_t extent : wanted)
      result.outputs[0].push_back(
          shape_of({extent == -1 ? x.elements() / known : static_cast<std::uint64_t>(extent)})[0]);
    return result;
  }

  std::vector<Axis> axes(const Graph& graph, OpId op, std::uint32_t samples) const override {
    const Shape &in = input_tensor(graph, op, 0).shape, &out = output_tensor(graph, op, 0).shape;
    std::vector<Axis> axes = dimension_axes(out, samples);
    for (const Match& match : matches(in, out))
      for (std::size_t d = match.out_begin; d < match.out_end; ++d)
        axes[d + 1].splittable = d == match.out_begin && first_is_splittable(match, in, out);
    return axes;
  }

  Box input_box(const Graph& graph, OpId op, std::size_t input, const Box& block) const override {
    const Tensor& x = input_tensor(graph, op, input);
    if (block.empty()) return empty_box(x);
    const Shape &in = x.shape, &out = output_tensor(graph, op, 0).shape;
    std::vector<Span> spans{span_of(block, 0)};
    for (const Match& match : matches(in, out)) {
      Span first = whole(in[match.in_begin]);
      if (first_is_splittable(match, in, out)) {
        const auto rows = static_cast<std::uint32_t>(product(out, match.out_begin + 1, match.out_end) /
                                                     product(in, match.in_begin + 1, match.in_end));
        first = {block.offset[match.out_begin + 1] * rows, block.extent[match.out_begin + 1] * rows};
      }
      spans.push_back(first);
      for (std::size_t d = match.in_begin + 1; d < match.in_end; ++d) spans.push_back(whole(in[d]));
    }
    return box_of(spans);
  }

  Box output_box(const Graph& graph, OpId op, std::size_t output, const Box& block) const override {
    return block.empty() ? empty_box(output_tensor(graph, op, output)) : block;
  }

  Work work(const Graph&, OpId, const Box& block) const override {
    return block.empty() ? Work{} : vector_work("copy", block.elements());
  }
};

}  // namespace

const Registration<OperatorKind, Reshape> kReshape{"reshape",
                                                   "the same elements in order under another shape"};

}  // namespace dfsim
