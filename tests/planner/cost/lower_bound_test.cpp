// Bounds against closed forms counted another way, and against each other.
#include "planner/cost/lower_bound.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "planner/intra_stage/operator_candidates.h"
#include "planner/lower/lower.h"
#include "planner/lower/mapping.h"
#include "planner/plan/splits.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {

namespace {

using namespace test;

Work product(std::uint32_t m, std::uint32_t n, std::uint32_t k, std::uint32_t count,
             DataType type = DataType::fp16) {
  Work work;
  work.unit = WorkUnit::matrix;
  work.matmul = {m, n, k, count, type, false};
  return work;
}

/// Folds counted one by one.
double counted(const MatrixUnitSpec& unit, std::uint32_t m, std::uint32_t n, std::uint32_t k) {
  std::uint64_t cycles = 0;
  for (std::uint32_t row = 0; row < k; row += unit.rows)
    for (std::uint32_t column = 0; column < n; column += unit.columns) cycles += std::max(m, unit.rows);
  return static_cast<double>(cycles);
}

TEST(UnitCycles, CountWholeFoldsOfTheMatrixUnit) {
  const PeSpec pe = chip("mesh8x8.yaml").pe;
  for (const std::uint32_t m : {1u, 31u, 32u, 128u})
    for (const std::uint32_t n : {1u, 33u, 96u})
      for (const std::uint32_t k : {7u, 64u, 769u}) {
        EXPECT_EQ(unit_cycles(pe, product(m, n, k, 1)).matrix, counted(pe.matrix, m, n, k));
        EXPECT_EQ(unit_cycles(pe, product(m, n, k, 3)).matrix, 3 * counted(pe.matrix, m, n, k));
        EXPECT_EQ(unit_cycles(pe, product(m, n, k, 1, DataType::fp32)).matrix,
                  2 * counted(pe.matrix, m, n, k));
      }
  EXPECT_EQ(unit_cycles(pe, product(0, 4, 4, 1)).matrix, 0);
}

TEST(UnitCycles, FollowTheDataflowAndTheFolds) {
  PeSpec pe = chip("mesh8x8.yaml").pe;
  pe.matrix.dataflow = Dataflow::output_stationary;
  EXPECT_EQ(unit_cycles(pe, product(64, 64, 100, 1)).matrix, 4 * 100);
  pe.matrix.folds = FoldMode::serial;
  EXPECT_EQ(unit_cycles(pe, product(64, 64, 100, 1)).matrix, 4 * (100 + 32 + 32 - 2));
  pe.matrix.dataflow = Dataflow::weight_stationary;
  EXPECT_EQ(unit_cycles(pe, product(100, 64, 64, 1)).matrix, 4 * (100 + 64 + 32 - 2));
}

TEST(UnitCycles, CountGroupsOfVectorLanes) {
  const PeSpec pe = chip("mesh8x8.yaml").pe;
  Work work;
  work.unit = WorkUnit::vector;
  work.vector_function = "softmax";
  work.elements = 65;
  EXPECT_EQ(unit_cycles(pe, work).vector, 2 * pe.vector.cycles_per_group.at("softmax"));
  work.vector_function = "unheard of";
  EXPECT_EQ(unit_cycles(pe, work).vector, 0);
}

class Bounds : public testing::Test {
 protected:
  HardwareSpec hardware_ = chip("mesh8x8.yaml");
  Graph graph_ = mlp(1, 128, 768);
  StageProposal proposal_ = whole(graph_, rectangle(0, 0, 8, 8));

