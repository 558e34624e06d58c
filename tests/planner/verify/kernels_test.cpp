// What the kernels compute, against loops written down here from the definitions, in double precision.
#include "planner/verify/kernel.h"

#include <gtest/gtest.h>

#include <cmath>

#include "planner/ops/operator.h"
#include "planner/verify/reference.h"
#include "tests/planner/ops/build.h"

namespace dfsim {

namespace {

using namespace test;

constexpr std::uint32_t kSamples = 2;

/// Reference values of a graph, read by index.
class Values {
 public:
  explicit Values(const Graph& graph) : graph_(graph), reference_(graph, kSamples, 7) {}

  double operator()(TensorId tensor, std::vector<std::uint32_t> index) const {
    const Box& box = reference_.stored_box(tensor);
    EXPECT_EQ(index.size(), box.rank);
    std::uint64_t at = 0;
    for (std::size_t d = 0; d < index.size(); ++d) {
      EXPECT_LT(index[d], box.extent[d]);
      at = at * box.extent[d] + index[d];
    }
    return reference_.values(tensor)[at];
  }
  TensorId input(OpId op, std::size_t i) const { return graph_.op(op).inputs[i]; }
  TensorId output(OpId op, std::size_t i = 0) const { return graph_.op(op).outputs[i]; }
  const Reference& reference() const { return reference_; }

 private:
  const Graph& graph_;
  Reference reference_;
};

TEST(Kernels, EveryKindOfOperatorHasOne) {
  for (const std::string& kind : OperatorRegistry::instance().names())
    EXPECT_NE(KernelRegistry::instance().find(kind), nullptr) << kind;
}

TEST(Kernels, MatmulAddsProductsAndBias) {
  Graph graph;
  const OpId op =
      add_operator(graph, "matmul", {add_input(graph, "x", {3, 5})}, {{"out_features", std::int64_t{4}}});
  const Values v(graph);
  for (std::uint32_t s = 0; s < kSamples; ++s)
    for (std::uint32_t m = 0; m < 3; ++m)
      for (std::uint32_t n = 0; n < 4; ++n) {
        double sum = v(v.input(op, 2), {n});
        for (std::uint32_t k = 0; k < 5; ++k) sum += v(v.input(op, 0), {s, m, k}) * v(v.input(op, 1), {k, n});
        EXPECT_NEAR(v(v.output(op), {s, m, n}), sum, 1e-5);
      }
}

TEST(Kernels, BatchedMatmulTakesHeadsFromColumns) {
  Graph graph;
  const std::uint32_t heads = 3, rows = 4, inner = 2, columns = 5;
  const TensorId a = add_input(graph, "a", {rows, heads * inner});
  const TensorId b = add_input(graph, "b", {columns, heads * inner});
  const OpId op = add_operator(
      graph, "batched_matmul", {a, b},
      {{"heads", std::int64_t{heads}}, {"transpose_b", true}, {"merge_heads", true}, {"scale", 0.25}});
  const Values v(graph);
  for (std::uint32_t h = 0; h < heads; ++h)
    for (std::uint32_t m = 0; m < rows; ++m)
      for (std::uint32_t n = 0; n < columns; ++n) {
        double sum = 0;
        for (std::uint32_t k = 0; k < inner; ++k)
          sum += v(a, {1, m, h * inner + k}) * v(b, {1, n, h * inner + k});
        EXPECT_NEAR(v(v.output(op), {1, m, h * columns + n}), 0.25 * sum, 1e-5);
      }
}

TEST(Kernels, BatchedMatmulTakesHeadsFromTheFirstDimension) {
  Graph graph;
  const TensorId a = add_input(graph, "a", {3, 4, 2}), b = add_input(graph, "b", {3, 2, 5});
  const OpId op = add_operator(graph, "batched_matmul", {a, b}, {});
  const Values v(graph);
  for (std::uint32_t h = 0; h < 3; ++h)
    for (std::uint32_t m = 0; m < 4; ++m)
      for (std::uint32_t n = 0; n < 5; ++n)
        EXPECT_NEAR(v(v.output(op), {0, h, m, n}),
                    v(a, {0, h, m, 0}) * v(b, {0, h, 0, n}) + v(a, {0, h, m, 1}) * v(b, {0, h, 1, n}), 1e-5);
}

TEST(Kernels, ConvolutionHasGroupsStrideAndBorder) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {4, 5, 6});
  const OpId op = add_operator(graph, "conv2d", {x},
                               {{"out_channels", std::int64_t{6}},
                                {"kernel", Integers{3, 2}},
                                {"stride", Integers{2, 1}},
                                {"pad", Integers{1, 1}},
                                {"groups", std::int64_t{2}}});
  const Values v(graph);
  const TensorId weight = v.input(op, 1);
  for (std::uint32_t s = 0; s < kSamples; ++s)
    for (std::uint32_t n = 0; n < 6; ++n)
      for (std::uint32_t r = 0; r < 3; ++r)
        for (std::uint32_t q = 0; q < 7; ++q) {
          double sum = v(v.input(op, 2), {n});
          for (std::uint32_t c = 0; c < 2; ++c)
            for (std::uint32_t i = 0; i < 3; ++i)
              for (std::uint32_t j = 0; j < 2; ++j) {
                const int row = static_cast<int>(2 * r + i) - 1, column = static_cast<int>(q + j) - 1;
                if (row < 0 || row >= 5 || column < 0 || column >= 6) continue;
                sum += v(x, {s, n / 3 * 2 + c, static_cast<std::uint32_t>(row),
                             static_cast<std::uint32_t>(column)}) *
                       v(weight, {n, c, i, j});
              }
          EXPECT_NEAR(v(v.output(op), {s, n, r, q}), sum, 1e-5);
        }
}

