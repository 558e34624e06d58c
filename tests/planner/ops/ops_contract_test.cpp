// Whatever kind of operator is registered passes one suite on random shapes, primes included: output blocks
// tile the outputs, input blocks cover what is read, work adds up, empty blocks do nothing, samples come
// first.
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "sim/base/rng.h"
#include "tests/planner/ops/build.h"

namespace dfsim::test {
namespace {

constexpr int kCasesPerKind = 60;

std::uint32_t pick(Rng& rng, std::initializer_list<std::uint32_t> choices) {
  return *(choices.begin() + rng.below(choices.size()));
}
std::uint32_t extent(Rng& rng) { return pick(rng, {1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13}); }
Shape shape(Rng& rng, std::size_t rank) {
  Shape result;
  for (std::size_t d = 0; d < rank; ++d) result.push_back(extent(rng));
  return result;
}
std::size_t rank(Rng& rng) { return 1 + rng.below(3); }

using Case = std::function<void(Rng&, Graph&)>;

void matmul_case(Rng& rng, Graph& graph) {
  const TensorId x = add_input(graph, "x", shape(rng, 1 + rng.below(2)));
  add_operator(graph, "matmul", {x},
               {{"out_features", std::int64_t{extent(rng)}}, {"bias", rng.below(2) == 1}});
}

void batched_matmul_case(Rng& rng, Graph& graph) {
  const std::uint32_t h = extent(rng), m = extent(rng), n = extent(rng), k = extent(rng);
  const bool transpose = rng.below(2) == 1, merge_a = rng.below(2) == 1, merge_b = rng.below(2) == 1;
  const std::uint32_t rows = transpose ? n : k, columns = transpose ? k : n;
  const TensorId a = add_input(graph, "a", merge_a ? Shape{m, h * k} : Shape{h, m, k});
  const TensorId b = add_input(graph, "b", merge_b ? Shape{rows, h * columns} : Shape{h, rows, columns});
  add_operator(graph, "batched_matmul", {a, b},
               {{"heads", std::int64_t{h}},
                {"transpose_b", transpose},
                {"merge_heads", rng.below(2) == 1},
                {"scale", 0.125}});
}

Attributes windows(Rng& rng) {
  const std::int64_t kernel = pick(rng, {1, 2, 3}), other = pick(rng, {1, 2, 3});
  return {{"kernel", Integers{kernel, other}},
          {"stride", Integers{pick(rng, {1, 2, 3})}},
          {"pad", Integers{static_cast<std::int64_t>(rng.below(kernel)),
                           static_cast<std::int64_t>(rng.below(other))}}};
}

Shape image(Rng& rng, std::uint32_t channels) {
  return {channels, pick(rng, {3, 4, 5, 7, 8, 11}), pick(rng, {3, 4, 5, 7, 8, 11})};
}

void conv2d_case(Rng& rng, Graph& graph) {
  const std::uint32_t groups = pick(rng, {1, 1, 2, 3});
  Attributes attributes = windows(rng);
  attributes["groups"] = std::int64_t{groups};
  attributes["out_channels"] = std::int64_t{groups * pick(rng, {1, 2, 3, 4, 7})};
  attributes["bias"] = rng.below(2) == 1;
  add_operator(graph, "conv2d", {add_input(graph, "x", image(rng, groups * pick(rng, {1, 2, 3, 5})))},
               attributes);
}

void pooling_case(Rng& rng, Graph& graph) {
  Attributes attributes = windows(rng);
  if (rng.below(3) == 0) attributes = {{"global", true}};
  attributes["function"] = std::string(rng.below(2) ? "max" : "average");
  add_operator(graph, "pooling", {add_input(graph, "x", image(rng, extent(rng)))}, attributes);
}

void elementwise_case(Rng& rng, Graph& graph) {
  const Shape whole = shape(rng, rank(rng));
  const TensorId x = add_input(graph, "x", whole);
  Shape second(whole.end() - 1 - static_cast<std::ptrdiff_t>(rng.below(whole.size())), whole.end());
  if (rng.below(3) == 0) second.front() = 1;
  switch (rng.below(4)) {
    case 0:
      add_operator(graph, "elementwise", {x}, {{"function", std::string("gelu")}});
      break;
    case 1:
      add_operator(graph, "elementwise", {x}, {{"function", std::string("batch_norm")}});
      break;
    case 2:
      add_operator(graph, "elementwise", {x, add_input(graph, "y", second)},
                   {{"function", std::string("add")}});
      break;
    default:
      add_operator(graph, "elementwise", {x},
                   {{"function", std::string("mul")},
                    {"parameter", true},
                    {"parameter_shape", Integers(second.begin(), second.end())}});
  }
}

void reshape_case(Rng& rng, Graph& graph) {
  Shape in = shape(rng, 1 + rng.below(2));
  Integers out(in.begin(), in.end());
  switch (rng.below(4)) {
    case 0:
      out = {-1};
      break;  // flatten
    case 1:
      in.back() *= 6, out.back() *= 2, out.push_back(3);
      break;  // cut the last dimension
    case 2:
      in.insert(in.begin(), 4), out[0] *= 4;
      break;  // join the first two
    default:
      in.push_back(6), in.insert(in.begin(), 2), out = {4, -1, 3};
      break;  // across dimensions
  }
  add_operator(graph, "reshape", {add_input(graph, "x", in)}, {{"shape", out}});
}

void transpose_case(Rng& rng, Graph& graph) {
  const Shape in = shape(rng, rank(rng));
  Integers permutation;
  for (std::size_t d = 0; d < in.size(); ++d)
    permutation.insert(permutation.begin() + static_cast<std::ptrdiff_t>(rng.below(permutation.size() + 1)),
                       static_cast<std::int64_t>(d));
  add_operator(graph, "transpose", {add_input(graph, "x", in)}, {{"permutation", permutation}});
}

void concat_case(Rng& rng, Graph& graph) {
  Shape in = shape(rng, rank(rng));
  const std::size_t axis = rng.below(in.size());
  std::vector<TensorId> inputs;
  for (int i = 0; i < 3; ++i) {
    in[axis] = extent(rng);
    inputs.push_back(add_input(graph, "x", in));
  }
  add_operator(graph, "concat", inputs, {{"axis", static_cast<std::int64_t>(axis)}});
}

void split_case(Rng& rng, Graph& graph) {
  Shape in = shape(rng, rank(rng));
  const std::size_t axis = rng.below(in.size());
  const std::uint32_t first = in[axis];
  in[axis] = first + 5;
  add_operator(graph, "split", {add_input(graph, "x", in)},
               {{"axis", static_cast<std::int64_t>(axis)}, {"sizes", Integers{first, 2, 3}}});
}

void select_case(Rng& rng, Graph& graph) {
  const Shape in = shape(rng, 2 + rng.below(2));
  const auto from = static_cast<std::int64_t>(rng.below(in[0]));
  Attributes attributes{{"index", from}};
  if (rng.below(2)) attributes = {{"range", Integers{from, std::int64_t{in[0]}}}};
  add_operator(graph, "select", {add_input(graph, "x", in)}, attributes);
}

void embedding_case(Rng& rng, Graph& graph) {
  add_operator(graph, "embedding", {add_input(graph, "ids", shape(rng, 1), DataType::int32)},
               {{"rows", std::int64_t{extent(rng)}}, {"columns", std::int64_t{extent(rng)}}});
}

Case plain_case(const std::string& kind) {
  return [kind](Rng& rng, Graph& graph) {
    add_operator(graph, kind, {add_input(graph, "x", shape(rng, rank(rng)))}, {});
  };
}

const std::map<std::string, Case>& cases() {
  static const std::map<std::string, Case> all{
      {"matmul", matmul_case},       {"batched_matmul", batched_matmul_case},
      {"conv2d", conv2d_case},       {"pooling", pooling_case},
      {"reshape", reshape_case},     {"elementwise", elementwise_case},
      {"transpose", transpose_case}, {"softmax", plain_case("softmax")},
      {"concat", concat_case},       {"layer_norm", plain_case("layer_norm")},
      {"split", split_case},         {"copy", plain_case("copy")},
      {"select", select_case},       {"embedding", embedding_case}};
  return all;
}

/// How often each element of a tensor (all samples) lies in a box.
class Coverage {
 public:
  Coverage(const Tensor& tensor, std::uint32_t samples) {
    if (tensor.has_samples()) whole_.extent[whole_.rank++] = samples;
    for (const std::uint32_t e : tensor.shape) whole_.extent[whole_.rank++] = e;
    counts_.resize(whole_.elements());
  }
  void add(const Box& part) {
    ASSERT_EQ(part.rank, whole_.rank);
    if (part.empty()) return;
    ASSERT_TRUE(whole_.contains(part)) << part.to_string() << " of " << whole_.to_string();
    add_dimension(part, 0, 0);
  }
  const std::vector<std::uint32_t>& counts() const { return counts_; }
  std::size_t covered() const {
    std::size_t sum = 0;
    for (const std::uint32_t count : counts_) sum += count > 0;
    return sum;
  }