  Stage matmul_alone(std::vector<std::uint32_t> parts, std::vector<std::uint32_t> tiles = {1, 1, 1, 1},
                     bool resident = false) const {
    Stage stage;
    stage.operators = {OpId(0)};
    stage.group = proposal_.group;
    stage.strategy.operators = {
        {std::move(parts), std::move(tiles), {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features}};
    stage.strategy.weights_resident = resident;
    return stage;
  }
};

TEST_F(Bounds, OfAMatmulAreItsFoldsOrItsWeights) {
  const LowerBounds bounds(graph_, hardware_, 8);
  // One sample and 96 columns each: 24 x 3 folds of 128 rows.
  EXPECT_EQ(bounds.stage(matmul_alone({8, 1, 8, 1})).period_cycles, 72u * 128);
  // All rows of a sample against all weights: 768 x 768 x 2 bytes, and the bias, through 32 bytes per cycle.
  EXPECT_EQ(bounds.stage(matmul_alone({8, 8, 1, 1})).period_cycles, (768u * 768 * 2 + 768 * 2) / 32);
  // Resident: loaded once, so it counts for the first period only. 16 rows take as long as 32.
  const StagePrice resident = bounds.stage(matmul_alone({8, 8, 1, 1}, {1, 1, 1, 1}, true));
  EXPECT_EQ(resident.period_cycles, 24u * 24 * 32);
  EXPECT_EQ(resident.latency_cycles, (768u * 768 * 2 + 768 * 2) / 32);
}

TEST_F(Bounds, CountTheFoldsOfEveryTile) {
  const LowerBounds bounds(graph_, hardware_, 8);
  // 96 columns in 4 tiles of 24: each takes a whole fold.
  EXPECT_EQ(bounds.stage(matmul_alone({8, 1, 8, 1}, {1, 1, 4, 1})).period_cycles, 4u * 24 * 128);
}

TEST_F(Bounds, CountPartialSumsAtTheirOwners) {
  const LowerBounds bounds(graph_, hardware_, 8);
  // Two samples, 12 columns, half of k: 12 folds of 256 rows; sums of 256 x 12 x 4 bytes, half of them owned.
  const StagePrice split = bounds.stage(matmul_alone({4, 1, 8, 2}));
  EXPECT_EQ(split.period_cycles, 12u * 3 * 256);
  // Reduction over 64 PEs: every PE owns 1/64 of 8 x 128 x 768 sums and receives 63 others' of it.
  const StagePrice deep = bounds.stage(matmul_alone({1, 1, 1, 64}));
  EXPECT_GE(deep.period_cycles, 63ull * (8 * 128 * 768 / 64) * 4 / 32);
}

TEST_F(Bounds, OfATransferAreWhatIsMissingAtOnePe) {
  const LowerBounds bounds(graph_, hardware_, 8);
  Stage producer = matmul_alone({8, 1, 8, 1}), consumer = producer;
  consumer.operators = {OpId(1)};
  consumer.strategy.operators = {{{8, 1, 8}, {1, 1, 1}, {0, 1, 2}, PeOrder::row_major, OuterLoop::features}};
  EXPECT_EQ(bounds.transfer(producer, consumer), (StagePrice{0, 0}));
  consumer.strategy.operators[0].spatial = {8, 8, 1};  // rows instead of columns: 1/8 of its rows is there
  const std::uint64_t bytes = 16ull * 768 * 2 * 7 / 8;
  EXPECT_EQ(bounds.transfer(producer, consumer).period_cycles, bytes / 32);
}

TEST_F(Bounds, CallNothingMovedWhatLoweringDoesNotMove) {
  const Graph graph = encoder(1, 24, 48, 4);
  const StageProposal proposal = whole(graph, rectangle(1, 1, 3, 4));
  const StageClasses formed = form_candidates(graph, hardware_, {&proposal, 8, false, 0});
  int empty = 0, moving = 0;
  for (const OpId op : proposal.operators)
    for (const TensorId input : graph.op(op).inputs) {
      const auto& producer = graph.tensor(input).producer;
      if (!producer) continue;
      for (const OperatorCandidate& from : formed.classes[formed.class_of.at(*producer)].candidates)
        for (const OperatorCandidate& to : formed.classes[formed.class_of.at(op)].candidates) {
          Stage a, b;
          a.operators = {*producer}, b.operators = {op};
          a.group = b.group = proposal.group;
          a.strategy.operators = {from}, b.strategy.operators = {to};
          const auto program = lower_transfer(graph, hardware_, a, b, {});
          ASSERT_TRUE(program.ok());
          const MovedBytes moved =
              moved_bytes(graph, layout_of(graph, hardware_, *producer, proposal.group, from, 0, 8),
                          layout_of(graph, hardware_, op, proposal.group, to, 0, 8));
          EXPECT_EQ(program->transfers.empty(), moved.total == 0);
          ++(moved.total == 0 ? empty : moving);
        }
    }
  EXPECT_GT(empty, 20);
  EXPECT_GT(moving, 100);
}

TEST_F(Bounds, OfAProposalAreNeverAboveThoseOfItsCandidates) {
  for (const Graph& graph : {mlp(2, 128, 768), mlp(3, 13, 101), encoder(1, 64, 96, 4)})
    for (const PeGroup& group : {rectangle(0, 0, 8, 8), rectangle(0, 0, 3, 5), rectangle(2, 2, 1, 1)}) {
      const StageProposal proposal = whole(graph, group);
      const LowerBounds bounds(graph, hardware_, 8);
      const StagePrice least = bounds.proposal(proposal);
      for (const bool resident : {false, true}) {
        const StageClasses formed = form_candidates(graph, hardware_, {&proposal, 8, resident, 0});
        for (std::size_t option = 0; option < 10; ++option)
          for (const std::uint32_t sub_batches : {1u, 2u}) {
            Stage stage;
            stage.operators = proposal.operators;
            stage.group = group;
            for (const OpId op : proposal.operators) {
              const auto& candidates = formed.classes[formed.class_of.at(op)].candidates;
              stage.strategy.operators.push_back(candidates[std::min(option, candidates.size() - 1)]);
            }
            stage.strategy.sub_batches = sub_batches;
            stage.strategy.weights_resident = resident;
            const StagePrice bound = bounds.stage(stage);
            if (!resident) {
              EXPECT_LE(least.period_cycles, bound.period_cycles);
            }
            EXPECT_LE(least.latency_cycles, bound.latency_cycles);
            EXPECT_LE(bound.period_cycles, bound.latency_cycles);
          }
      }
    }
}

TEST_F(Bounds, OfAProposalAreTheLeastOverAllSplits) {
  const Graph graph = mlp(1, 24, 40);
  StageProposal proposal;
  proposal.operators = {OpId(0)};
  proposal.group = rectangle(0, 0, 3, 2);
  std::uint64_t least = ~0ull;
  for (const std::vector<std::uint32_t>& parts : all_splits({8, 24, 40, 40}, 6)) {
    Stage stage;
    stage.operators = proposal.operators;
    stage.group = proposal.group;
    stage.strategy.operators = {{parts, {1, 1, 1, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features}};
    double most = 0;
    const OperatorMapping mapping =
        map_operator(graph, hardware_, OpId(0), stage.group, stage.strategy.operators[0], 0, 8);
    for (const MappedPart& part : mapping.parts)
      most = std::max(
          most,
          unit_cycles(hardware_.pe, kind_of(graph.op(OpId(0))).work(graph, OpId(0), part.block)).matrix);
    least = std::min(least, static_cast<std::uint64_t>(most));
  }
  EXPECT_EQ(LowerBounds(graph, hardware_, 8).proposal(proposal).period_cycles, least);
}

TEST_F(Bounds, CountDramOnThePortsInTheRowsOfTheGroup) {
  const LowerBounds bounds(graph_, hardware_, 8);
  EXPECT_DOUBLE_EQ(bounds.dram_bytes_per_cycle(rectangle(0, 0, 8, 8)), hardware_.peak_dram_bytes_per_cycle());
  EXPECT_DOUBLE_EQ(bounds.dram_bytes_per_cycle(rectangle(2, 3, 2, 2)),
                   hardware_.peak_dram_bytes_per_cycle() / 4);
}

}  // namespace

}  // namespace dfsim