TEST(Kernels, PoolingIgnoresTheBorderInMaximaAndCountsItInAverages) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {3, 5, 4});
  const Attributes window{{"kernel", std::int64_t{3}}, {"stride", std::int64_t{2}}, {"pad", std::int64_t{1}}};
  Attributes maximum = window, average = window;
  maximum["function"] = std::string("max");
  average["function"] = std::string("average");
  const OpId largest = add_operator(graph, "pooling", {x}, maximum, "largest");
  const OpId mean = add_operator(graph, "pooling", {x}, average, "mean");
  const OpId global =
      add_operator(graph, "pooling", {x}, {{"function", std::string("average")}, {"global", true}}, "global");
  const Values v(graph);
  for (std::uint32_t c = 0; c < 3; ++c) {
    for (int r = 0; r < 3; ++r)
      for (int q = 0; q < 2; ++q) {
        double most = -1e30, sum = 0;
        for (int row = std::max(0, 2 * r - 1); row < std::min(5, 2 * r + 2); ++row)
          for (int column = std::max(0, 2 * q - 1); column < std::min(4, 2 * q + 2); ++column) {
            const double value =
                v(x, {1, c, static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column)});
            most = std::max(most, value);
            sum += value;
          }
        const std::vector<std::uint32_t> at{1, c, static_cast<std::uint32_t>(r),
                                            static_cast<std::uint32_t>(q)};
        EXPECT_DOUBLE_EQ(v(v.output(largest), at), most);
        EXPECT_NEAR(v(v.output(mean), at), sum / 9, 1e-6);
      }
    double sum = 0;
    for (std::uint32_t row = 0; row < 5; ++row)
      for (std::uint32_t column = 0; column < 4; ++column) sum += v(x, {1, c, row, column});
    EXPECT_NEAR(v(v.output(global), {1, c}), sum / 20, 1e-6);
  }
}

