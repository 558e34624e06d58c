// Where the graph may be cut, and which boxes straight cuts make.
#include <gtest/gtest.h>

#include "planner/inter_stage/segments.h"
#include "planner/inter_stage/shapes.h"
#include "tests/planner/inter_stage/table_cost.h"

namespace dfsim {
namespace {

using testing::chain;

/// A graph from rows of (inputs by tensor number, bytes of the output); tensor 0 is the input.
class GraphBuilder {
 public:
  GraphBuilder() { add_tensor(TensorRole::input, 16, "in"); }
  GraphBuilder& op(const std::vector<std::uint32_t>& inputs, std::uint32_t bytes) {
    const TensorId out = add_tensor(TensorRole::activation, bytes, "t" + std::to_string(count_));
    Operator op;
    op.name = "op" + std::to_string(count_++);
    op.kind = "layer";
    for (const std::uint32_t input : inputs) op.inputs.push_back(TensorId(input));
    op.outputs = {out};
    graph.add_operator(std::move(op));
    return *this;
  }
  Graph graph;

 private:
  TensorId add_tensor(TensorRole role, std::uint32_t bytes, const std::string& name) {
    Tensor tensor;
    tensor.name = name;
    tensor.type = DataType::int8;
    tensor.role = role;
    tensor.shape = {bytes};
    return graph.add_tensor(std::move(tensor));
  }
  std::uint32_t count_ = 0;
};

TEST(Segments, CutsAChainEverywhere) {
  const Segments segments(chain({1, 2, 3}));
  ASSERT_EQ(segments.count(), 3u);
  EXPECT_EQ(segments.cut(1).first, 1u);
  EXPECT_EQ(segments.cut(1).live_bytes, 16u);
  EXPECT_EQ(segments.operators(1, 3), (std::vector<OpId>{OpId(1), OpId(2)}));
}

TEST(Segments, CutsOnlyAtBlockBoundariesIfThereAreEnough) {
  GraphBuilder build;  // residual blocks: t = f(x), y = x + t
  build.op({0}, 64);
  for (std::uint32_t block = 0; block < 4; ++block)
    build.op({1 + 2 * block}, 64).op({1 + 2 * block, 2 + 2 * block}, 64);
  const Segments narrow(build.graph, {.most_cuts = 40, .enough_single_cuts = 4});
  EXPECT_EQ(narrow.count(), 5u);  // after the first operator and after the first three blocks
  for (std::uint32_t i = 1; i < narrow.count(); ++i) EXPECT_EQ(narrow.cut(i).live_tensors, 1u);
  const Segments wide(build.graph, {.most_cuts = 40, .enough_single_cuts = 5});
  EXPECT_EQ(wide.count(), 9u);  // also inside the blocks, where two tensors cross
}

TEST(Segments, KeepsTheCheapestCuts) {
  GraphBuilder build;
  const std::vector<std::uint32_t> bytes{64, 32, 64, 8, 64, 16};
  for (std::uint32_t i = 0; i < bytes.size(); ++i) build.op({i}, bytes[i]);
  const Segments segments(build.graph, {.most_cuts = 2, .enough_single_cuts = 1});
  ASSERT_EQ(segments.count(), 3u);
  EXPECT_EQ(segments.cut(1).live_bytes, 32u);
  EXPECT_EQ(segments.cut(2).live_bytes, 8u);
  EXPECT_TRUE(segments.cut(1).changes_size);
}

TEST(Segments, NeverCutBetweenIndependentOperators) {
  GraphBuilder build;  // op0 -> op1, op2, op3
  build.op({0}, 16).op({1}, 16).op({1}, 16).op({1}, 16);
  const Segments segments(build.graph);
  ASSERT_EQ(segments.count(), 2u);
  EXPECT_EQ(segments.cut(1).first, 1u);
}

TEST(ShapeTable, CutsSmallCasesEverywhere) {
  const ShapeTable shapes(Extent{4, 4, 1}, true);
  EXPECT_EQ(shapes.count(), 15u);  // all but 1x1, which would make more than eight groups
  EXPECT_EQ(shapes.cuts(0).size(), 6u);
}

TEST(ShapeTable, CutsOthersAtUsefulPlaces) {
  const ShapeTable shapes(Extent{8, 8, 1}, false);
  std::vector<std::uint32_t> positions;
  for (const BoxCut& cut : shapes.cuts(0)) {
    EXPECT_EQ(cut.axis, 1u);  // rows, so that every part keeps both ends of its rows
    positions.push_back(cut.position);
  }
  EXPECT_EQ(positions, (std::vector<std::uint32_t>{2, 4, 6}));
  for (std::uint32_t i = 0; i < shapes.count(); ++i) EXPECT_GE(shapes.pes(i), 16u);
  EXPECT_EQ(shapes.count(), 9u);  // 8x8, 8x6, 8x4, 8x2, 6x6, 4x6 ...
  EXPECT_EQ(ShapeTable(Extent{16, 16, 1}, false).count(), 28u);
  EXPECT_EQ(ShapeTable(Extent{6, 6, 1}, false).cuts(0).size(), 3u);  // half and thirds
}

}  // namespace
}  // namespace dfsim
