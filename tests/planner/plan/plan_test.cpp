// Plain values of a plan: geometry of PE groups, texts, and the exact text form.
#include "planner/plan/plan.h"

#include <gtest/gtest.h>

#include "planner/plan/plan_text.h"
#include "sim/hw/hardware_config.h"

namespace dfsim {

namespace {

const std::string kConfigs = std::string(DFSIM_SOURCE_DIR) + "/configs/";

Submesh submesh(std::uint32_t noc, std::uint32_t x, std::uint32_t y, std::uint32_t w, std::uint32_t h) {
  Submesh result;
  result.noc = NocId(noc);
  result.x = x, result.y = y, result.width = w, result.height = h;
  return result;
}

Stage example() {
  Stage stage;
  stage.name = "a stage with blanks: 3";
  stage.operators = {OpId(4), OpId(7)};
  stage.group = {{submesh(0, 0, 0, 4, 2), submesh(1, 2, 2, 1, 1)}};
  OperatorCandidate first{{8, 1, 2, 1}, {1, 1, 3, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features};
  OperatorCandidate second{{2, 2, 1, 2}, {1, 1, 1, 4}, {3, 0, 1, 2}, PeOrder::snake, OuterLoop::reduction};
  stage.strategy = {{first, second}, 2, true};
  return stage;
}

TEST(Submesh, OverlapsOnlyOnItsNoc) {
  EXPECT_TRUE(submesh(0, 0, 0, 4, 4).overlaps(submesh(0, 3, 3, 2, 2)));
  EXPECT_FALSE(submesh(0, 0, 0, 4, 4).overlaps(submesh(0, 4, 0, 2, 4)));
  EXPECT_FALSE(submesh(0, 0, 0, 4, 4).overlaps(submesh(1, 0, 0, 4, 4)));
}

TEST(Submesh, PrintsItsRanges) {
  EXPECT_EQ(submesh(1, 2, 3, 4, 5).to_string(), "chip1[2:6,3:8]");
  Submesh cube = submesh(0, 0, 0, 2, 2);
  cube.depth = 3;
  EXPECT_EQ(cube.to_string(), "chip0[0:2,0:2,0:3]");
}

TEST(PeGroup, ListsItsPesRowByRow) {
  const HardwareSpec hardware = load_hardware(kConfigs + "mesh4x4.yaml");
  const PeGroup group{{submesh(0, 1, 1, 2, 2)}};
  const std::vector<PeId> expected{PeId(5), PeId(6), PeId(9), PeId(10)};
  EXPECT_EQ(group.pes(hardware), expected);
  EXPECT_EQ(group.size(), 4u);
  const PeGroup outside{{submesh(0, 3, 3, 2, 2)}};
  EXPECT_EQ(outside.pes(hardware), std::vector<PeId>{PeId(15)}) << "places without a PE are left out";
}

TEST(PeGroup, ListsSubmeshesInTurn) {
  const HardwareSpec hardware = load_hardware(kConfigs + "two_nocs_8x8.yaml");
  const PeGroup group{{submesh(1, 0, 0, 1, 1), submesh(0, 7, 7, 1, 1)}};
  const std::vector<PeId> expected{PeId(64), PeId(63)};
  EXPECT_EQ(group.pes(hardware), expected);
}

TEST(OperatorCandidate, PrintsPartsTilesAndOrder) {
  const OperatorCandidate candidate{
      {8, 1, 2, 1}, {1, 1, 24, 1}, {0, 1, 2, 3}, PeOrder::row_major, OuterLoop::features};
  EXPECT_EQ(candidate.to_string({"b", "m", "n", "k"}), "b8 n2 | n24 | b,n row_major");
  EXPECT_EQ(candidate.spatial_parts(), 16u);
  EXPECT_EQ(
      (OperatorCandidate{{1, 1}, {1, 1}, {0, 1}, PeOrder::snake, OuterLoop::reduction}.to_string({"b", "m"})),
      "1 | 1 | snake, reduction outermost");
}

TEST(Plan, CountsDifferentGroups) {
  Plan plan;
  plan.stages = {example(), example()};
  EXPECT_EQ(plan.distinct_groups(), 1u);
  plan.stages[1].group = {{submesh(0, 0, 4, 4, 4)}};
  EXPECT_EQ(plan.distinct_groups(), 2u);
}

TEST(Infeasible, SaysDemandLimitAndLever) {
  const Infeasible reason{"stage 3: scratchpad of pe_2_1", 612 * 1024, 512 * 1024, "bytes", "split K by 2"};
  EXPECT_EQ(reason.to_string(),
            "stage 3: scratchpad of pe_2_1: needs 612 KiB, 512 KiB available; split K by 2");
}

TEST(PlanText, ReadsBackExactly) {
  Plan plan;
  plan.samples = 5;
  plan.stages = {example(), example()};
  plan.stages[1].name = "";
  TextWriter out;
  write(out, plan);
  TextReader in(out.str());
  EXPECT_EQ(read_plan(in), plan);
  EXPECT_NO_THROW(in.end());
}

TEST(PlanText, RefusesWhatItDidNotWrite) {
  TextWriter out;
  write(out, example());
  for (const std::size_t length :
       {std::size_t{0}, std::size_t{3}, out.str().size() / 2, out.str().size() - 1}) {
    const std::string cut = out.str().substr(0, length);
    TextReader in(cut);
    EXPECT_THROW(read_stage(in), std::runtime_error) << length;
  }
  const std::string huge = "99999999999 1";
  TextReader in(huge);
  EXPECT_THROW(in.smalls(), std::runtime_error);
}

TEST(PlanText, IdentityLeavesTheNameOut) {
  Stage named = example(), other = example();
  other.name = "x";
  EXPECT_EQ(nameless_text(named), nameless_text(other));
  other.strategy.sub_batches = 4;
  EXPECT_NE(nameless_text(named), nameless_text(other));
}

}  // namespace

}  // namespace dfsim