TEST(Kernels, ElementwiseStretchesTheSecondOperand) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {3, 4, 5}), y = add_input(graph, "y", {4, 1});
  const OpId sub = add_operator(graph, "elementwise", {x, y}, {{"function", std::string("sub")}}, "sub");
  const OpId div = add_operator(
      graph, "elementwise", {x},
      {{"function", std::string("div")}, {"parameter", true}, {"parameter_shape", Integers{3, 1, 5}}}, "div");
  const OpId norm =
      add_operator(graph, "elementwise", {x}, {{"function", std::string("batch_norm")}}, "norm");
  const Values v(graph);
  for (std::uint32_t a = 0; a < 3; ++a)
    for (std::uint32_t b = 0; b < 4; ++b)
      for (std::uint32_t c = 0; c < 5; ++c) {
        const double value = v(x, {1, a, b, c});
        EXPECT_NEAR(v(v.output(sub), {1, a, b, c}), value - v(y, {1, b, 0}), 1e-6);
        EXPECT_NEAR(v(v.output(div), {1, a, b, c}), value / v(v.input(div, 1), {a, 0, c}), 1e-5);
        EXPECT_NEAR(v(v.output(norm), {1, a, b, c}),
                    value * v(v.input(norm, 1), {a, 0, 0}) + v(v.input(norm, 2), {a, 0, 0}), 1e-6);
      }
}

TEST(Kernels, ElementwiseFunctionsAreTheirDefinitions) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {50});
  const auto unary = [&](const std::string& name, double factor = 1) {
    Attributes attributes{{"function", name}};
    if (name == "scale") attributes["factor"] = factor;
    return graph.op(add_operator(graph, "elementwise", {x}, attributes, name)).outputs[0];
  };
  const TensorId relu = unary("relu"), gelu = unary("gelu"), tanh = unary("tanh"), sigmoid = unary("sigmoid"),
                 exp = unary("exp"), scale = unary("scale", -3);
  const Values v(graph);
  for (std::uint32_t i = 0; i < 50; ++i) {
    const double value = v(x, {0, i});
    EXPECT_NEAR(v(relu, {0, i}), std::max(value, 0.0), 1e-7);
    EXPECT_NEAR(v(gelu, {0, i}), value * 0.5 * std::erfc(-value / std::sqrt(2.0)), 1e-6);
    EXPECT_NEAR(v(tanh, {0, i}), std::tanh(value), 1e-6);
    EXPECT_NEAR(v(sigmoid, {0, i}), 1 / (1 + std::exp(-value)), 1e-6);
    EXPECT_NEAR(v(exp, {0, i}), std::exp(value), 1e-5);
    EXPECT_NEAR(v(scale, {0, i}), -3 * value, 1e-6);
  }
}

TEST(Kernels, SoftmaxAndLayerNormWorkOnRows) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {3, 7});
  const OpId softmax = add_operator(graph, "softmax", {x}, {}, "softmax");
  const OpId norm = add_operator(graph, "layer_norm", {x}, {{"epsilon", 0.5}}, "norm");
  const Values v(graph);
  for (std::uint32_t r = 0; r < 3; ++r) {
    double sum = 0, mean = 0, variance = 0;
    for (std::uint32_t i = 0; i < 7; ++i) sum += std::exp(v(x, {0, r, i})), mean += v(x, {0, r, i}) / 7;
    for (std::uint32_t i = 0; i < 7; ++i) variance += std::pow(v(x, {0, r, i}) - mean, 2) / 7;
    for (std::uint32_t i = 0; i < 7; ++i) {
      EXPECT_NEAR(v(v.output(softmax), {0, r, i}), std::exp(v(x, {0, r, i})) / sum, 1e-6);
      EXPECT_NEAR(v(v.output(norm), {0, r, i}),
                  (v(x, {0, r, i}) - mean) / std::sqrt(variance + 0.5) * v(v.input(norm, 1), {i}) +
                      v(v.input(norm, 2), {i}),
                  1e-5);
    }
  }
}

