// Case P5 of the planner's known answers: how a matrix product is best split over PEs. Both operands are
// activations spread evenly over the PEs, one byte each; partial sums have four bytes. Bytes that one PE must
// receive for the grid Pr x Pc x Pk: MK/(Pr Pk) (1-1/Pc) + KN/(Pk Pc) (1-1/Pr) + 4 MN/(Pr Pc) (1-1/Pk).
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "planner/intra_stage/operator_candidates.h"
#include "planner/intra_stage/spatial_split.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {
namespace {

using namespace test;

using Grid = std::vector<std::uint32_t>;  ///< rows, columns, reduction

struct Case {
  std::uint32_t m, n, k, pes;
  std::set<Grid> best;
  double bytes;
  double next;  ///< of the next best grid; 0: not stated
};

const std::vector<Case> kCases{
    {256, 256, 256, 4, {{2, 2, 1}}, 32768, 49152},
    {4096, 256, 256, 4, {{4, 1, 1}}, 49152, 278528},
    {256, 4096, 256, 4, {{1, 4, 1}}, 49152, 278528},
    {256, 256, 4096, 4, {{1, 1, 4}}, 196608, 327680},
    {64, 64, 65536, 4, {{1, 1, 4}}, 12288, 1052672},
    {256, 256, 256, 16, {{4, 4, 1}}, 24576, 0},
    {4096, 256, 256, 16, {{16, 1, 1}}, 61440, 0},
    {256, 4096, 256, 16, {{1, 16, 1}}, 61440, 0},
    {256, 256, 4096, 16, {{1, 2, 8}, {2, 1, 8}, {2, 2, 4}}, 180224, 0},
    {64, 64, 65536, 16, {{1, 1, 16}}, 15360, 0},
};

struct Product {
  Graph graph;
  std::vector<Axis> axes;
  OpId op;
  Product(std::uint32_t m, std::uint32_t n, std::uint32_t k) {
    const TensorId a = add_input(graph, "a", {1, m, k}, DataType::int8);
    const TensorId b = add_input(graph, "b", {1, k, n}, DataType::int8);
    op = add_operator(graph, "batched_matmul", {a, b}, {{"heads", std::int64_t{1}}}, "product",
                      TensorRole::output);
    axes = kind_of(graph.op(op)).axes(graph, op, 1);
  }
  /// Parts of rows, columns and reduction: the last three axes.
  Grid grid(const std::vector<std::uint32_t>& parts) const { return {parts.end() - 3, parts.end()}; }
};

TEST(SplitCases, P5TheSplitWithLeastTrafficIsTheKnownGrid) {
  const HardwareSpec hardware = chip("mesh4x4.yaml");
  for (const Case& known : kCases) {
    const Product product(known.m, known.n, known.k);
    std::map<double, std::set<Grid>> by_bytes;
    for (const SpatialSplit& split :
         rated_splits(product.graph, hardware, {product.op, 1, known.pes, 32, false, 0})) {
      const Grid grid = product.grid(split.parts);
      if (grid[0] * grid[1] * grid[2] == known.pes) by_bytes[split.traffic() * 32].insert(grid);
    }
    ASSERT_GE(by_bytes.size(), 2u);
    EXPECT_EQ(by_bytes.begin()->first, known.bytes) << known.m << " " << known.n << " " << known.k;
    EXPECT_EQ(by_bytes.begin()->second, known.best) << known.m << " " << known.n << " " << known.k;
    if (known.next > 0) {
      EXPECT_EQ(std::next(by_bytes.begin())->first, known.next)
          << known.m << " " << known.n << " " << known.k;
    }
  }
}

TEST(SplitCases, P5TheBestOfItsPatternIsTheKnownGrid) {
  const HardwareSpec hardware = chip("mesh4x4.yaml");
  for (const Case& known : kCases) {
    const Product product(known.m, known.n, known.k);
    const auto splits = rated_splits(product.graph, hardware, {product.op, 1, known.pes, 32, false, 0});
    bool formed = false;
    for (const SpatialSplit& split : best_by_pattern(product.axes, splits, 16, 1e9))
      formed |= known.best.contains(product.grid(split.parts));
    EXPECT_TRUE(formed) << known.m << " " << known.n << " " << known.k << " on " << known.pes;
  }
}

}  // namespace
}  // namespace dfsim
