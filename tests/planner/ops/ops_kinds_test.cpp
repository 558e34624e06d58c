// Blocks and work of single kinds, counted by hand.
#include <gtest/gtest.h>

#include "tests/planner/ops/build.h"

namespace dfsim::test {
namespace {

constexpr OpId kOp{0};

struct One {
  Graph graph;
  One(const std::string& kind, const std::vector<Shape>& shapes, Attributes attributes,
      DataType type = DataType::fp16) {
    std::vector<TensorId> inputs;
    for (const Shape& shape : shapes) inputs.push_back(add_input(graph, "x", shape, type));
    add_operator(graph, kind, inputs, std::move(attributes));
  }
  std::string in(std::size_t i, const Box& block) const {
    return kind_of(graph.op(kOp)).input_box(graph, kOp, i, block).to_string();
  }
  std::string out(const Box& block, std::size_t o = 0) const {
    return kind_of(graph.op(kOp)).output_box(graph, kOp, o, block).to_string();
  }
  Work work(const Box& block) const { return kind_of(graph.op(kOp)).work(graph, kOp, block); }
  std::vector<Axis> axes(std::uint32_t samples = 2) const {
    return kind_of(graph.op(kOp)).axes(graph, kOp, samples);
  }
  Shape shape(std::size_t o = 0) const { return graph.tensor(graph.op(kOp).outputs[o]).shape; }
};

TEST(Matmul, ABlockReadsRowsColumnsAndItsPartOfTheReduction) {
  const One one("matmul", {{10, 6}}, {{"out_features", std::int64_t{8}}});
  EXPECT_EQ(one.shape(), (Shape{10, 8}));
  const Box block = box({{1, 2}, {2, 5}, {4, 8}, {3, 6}});
  EXPECT_EQ(one.in(0, block), "[1:2,2:5,3:6]");
  EXPECT_EQ(one.in(1, block), "[3:6,4:8]");
  EXPECT_EQ(one.in(2, block), "[4:8]");
  EXPECT_EQ(one.out(block), "[1:2,2:5,4:8]");
  EXPECT_EQ(one.work(block).matmul, (MatmulWork{3, 4, 3, 1, DataType::fp16, false}));
  EXPECT_EQ(macs_per_sample(one.graph), 10u * 8 * 6);
}

TEST(Matmul, RankOneInputsHaveOneRow) {
  const One one("matmul", {{6}}, {{"out_features", std::int64_t{8}}, {"bias", false}});
  EXPECT_EQ(one.shape(), (Shape{8}));
  EXPECT_EQ(one.axes()[1].extent, 1u);
  EXPECT_EQ(one.graph.op(kOp).inputs.size(), 2u);
  const Box block = box({{0, 2}, {0, 1}, {2, 8}, {0, 6}});
  EXPECT_EQ(one.in(0, block), "[0:2,0:6]");
  EXPECT_EQ(one.out(block), "[0:2,2:8]");
  EXPECT_EQ(one.work(block).matmul.m, 2u);
}

TEST(Matmul, SaysWhatDoesNotMultiply) {
  EXPECT_EQ(infer_error("matmul", {{128, 768}},
                        {{"out_features", std::int64_t{3072}}, {"in_features", std::int64_t{512}}}),
            "matmul 'op' cannot multiply [128,768] by [512,3072]: inner sizes 768 and 512 differ");
  EXPECT_EQ(infer_error("matmul", {{2, 3, 4}}, {{"out_features", std::int64_t{8}}}),
            "matmul 'op' takes [K] or [M,K], but 'x' is [2,3,4]");
  EXPECT_EQ(infer_error("matmul", {{4}}, {{"out_features", std::int64_t{0}}}),
            "matmul 'op': out_features must be at least 1, not 0");
}

TEST(BatchedMatmul, SaysWhatDoesNotMultiply) {
  EXPECT_EQ(infer_error("batched_matmul", {{12, 384, 64}, {12, 32, 384}}, {}),
            "matmul 'op' cannot multiply [12,384,64] by [12,32,384]: inner sizes 64 and 32 differ");
  EXPECT_EQ(infer_error("batched_matmul", {{12, 384, 64}, {8, 64, 384}}, {}),
            "matmul 'op' cannot multiply [12,384,64] by [8,64,384]: 12 and 8 heads differ");
  EXPECT_EQ(infer_error("batched_matmul", {{384, 64}, {384, 64}}, {{"heads", std::int64_t{7}}}),
            "matmul 'op' cannot multiply [384,64] by [384,64]: 64 columns do not divide into 7 heads");
}

TEST(BatchedMatmul, CutsMergedOperandsByHead) {
  const One one("batched_matmul", {{128, 768}, {128, 768}},
                {{"heads", std::int64_t{12}}, {"transpose_b", true}});
  EXPECT_EQ(one.shape(), (Shape{12, 128, 128}));
  const Box block = box({{0, 2}, {3, 5}, {0, 16}, {32, 64}, {0, 64}});
  EXPECT_EQ(one.in(0, block), "[0:2,0:16,192:320]");
  EXPECT_EQ(one.in(1, block), "[0:2,32:64,192:320]");
  EXPECT_EQ(one.out(block), "[0:2,3:5,0:16,32:64]");
  EXPECT_EQ(one.work(block).matmul, (MatmulWork{16, 32, 64, 4, DataType::fp16, false}));
  EXPECT_FALSE(one.axes()[4].splittable) << "64 columns of each head lie apart";
  EXPECT_EQ(macs_per_sample(one.graph), 12u * 128 * 128 * 64);
}

TEST(BatchedMatmul, MergesHeadsIntoColumns) {
  const One one("batched_matmul", {{12, 128, 128}, {128, 768}},
                {{"heads", std::int64_t{12}}, {"merge_heads", true}});
  EXPECT_EQ(one.shape(), (Shape{128, 768}));
  const Box block = box({{0, 1}, {2, 3}, {0, 128}, {0, 64}, {0, 128}});
  EXPECT_EQ(one.in(1, block), "[0:1,0:128,128:192]");
  EXPECT_EQ(one.out(block), "[0:1,0:128,128:192]");
  EXPECT_FALSE(one.axes()[3].splittable);
  EXPECT_TRUE(one.axes()[4].splittable);
}

TEST(BatchedMatmul, MultipliesTwoPlainMatrices) {
  const One one("batched_matmul", {{4, 6}, {6, 8}}, {});
  EXPECT_EQ(one.shape(), (Shape{4, 8}));
  for (const Axis& axis : one.axes()) EXPECT_TRUE(axis.splittable) << axis.name;
  const Box block = box({{0, 1}, {0, 1}, {0, 2}, {4, 8}, {3, 6}});
  EXPECT_EQ(one.in(0, block), "[0:1,0:2,3:6]");
  EXPECT_EQ(one.in(1, block), "[0:1,3:6,4:8]");
  EXPECT_EQ(one.out(block), "[0:1,0:2,4:8]");
}

TEST(Conv2d, ReadsAHaloClippedAtTheBorder) {
  const One one("conv2d", {{3, 224, 224}},
                {{"out_channels", std::int64_t{64}},
                 {"kernel", Integers{7}},
                 {"stride", Integers{2}},
                 {"pad", Integers{3}}});
  EXPECT_EQ(one.shape(), (Shape{64, 112, 112}));
  // Output row r reads rows 2r-3 .. 2r+3.
  EXPECT_EQ(one.in(0, box({{0, 1}, {0, 64}, {0, 1}, {0, 112}, {0, 3}})), "[0:1,0:3,0:4,0:224]");
  EXPECT_EQ(one.in(0, box({{0, 1}, {0, 64}, {10, 12}, {0, 112}, {1, 3}})), "[0:1,1:3,17:26,0:224]");
  EXPECT_EQ(one.in(0, box({{0, 1}, {0, 64}, {111, 112}, {0, 112}, {0, 3}})), "[0:1,0:3,219:224,0:224]");
  const Box block = box({{0, 2}, {8, 16}, {0, 4}, {0, 112}, {1, 2}});
  EXPECT_EQ(one.in(1, block), "[8:16,1:2,0:7,0:7]");
  EXPECT_EQ(one.in(2, block), "[8:16]");
  EXPECT_EQ(one.out(block), "[0:2,8:16,0:4,0:112]");
  EXPECT_EQ(one.work(block).matmul, (MatmulWork{2 * 4 * 112, 8, 49, 1, DataType::fp16, false}));
}

TEST(Conv2d, TakesWholeGroups) {
  const One one("conv2d", {{8, 5, 5}},
                {{"out_channels", std::int64_t{12}}, {"kernel", Integers{3}}, {"groups", std::int64_t{4}}});
  EXPECT_FALSE(one.axes()[4].splittable);
  const Box aligned = box({{0, 1}, {3, 9}, {0, 3}, {0, 3}, {0, 2}});
  EXPECT_EQ(one.in(0, aligned), "[0:1,2:6,0:5,0:5]");
  EXPECT_EQ(one.work(aligned).matmul, (MatmulWork{9, 3, 18, 2, DataType::fp16, false}));
  const Box across = box({{0, 1}, {2, 7}, {0, 3}, {0, 3}, {0, 2}});
  EXPECT_EQ(one.in(0, across), "[0:1,0:6,0:5,0:5]");
  EXPECT_EQ(one.work(across).matmul.macs(), 9u * 5 * 18);
}

TEST(Conv2d, SaysWhatDoesNotFit) {
  const auto error = [](Shape x, std::int64_t kernel, std::int64_t pad, std::int64_t groups) {
    return infer_error("conv2d", {x},
                       {{"out_channels", std::int64_t{4}},
                        {"kernel", Integers{kernel}},
                        {"pad", Integers{pad}},
                        {"groups", groups}});
  };
  EXPECT_EQ(error({3, 4, 4}, 5, 0, 1), "conv2d 'op': a window of 5 rows does not fit into 4 with pad 0");
  EXPECT_EQ(error({3, 4, 4}, 1, 1, 1), "conv2d 'op': pad 1 must be less than the kernel's 1");
  EXPECT_EQ(error({3, 4, 4}, 1, 0, 2),
            "conv2d 'op': 3 input and 4 output channels do not divide into 2 groups");
  EXPECT_EQ(error({3, 4, 4}, 0, 0, 1), "conv2d 'op': kernel must be from 1 to 1048576, not 0");
}

TEST(Pooling, CountsOneStepPerWindowElement) {
  const One one("pooling", {{64, 112, 112}},
                {{"function", std::string("max")},
                 {"kernel", Integers{3}},
                 {"stride", Integers{2}},
                 {"pad", Integers{1}}});
  EXPECT_EQ(one.shape(), (Shape{64, 56, 56}));
  const Box block = box({{0, 1}, {0, 8}, {7, 14}, {0, 56}});
  EXPECT_EQ(one.in(0, block), "[0:1,0:8,13:28,0:112]");
  EXPECT_EQ(one.work(block).elements, 8u * 7 * 56 * 9);
  EXPECT_EQ(one.work(block).vector_function, "max_pool");
  const One global("pooling", {{2048, 7, 7}}, {{"function", std::string("average")}, {"global", true}});
  EXPECT_EQ(global.shape(), (Shape{2048}));
  EXPECT_EQ(global.in(0, box({{0, 1}, {8, 16}})), "[0:1,8:16,0:7,0:7]");
  EXPECT_EQ(global.work(box({{0, 1}, {8, 16}})).elements, 8u * 49);
  EXPECT_EQ(global.work(box({{0, 1}, {8, 16}})).vector_function, "average_pool");
}

TEST(Elementwise, ParameterAxesSelectTheirSlice) {
  const One one("elementwise", {{128, 768}}, {{"function", std::string("add")}, {"parameter", true}});
  EXPECT_EQ(one.axes()[1].role, AxisRole::feature);
  EXPECT_EQ(one.in(1, box({{0, 2}, {16, 32}, {0, 768}})), "[16:32,0:768]");
  EXPECT_TRUE(kind_of(one.graph.op(kOp)).in_place());
  const One row("elementwise", {{128, 768}},
                {{"function", std::string("mul")}, {"parameter", true}, {"parameter_shape", Integers{768}}});
  EXPECT_EQ(row.axes()[1].role, AxisRole::parallel);
  EXPECT_EQ(row.in(1, box({{0, 2}, {16, 32}, {8, 16}})), "[8:16]");
  const One norm("elementwise", {{64, 7, 7}}, {{"function", std::string("batch_norm")}});
  EXPECT_EQ(norm.in(2, box({{0, 1}, {8, 16}, {0, 7}, {3, 7}})), "[8:16,0:1,0:1]");
}

TEST(Elementwise, SaysWhatDoesNotStretch) {
  EXPECT_EQ(infer_error("elementwise", {{128, 768}, {128}}, {{"function", std::string("add")}}),
            "elementwise 'op' cannot add [128,768] and [128]: the second does not stretch to the first");
  EXPECT_EQ(infer_error("elementwise", {{128, 768}}, {{"function", std::string("add")}}),
            "elementwise 'op': add takes 2 operands, not 1");
  EXPECT_EQ(infer_error("elementwise", {{8}, {8}}, {{"function", std::string("relu")}}),
            "elementwise 'op': relu takes 1 operand, not 2");
}

TEST(Normalization, KeepsTheLastDimensionWhole) {
  for (const char* kind : {"softmax", "layer_norm"}) {
    const One one(kind, {{12, 128, 96}}, {});
    EXPECT_FALSE(one.axes().back().splittable);
    EXPECT_TRUE(one.axes()[2].splittable);
    EXPECT_EQ(one.work(box({{0, 1}, {0, 3}, {0, 8}, {0, 96}})).elements, 3u * 8 * 96);
    EXPECT_EQ(one.work(box({{0, 1}, {0, 3}, {0, 8}, {0, 96}})).vector_function, kind);
  }
}

TEST(Embedding, MayReadAnyRow) {
  const One one("embedding", {{128}}, {{"rows", std::int64_t{30522}}, {"columns", std::int64_t{768}}},
                DataType::int32);
  const Box block = box({{0, 2}, {16, 32}, {0, 768}});
  EXPECT_EQ(one.in(0, block), "[0:2,16:32]");
  EXPECT_EQ(one.in(1, block), "[0:30522,0:768]");
  EXPECT_EQ(one.work(block).unit, WorkUnit::none);
  EXPECT_EQ(one.graph.weight_bytes(), 0u);
}

TEST(Reshape, CutsOnlyWhereABlockIsABoxOfTheInput) {
  const One heads("reshape", {{128, 768}}, {{"shape", Integers{128, 12, 64}}});
  EXPECT_TRUE(heads.axes()[1].splittable);
  EXPECT_TRUE(heads.axes()[2].splittable);
  EXPECT_FALSE(heads.axes()[3].splittable);
  EXPECT_EQ(heads.in(0, box({{0, 1}, {8, 16}, {3, 5}, {0, 64}})), "[0:1,8:16,192:320]");
  const One flat("reshape", {{512, 7, 7}}, {{"shape", Integers{-1}}});
  EXPECT_EQ(flat.shape(), (Shape{25088}));
  EXPECT_FALSE(flat.axes()[1].splittable);
  const One rows("reshape", {{12, 5}}, {{"shape", Integers{4, 15}}});
  EXPECT_TRUE(rows.axes()[1].splittable) << "a row of the output is three rows of the input";
  EXPECT_EQ(rows.in(0, box({{0, 1}, {1, 3}, {0, 15}})), "[0:1,3:9,0:5]");
  EXPECT_EQ(infer_error("reshape", {{12, 5}}, {{"shape", Integers{7, -1}}}),
            "reshape 'op' cannot turn [12,5] into [7,-1]: the number of elements differs");
}

TEST(DataMovement, ConcatAndSplitTouchOnlyTheirRange) {
  const One concat("concat", {{4, 3}, {4, 5}}, {{"axis", std::int64_t{1}}});
  EXPECT_EQ(concat.shape(), (Shape{4, 8}));
  EXPECT_EQ(concat.in(0, box({{0, 1}, {0, 4}, {2, 6}})), "[0:1,0:4,2:3]");
  EXPECT_EQ(concat.in(1, box({{0, 1}, {0, 4}, {2, 6}})), "[0:1,0:4,0:3]");
  EXPECT_EQ(concat.in(0, box({{0, 1}, {0, 4}, {3, 6}})), "[0:0,0:0,0:0]");
  const One split("split", {{4, 9}}, {{"axis", std::int64_t{1}}, {"parts", std::int64_t{3}}});
  EXPECT_EQ(split.shape(2), (Shape{4, 3}));
  EXPECT_EQ(split.out(box({{0, 1}, {0, 4}, {2, 4}}), 0), "[0:1,0:4,2:3]");
  EXPECT_EQ(split.out(box({{0, 1}, {0, 4}, {2, 4}}), 1), "[0:1,0:4,0:1]");
  EXPECT_EQ(split.out(box({{0, 1}, {0, 4}, {2, 4}}), 2), "[0:0,0:0,0:0]");
}

TEST(DataMovement, SelectAndTransposeMoveOffsets) {
  const One first("select", {{128, 768}}, {{"index", std::int64_t{0}}});
  EXPECT_EQ(first.shape(), (Shape{768}));
  EXPECT_EQ(first.in(0, box({{0, 2}, {8, 16}})), "[0:2,0:1,8:16]");
  const One range("select", {{512, 768}}, {{"range", Integers{5, 9}}});
  EXPECT_EQ(range.shape(), (Shape{4, 768}));
  EXPECT_EQ(range.in(0, box({{0, 2}, {1, 3}, {0, 768}})), "[0:2,6:8,0:768]");
  const One turned("transpose", {{2, 3, 5}}, {{"permutation", Integers{2, 0, 1}}});
  EXPECT_EQ(turned.shape(), (Shape{5, 2, 3}));
  EXPECT_EQ(turned.in(0, box({{0, 1}, {1, 4}, {0, 2}, {2, 3}})), "[0:1,0:2,2:3,1:4]");
}

TEST(KindOf, RefusesAnUnknownKind) {
  EXPECT_THROW(kind_of(Operator{"x", "no_such_kind", {}, {}, {}, {}}), SimulationError);
}

}  // namespace
}  // namespace dfsim::test
