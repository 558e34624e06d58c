// Candidates of operators: legal on odd shapes and groups, aligned where they should be, whole folds.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "planner/intra_stage/operator_candidates.h"
#include "planner/intra_stage/spatial_split.h"
#include "planner/intra_stage/temporal_split.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {

namespace {

using namespace test;

StageClasses form(const Graph& graph, const HardwareSpec& hardware, const StageProposal& proposal,
                  std::uint32_t samples, bool resident = false) {
  return form_candidates(graph, hardware, {&proposal, samples, resident, 0});
}

void expect_legal(const Graph& graph, const StageProposal& proposal, const StageClasses& formed,
                  std::uint32_t samples) {
  std::set<OpId> covered;
  for (const OperatorClass& one : formed.classes) {
    covered.insert(one.members.begin(), one.members.end());
    const std::vector<Axis> axes =
        kind_of(graph.op(one.representative())).axes(graph, one.representative(), samples);
    ASSERT_FALSE(one.candidates.empty()) << graph.op(one.representative()).name;
    EXPECT_LE(one.candidates.size(), 10u);
    std::set<OperatorCandidate> different(one.candidates.begin(), one.candidates.end());
    EXPECT_EQ(different.size(), one.candidates.size());
    for (const OperatorCandidate& candidate : one.candidates) {
      ASSERT_EQ(candidate.spatial.size(), axes.size());
      ASSERT_EQ(candidate.temporal.size(), axes.size());
      EXPECT_LE(candidate.spatial_parts(), proposal.group.size());
      std::vector<std::uint32_t> nesting = candidate.nesting, all(axes.size());
      std::iota(all.begin(), all.end(), 0u);
      std::sort(nesting.begin(), nesting.end());
      EXPECT_EQ(nesting, all);
      for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        EXPECT_GE(candidate.spatial[axis], 1u);
        EXPECT_LE(candidate.spatial[axis], axes[axis].splittable ? axes[axis].extent : 1u);
        EXPECT_GE(candidate.temporal[axis], 1u);
        EXPECT_LE(candidate.temporal[axis], ceil_div(axes[axis].extent, candidate.spatial[axis]));
      }
    }
  }
  EXPECT_EQ(covered.size(), proposal.operators.size());
}

TEST(Candidates, AreLegalOnPrimesAndOddGroups) {
  const HardwareSpec hardware = chip("mesh8x8.yaml");
  const std::vector<PeGroup> groups{rectangle(0, 0, 1, 1), rectangle(0, 0, 3, 1), rectangle(1, 2, 3, 5),
                                    rectangle(0, 0, 7, 7), rectangle(0, 0, 8, 8)};
  for (const std::uint32_t rows : {1u, 13u})
    for (const std::uint32_t features : {2u, 101u}) {
      const Graph graph = mlp(2, rows, features);
      for (const PeGroup& group : groups)
        for (const std::uint32_t samples : {3u, 8u}) {
          const StageProposal proposal = whole(graph, group);
          expect_legal(graph, proposal, form(graph, hardware, proposal, samples), samples);
        }
    }
}

TEST(Candidates, AreLegalForAnEncoderLayer) {
  const HardwareSpec hardware = chip("mesh8x8.yaml");
  const Graph graph = encoder(1, 17, 66, 6);
  for (const PeGroup& group : {rectangle(0, 0, 4, 4), rectangle(2, 1, 5, 3)}) {
    const StageProposal proposal = whole(graph, group);
    expect_legal(graph, proposal, form(graph, hardware, proposal, 8), 8);
  }
}

TEST(Candidates, OfALargeLayerHoldOneSampleEachAndCutFeatures) {
  const HardwareSpec hardware = chip("mesh8x8.yaml");
  const Graph graph = encoder(1, 128, 768, 12);
  const StageProposal proposal = whole(graph, rectangle(0, 0, 8, 8));
  const StageClasses formed = form(graph, hardware, proposal, 8);
  const OperatorClass& query = formed.classes[formed.class_of.at(OpId(0))];
  EXPECT_EQ(query.members.size(), 3u) << "q, k and v are equal";
  const auto has = [&](const std::vector<std::uint32_t>& parts, PeOrder order) {
    return std::any_of(query.candidates.begin(), query.candidates.end(), [&](const auto& candidate) {
      return candidate.spatial == parts && candidate.order == order;
    });
  };
  EXPECT_TRUE(has({8, 1, 8, 1}, PeOrder::row_major));
  EXPECT_TRUE(has({8, 1, 8, 1}, PeOrder::column_major));
  const bool splits_reduction = std::any_of(query.candidates.begin(), query.candidates.end(),
                                            [](const auto& candidate) { return candidate.spatial[3] > 1; });
  EXPECT_TRUE(splits_reduction);
}

