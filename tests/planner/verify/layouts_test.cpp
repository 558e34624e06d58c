// Every pair of block layouts of one tensor: the re-slicing between them moves what must move and no more,
// and the right values arrive.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>

#include "planner/lower/lower.h"
#include "planner/lower/mapping.h"
#include "planner/plan/splits.h"
#include "planner/verify/verify.h"
#include "sim/hw/hardware_config.h"
#include "tests/planner/intra_stage/fixture.h"

namespace dfsim {

namespace {

using namespace test;

/// x -> first -> second -> y on a rectangle of PEs, where `second` reads what `first` makes.
class Layouts : public testing::Test {
 protected:
  static constexpr std::uint32_t kSamples = 2;
  static constexpr double kMostOverhead = 1.05;

  void make(const std::string& second, Attributes attributes, Shape shape) {
    const TensorId x = add_input(graph_, "x", std::move(shape));
    const OpId first = add_operator(graph_, "copy", {x}, {}, "first");
    add_operator(graph_, second, {graph_.op(first).outputs[0]}, std::move(attributes), "second",
                 TensorRole::output);
    verifier_.emplace(graph_, kSamples, VerifyOptions{});
  }

  std::vector<OperatorCandidate> layouts_of(std::uint32_t op, const PeGroup& group) const {
    std::vector<std::uint32_t> extents;
    const std::vector<Axis> axes = kind_of(graph_.op(OpId(op))).axes(graph_, OpId(op), kSamples);
    for (const Axis& axis : axes) extents.push_back(axis.splittable ? axis.extent : 1);
    std::vector<OperatorCandidate> candidates;
    for (const auto& parts : all_splits(extents, group.size())) {
      OperatorCandidate candidate;
      candidate.spatial = parts;
      candidate.temporal.assign(parts.size(), 1);
      for (std::uint32_t a = 0; a < parts.size(); ++a) candidate.nesting.push_back(a);
      // Not always the same PEs for the same block.
      if (candidates.size() % 2 == 1) candidate.order = PeOrder::snake;
      if (candidates.size() % 3 == 1) std::reverse(candidate.nesting.begin(), candidate.nesting.end());
      candidates.push_back(std::move(candidate));
    }
    return candidates;
  }

  /// What the PEs of `second` read and do not have.
  std::uint64_t bytes_that_must_move(const Plan& plan) const {
    const auto mapping = [&](std::uint32_t op) {
      return map_operator(graph_, hardware_, OpId(op), plan.stages[op].group,
                          plan.stages[op].strategy.operators[0], 0, kSamples);
    };
    std::map<PeId, Box> made;
    for (const MappedPart& part : mapping(0).parts)
      made[part.pe] = kind_of(graph_.op(OpId(0))).output_box(graph_, OpId(0), 0, part.block);
    std::uint64_t elements = 0;
    for (const MappedPart& part : mapping(1).parts) {
      const Box read = kind_of(graph_.op(OpId(1))).input_box(graph_, OpId(1), 0, part.block);
      elements +=
          read.elements() - (made.contains(part.pe) ? read.intersection(made[part.pe]).elements() : 0);
    }
    return 2 * elements;
  }

  void try_all_pairs(const PeGroup& from, const PeGroup& to) {
    const std::string tensor = graph_.tensor(graph_.op(OpId(0)).outputs[0]).name;
    std::size_t pairs = 0;
    for (const OperatorCandidate& first : layouts_of(0, from))
      for (const OperatorCandidate& second : layouts_of(1, to)) {
        Plan plan;
        plan.samples = kSamples;
        plan.stages = {{"first", {OpId(0)}, from, {{first}, 1, false}},
                       {"second", {OpId(1)}, to, {{second}, 1, false}}};
        LowerOptions options;
        options.samples = kSamples;
        options.periods = 2;
        const auto program = lower_plan(graph_, hardware_, plan, options);
        ASSERT_TRUE(program) << program.reason().to_string();
        const Verification result = verifier_->run(program.value(), hardware_, "pair", ++pairs);
        const std::string name =
            first.to_string({"b", "m", "n"}) + " to " + second.to_string({"b", "m", "n", "k"});
        ASSERT_FALSE(result.fault) << name << ": " << result.fault->to_string();
        std::uint64_t moved = 0;
        for (std::size_t i = 0; i < program.value().primitives.size(); ++i)
          if (program.value().primitives[i].tensor == tensor) moved += result.primitive_bytes[i];
        const std::uint64_t least = 2 * bytes_that_must_move(plan);  // two periods
        EXPECT_GE(moved, least) << name;
        EXPECT_LE(static_cast<double>(moved), kMostOverhead * static_cast<double>(least)) << name;
      }
    EXPECT_GT(pairs, 100u);
  }

  HardwareSpec hardware_ = load_hardware(DFSIM_SOURCE_DIR "/configs/mesh4x4.yaml");
  Graph graph_;
  std::optional<Verifier> verifier_;
};

TEST_F(Layouts, BlocksToBlocksOnTheSamePes) {
  make("copy", {}, {5, 6});
  try_all_pairs(rectangle(0, 0, 4, 2), rectangle(0, 0, 4, 2));
}

TEST_F(Layouts, BlocksToBlocksOnOtherPes) {
  make("copy", {}, {7, 4});
  try_all_pairs(rectangle(0, 0, 2, 3), rectangle(2, 1, 2, 3));
}

TEST_F(Layouts, BlocksToRowsThatSeveralPesRead) {
  make("softmax", {}, {7, 6});
  try_all_pairs(rectangle(0, 0, 4, 4), rectangle(0, 0, 4, 4));
}

TEST_F(Layouts, BlocksToCopiesAndSharesOfAReduction) {
  make("matmul", {{"out_features", std::int64_t{3}}, {"bias", false}}, {3, 5});
  try_all_pairs(rectangle(0, 0, 2, 3), rectangle(1, 0, 2, 3));
}

/// Of the partial sums of an element on P partners at least P - 1 must be sent.
TEST_F(Layouts, PartialSumsToSharesOfTheResult) {
  make("matmul", {{"out_features", std::int64_t{5}}, {"bias", false}}, {3, 4});
  const PeGroup group = rectangle(0, 0, 4, 2);
  std::size_t reductions = 0;
  for (const OperatorCandidate& second : layouts_of(1, group)) {
    const std::uint32_t partners = second.spatial[3];
    if (partners == 1) continue;
    OperatorCandidate first = layouts_of(0, group).front();
    Plan plan;
    plan.samples = kSamples;
    plan.stages = {{"both", {OpId(0), OpId(1)}, group, {{first, second}, 1, false}}};
    LowerOptions options;
    options.samples = kSamples;
    options.periods = 2;
    const auto program = lower_plan(graph_, hardware_, plan, options);
    ASSERT_TRUE(program) << program.reason().to_string();
    const Verification result = verifier_->run(program.value(), hardware_, "sums", ++reductions);
    ASSERT_FALSE(result.fault) << result.fault->to_string();
    std::uint64_t moved = 0;
    for (std::size_t i = 0; i < program.value().primitives.size(); ++i)
      if (program.value().primitives[i].kind.starts_with("reduce")) moved += result.primitive_bytes[i];
    const std::uint64_t elements = std::uint64_t{kSamples} * 3 * 5;
    EXPECT_EQ(moved, 2 * 4 * (partners - 1) * elements) << second.to_string({"b", "m", "n", "k"});
  }
  EXPECT_GT(reductions, 10u);
}

}  // namespace

}  // namespace dfsim