 private:
  void add_dimension(const Box& part, std::uint8_t d, std::size_t at) {
    if (d == whole_.rank) {
      ++counts_[at];
      return;
    }
    for (std::uint32_t i = 0; i < part.extent[d]; ++i)
      add_dimension(part, static_cast<std::uint8_t>(d + 1), at * whole_.extent[d] + part.offset[d] + i);
  }
  Box whole_;
  std::vector<std::uint32_t> counts_;
};

Box whole_block(const std::vector<Axis>& axes) {
  Box block;
  for (const Axis& axis : axes) block.extent[block.rank++] = axis.extent;
  return block;
}

/// Cuts every axis that may be cut at random places, some blocks empty; reduction axes only if told.
std::vector<Box> partition(Rng& rng, const std::vector<Axis>& axes, bool reduction, bool single = false) {
  std::vector<Box> blocks{whole_block(axes)};
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (!axes[a].splittable || (axes[a].role == AxisRole::reduction && !reduction)) continue;
    std::multiset<std::uint32_t> cuts{0, axes[a].extent};
    for (std::uint64_t i = rng.below(4); i > 0; --i)
      cuts.insert(static_cast<std::uint32_t>(rng.below(axes[a].extent + 1)));
    for (std::uint32_t i = 1; single && i < axes[a].extent; ++i) cuts.insert(i);
    std::vector<Box> next;
    for (const Box& block : blocks)
      for (auto from = cuts.begin(), to = std::next(from); to != cuts.end(); ++from, ++to) {
        next.push_back(block);
        next.back().offset[a] = *from;
        next.back().extent[a] = *to - *from;
      }
    blocks = std::move(next);
  }
  return blocks;
}

class OperatorContract : public testing::TestWithParam<std::string> {
 protected:
  void each_case(const std::function<void(Rng&, const Graph&, std::uint32_t samples)>& check) {
    ASSERT_TRUE(cases().count(GetParam())) << "give the kind '" << GetParam() << "' random cases here";
    for (int i = 0; i < kCasesPerKind && !HasFailure(); ++i) {
      Rng rng(2024, static_cast<std::uint64_t>(i));
      Graph graph;
      cases().at(GetParam())(rng, graph);
      SCOPED_TRACE(graph.signature({OpId(0)}));
      check(rng, graph, pick(rng, {1, 2, 3, 5}));
    }
  }
};

const OperatorKind& kind(const Graph& graph) { return kind_of(graph.op(OpId(0))); }

std::uint64_t amount(const Work& work) {
  return work.unit == WorkUnit::matrix ? work.matmul.macs() : work.elements;
}

TEST_P(OperatorContract, SampleAxisComesFirstAndNamesAreDistinct) {
  each_case([](Rng&, const Graph& graph, std::uint32_t samples) {
    const std::vector<Axis> axes = kind(graph).axes(graph, OpId(0), samples);
    ASSERT_LE(axes.size(), kMaxRank);
    EXPECT_EQ(axes[0].role, AxisRole::sample);
    EXPECT_EQ(axes[0].extent, samples);
    std::set<std::string> names;
    for (const Axis& axis : axes) {
      EXPECT_TRUE(names.insert(axis.name).second) << axis.name;
      EXPECT_EQ(axis.role == AxisRole::sample, &axis == &axes[0]);
    }
  });
}

TEST_P(OperatorContract, OutputBlocksTileTheOutputs) {
  each_case([](Rng& rng, const Graph& graph, std::uint32_t samples) {
    const std::vector<Axis> axes = kind(graph).axes(graph, OpId(0), samples);
    const std::vector<Box> blocks = partition(rng, axes, false);
    for (std::size_t output = 0; output < graph.op(OpId(0)).outputs.size(); ++output) {
      Coverage coverage(graph.tensor(graph.op(OpId(0)).outputs[output]), samples);
      for (const Box& block : blocks) coverage.add(kind(graph).output_box(graph, OpId(0), output, block));
      for (const std::uint32_t count : coverage.counts()) ASSERT_EQ(count, 1u);
    }
  });
}

// What matters of an input is what the smallest blocks read: a window with gaps leaves elements out.
TEST_P(OperatorContract, InputBlocksCoverWhatIsRead) {
  each_case([](Rng& rng, const Graph& graph, std::uint32_t samples) {
    const OperatorKind& op = kind(graph);
    const std::vector<Axis> axes = op.axes(graph, OpId(0), samples);
    const std::vector<Box> blocks = partition(rng, axes, true), single = partition(rng, axes, true, true);
    for (std::size_t input = 0; input < graph.op(OpId(0)).inputs.size(); ++input) {
      const Tensor& tensor = graph.tensor(graph.op(OpId(0)).inputs[input]);
      Coverage needed(tensor, samples), read(tensor, samples), all(tensor, samples);
      for (const Box& block : single) needed.add(op.input_box(graph, OpId(0), input, block));
      for (const Box& block : blocks) read.add(op.input_box(graph, OpId(0), input, block));
      all.add(op.input_box(graph, OpId(0), input, whole_block(axes)));
      ASSERT_FALSE(testing::Test::HasFailure());
      for (std::size_t i = 0; i < all.counts().size(); ++i) {
        if (needed.counts()[i] > 0) {
          ASSERT_GT(read.counts()[i], 0u) << "input " << input;
        }
        if (read.counts()[i] > 0) {
          ASSERT_GT(all.counts()[i], 0u) << "input " << input;
        }
      }
      const bool windows = GetParam() == "conv2d" || GetParam() == "pooling";
      if (!windows) {
        EXPECT_EQ(needed.covered(), all.covered());
      }
      if (!windows && GetParam() != "select") {
        EXPECT_EQ(all.covered(), all.counts().size());
      }
    }
  });
}

TEST_P(OperatorContract, WorkOfAPartitionAddsUp) {
  each_case([](Rng& rng, const Graph& graph, std::uint32_t samples) {
    const std::vector<Axis> axes = kind(graph).axes(graph, OpId(0), samples);
    const Work whole = kind(graph).work(graph, OpId(0), whole_block(axes));
    std::uint64_t sum = 0;
    for (const Box& block : partition(rng, axes, true)) {
      const Work work = kind(graph).work(graph, OpId(0), block);
      sum += amount(work);
      if (block.empty()) continue;
      EXPECT_EQ(work.unit, whole.unit);
      EXPECT_EQ(work.vector_function, whole.vector_function);
    }
    EXPECT_EQ(sum, amount(whole));
    const std::vector<Axis> one = kind(graph).axes(graph, OpId(0), 1);
    EXPECT_EQ(amount(whole), samples * amount(kind(graph).work(graph, OpId(0), whole_block(one))));
    EXPECT_EQ(macs_per_sample(graph), whole.unit == WorkUnit::matrix ? sum / samples : 0);
  });
}

TEST_P(OperatorContract, EmptyBlocksReadWriteAndWorkNothing) {
  each_case([](Rng&, const Graph& graph, std::uint32_t samples) {
    const OperatorKind& op = kind(graph);
    const std::vector<Axis> axes = op.axes(graph, OpId(0), samples);
    for (std::size_t a = 0; a < axes.size(); ++a) {
      Box block = whole_block(axes);
      block.offset[a] = block.extent[a];
      block.extent[a] = 0;
      EXPECT_EQ(op.work(graph, OpId(0), block).unit, WorkUnit::none);
      EXPECT_EQ(amount(op.work(graph, OpId(0), block)), 0u);
      for (std::size_t i = 0; i < graph.op(OpId(0)).inputs.size(); ++i)
        EXPECT_TRUE(op.input_box(graph, OpId(0), i, block).empty())
            << "input " << i << ", axis " << axes[a].name;
      for (std::size_t o = 0; o < graph.op(OpId(0)).outputs.size(); ++o)
        EXPECT_TRUE(op.output_box(graph, OpId(0), o, block).empty()) << "output " << o;
    }
  });
}

TEST_P(OperatorContract, SamplesAreDimensionZeroOfTheirTensors) {
  each_case([](Rng&, const Graph& graph, std::uint32_t samples) {
    Box block = whole_block(kind(graph).axes(graph, OpId(0), samples + 3));
    block.offset[0] = 2;
    block.extent[0] = samples;
    const Operator& op = graph.op(OpId(0));
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
      const Tensor& tensor = graph.tensor(op.inputs[i]);
      const Box part = kind(graph).input_box(graph, OpId(0), i, block);
      ASSERT_EQ(part.rank, tensor.shape.size() + (tensor.has_samples() ? 1 : 0));
      if (!tensor.has_samples()) continue;
      EXPECT_EQ(std::pair(part.offset[0], part.extent[0]), std::pair(2u, samples));
    }
    for (std::size_t o = 0; o < op.outputs.size(); ++o) {
      const Box part = kind(graph).output_box(graph, OpId(0), o, block);
      EXPECT_EQ(std::pair(part.offset[0], part.extent[0]), std::pair(2u, samples));
    }
  });
}

INSTANTIATE_TEST_SUITE_P(AllKinds, OperatorContract, testing::ValuesIn(OperatorRegistry::instance().names()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dfsim::test