TEST(Candidates, OfAnElementwiseOperatorNeedNothingMoved) {
  const HardwareSpec hardware = chip("mesh8x8.yaml");
  const Graph graph = mlp(1, 128, 768);
  const StageProposal proposal = whole(graph, rectangle(0, 0, 8, 8));
  const StageClasses formed = form(graph, hardware, proposal, 8);
  const OperatorClass &matmul = formed.classes[0], &relu = formed.classes[1];
  for (const OperatorCandidate& leader : matmul.candidates) {
    if (leader.spatial[3] > 1) continue;  // shares of partial sums are cut by rows
    const Layout from = layout_of(graph, hardware, OpId(0), proposal.group, leader, 0, 8);
    const bool aligned =
        std::any_of(relu.candidates.begin(), relu.candidates.end(), [&](const auto& candidate) {
          return moved_bytes(graph, from,
                             layout_of(graph, hardware, OpId(1), proposal.group, candidate, 0, 8))
                     .total == 0;
        });
    EXPECT_TRUE(aligned) << leader.to_string({"b", "m", "n", "k"});
  }
}

TEST(Candidates, DependOnShapesOnly) {
  const HardwareSpec hardware = chip("mesh8x8.yaml");
  const Graph graph = encoder(2, 64, 128, 4);
  const StageProposal proposal = whole(graph, rectangle(0, 0, 4, 8));
  const StageClasses first = form(graph, hardware, proposal, 8), second = form(graph, hardware, proposal, 8);
  ASSERT_EQ(first.classes.size(), second.classes.size());
  for (std::size_t one = 0; one < first.classes.size(); ++one)
    EXPECT_EQ(first.classes[one].candidates, second.classes[one].candidates);
}

/// Tiles of a block of a matmul with `rows` x `width` inputs and as many outputs; block: samples, rows,
/// features, reduction.
TemporalSplit tiles_of(std::uint32_t rows, std::uint32_t width, const std::array<std::uint32_t, 4>& extents,
                       const char* config = "mesh8x8.yaml", bool stream = false) {
  const HardwareSpec hardware = chip(config);
  const Graph graph = mlp(1, rows, width);
  const std::vector<Axis> axes = kind_of(graph.op(OpId(0))).axes(graph, OpId(0), 8);
  Box block;
  block.rank = 4;
  std::copy(extents.begin(), extents.end(), block.extent.begin());
  EXPECT_EQ(input_too_large(graph, hardware, OpId(0), block), stream);
  return matrix_tiles(graph, hardware, OpId(0), axes, block, stream);
}

TEST(TemporalSplit, CutsWeightsIntoWholeFolds) {
  const TemporalSplit split = tiles_of(128, 768, {1, 128, 96, 768});
  EXPECT_EQ(split.tiles, (std::vector<std::uint32_t>{1, 2, 3, 1}))
      << "three tiles of 32 columns, 48 KiB each; two halves of the rows";
  EXPECT_EQ(split.outer, OuterLoop::rows);
}

TEST(TemporalSplit, WorksInHalvesOnlyWhereAllWeightsMayStay) {
  // 288 KiB of weights, more than a quarter of 1 MiB.
  const TemporalSplit large = tiles_of(128, 768, {1, 128, 192, 768});
  EXPECT_EQ(large.tiles[1], 1u);
  EXPECT_EQ(large.outer, OuterLoop::features);
  // Halves would leave rows of the array idle.
  const TemporalSplit few = tiles_of(128, 768, {1, 48, 96, 768});
  EXPECT_EQ(few.tiles[1], 1u);
  EXPECT_EQ(few.outer, OuterLoop::features);
}

TEST(TemporalSplit, CutsTheReductionWhereOneColumnOfFoldsIsTooLarge) {
  const TemporalSplit split = tiles_of(64, 3072, {1, 64, 32, 3072});
  EXPECT_EQ(split.tiles[2], 1u);
  EXPECT_GT(split.tiles[3], 1u);
  EXPECT_EQ(3072 / split.tiles[3] % 32, 0u);
}

TEST(TemporalSplit, StreamsAnInputThatIsTooLarge) {
  const TemporalSplit split = tiles_of(512, 3072, {1, 512, 96, 3072}, "mesh4x4.yaml", true);
  EXPECT_EQ(split.outer, OuterLoop::reduction);
  EXPECT_GT(split.tiles[3], 8u);
}

}  // namespace

}  // namespace dfsim