TEST(Kernels, MovementPutsElementsWhereTheyBelong) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {2, 3, 4}), y = add_input(graph, "y", {2, 5, 4});
  const OpId reshape = add_operator(graph, "reshape", {x}, {{"shape", Integers{4, 6}}}, "reshape");
  const OpId transpose =
      add_operator(graph, "transpose", {x}, {{"permutation", Integers{2, 0, 1}}}, "transpose");
  const OpId concat = add_operator(graph, "concat", {x, y}, {{"axis", std::int64_t{1}}}, "concat");
  const OpId split =
      add_operator(graph, "split", {y}, {{"axis", std::int64_t{1}}, {"sizes", Integers{2, 3}}}, "split");
  const OpId row = add_operator(graph, "select", {x}, {{"index", std::int64_t{1}}}, "row");
  const OpId range = add_operator(graph, "select", {y}, {{"range", Integers{1, 2}}}, "range");
  const OpId copy = add_operator(graph, "copy", {x}, {}, "copy");
  const Values v(graph);
  for (std::uint32_t a = 0; a < 2; ++a)
    for (std::uint32_t b = 0; b < 8; ++b)
      for (std::uint32_t c = 0; c < 4; ++c) {
        if (b < 3) {
          const double value = v(x, {1, a, b, c});
          const std::uint32_t flat = (a * 3 + b) * 4 + c;
          EXPECT_EQ(v(v.output(reshape), {1, flat / 6, flat % 6}), value);
          EXPECT_EQ(v(v.output(transpose), {1, c, a, b}), value);
          EXPECT_EQ(v(v.output(concat), {1, a, b, c}), value);
          EXPECT_EQ(v(v.output(copy), {1, a, b, c}), value);
          if (a == 1) {
            EXPECT_EQ(v(v.output(row), {1, b, c}), value);
          }
        } else {
          const double value = v(y, {1, a, b - 3, c});
          EXPECT_EQ(v(v.output(concat), {1, a, b, c}), value);
          EXPECT_EQ(b < 5 ? v(v.output(split, 0), {1, a, b - 3, c}) : v(v.output(split, 1), {1, a, b - 5, c}),
                    value);
          if (a == 1) {
            EXPECT_EQ(v(v.output(range), {1, 0, b - 3, c}), value);
          }
        }
      }
}

TEST(Kernels, EmbeddingTakesTheRowsThatTheNumbersName) {
  Graph graph;
  const TensorId ids = add_input(graph, "ids", {6}, DataType::int32);
  const OpId op =
      add_operator(graph, "embedding", {ids}, {{"rows", std::int64_t{5}}, {"columns", std::int64_t{3}}});
  const Values v(graph);
  bool differ = false;
  for (std::uint32_t i = 0; i < 6; ++i) {
    const double number = v(ids, {1, i});
    ASSERT_GE(number, 0);
    ASSERT_LT(number, 5);
    differ = differ || number != v(ids, {0, 0});
    const std::vector<float> row =
        v.reference().table_row(v.input(op, 1), static_cast<std::uint32_t>(number));
    for (std::uint32_t c = 0; c < 3; ++c) EXPECT_EQ(v(v.output(op), {1, i, c}), row[c]);
  }
  EXPECT_TRUE(differ);
}

TEST(Reference, WeightsHaveTheVarianceThatTheirFanInAsksFor) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {400});
  const OpId plain = add_operator(graph, "matmul", {x}, {{"out_features", std::int64_t{300}}}, "plain");
  const OpId before = add_operator(graph, "matmul", {x}, {{"out_features", std::int64_t{300}}}, "before");
  add_operator(graph, "elementwise", {graph.op(before).outputs[0]}, {{"function", std::string("relu")}},
               "relu");
  const Reference reference(graph, kSamples, 3);
  const auto variance = [&](OpId op) {
    double sum = 0;
    const std::vector<float>& weight = reference.values(graph.op(op).inputs[1]);
    for (const float w : weight) sum += double{w} * w;
    return sum / static_cast<double>(weight.size());
  };
  // 120,000 draws: the standard error of the variance is sqrt(2 / 120000) = 0.4 %.
  EXPECT_NEAR(variance(plain) * 400, 1, 0.02);
  EXPECT_NEAR(variance(before) * 400, 2, 0.04);
}

TEST(Reference, ValuesFollowFromTheSeedAlone) {
  Graph graph;
  const TensorId x = add_input(graph, "x", {9});
  const TensorId y =
      graph.op(add_operator(graph, "matmul", {x}, {{"out_features", std::int64_t{4}}})).outputs[0];
  const Reference first(graph, 2, 1), again(graph, 2, 1), other(graph, 2, 2);
  EXPECT_EQ(first.values(y), again.values(y));
  EXPECT_NE(first.values(x), other.values(x));
  EXPECT_NE(first.values(y), other.values(y));
}

}  // namespace

}  // namespace dfsim
