#include "planner/lower/dependence_reduction.h"

#include <gtest/gtest.h>

#include <set>
#include <tuple>
#include <utility>

#include "sim/base/rng.h"

namespace dfsim {
namespace {

using Lists = std::vector<std::vector<Dependence>>;

PeProgram program_of(std::uint32_t prologue, const Lists& lists) {
  PeProgram pe;
  pe.prologue_ops = prologue;
  for (const std::vector<Dependence>& list : lists) {
    MicroOp op;
    op.dependences.begin = static_cast<std::uint32_t>(pe.dependences.size());
    pe.dependences.insert(pe.dependences.end(), list.begin(), list.end());
    op.dependences.end = static_cast<std::uint32_t>(pe.dependences.size());
    pe.ops.push_back(op);
  }
  return pe;
}

Lists lists_of(const PeProgram& pe) {
  Lists lists;
  for (const MicroOp& op : pe.ops)
    lists.emplace_back(pe.dependences.begin() + op.dependences.begin,
                       pe.dependences.begin() + op.dependences.end);
  return lists;
}

Lists reduced(std::uint32_t prologue, const Lists& lists) {
  PeProgram pe = program_of(prologue, lists);
  drop_implied_dependences(pe);
  return lists_of(pe);
}

/// Which instance waits for which, over `periods` periods, by following everything: the definition, slowly.
std::vector<std::vector<bool>> order_of(const PeProgram& pe, std::uint32_t periods) {
  const std::uint32_t per_period = static_cast<std::uint32_t>(pe.ops.size()) - pe.prologue_ops;
  const std::uint32_t nodes = pe.prologue_ops + per_period * periods;
  std::vector<std::vector<bool>> after(nodes, std::vector<bool>(nodes, false));
  for (std::uint32_t at = 0; at < nodes; ++at) {
    const std::uint32_t period = at < pe.prologue_ops ? 0 : (at - pe.prologue_ops) / per_period;
    const Range range = pe.ops[at - period * per_period].dependences;
    for (std::uint32_t d = range.begin; d < range.end; ++d) {
      const Dependence& dependence = pe.dependences[d];
      const bool on_prologue = dependence.op < pe.prologue_ops;
      if (!on_prologue && dependence.distance > period) continue;
      const std::uint32_t before =
          on_prologue ? dependence.op : dependence.op + (period - dependence.distance) * per_period;
      after[at][before] = true;
      for (std::uint32_t further = 0; further < nodes; ++further)
        if (after[before][further]) after[at][further] = true;
    }
  }
  return after;
}

PeProgram without(const PeProgram& pe, std::uint32_t dependence) {
  PeProgram less = pe;
  less.dependences.erase(less.dependences.begin() + dependence);
  for (MicroOp& op : less.ops) {
    if (op.dependences.begin > dependence) --op.dependences.begin;
    if (op.dependences.end > dependence) --op.dependences.end;
  }
  return less;
}

PeProgram random_program(Rng& rng, std::uint32_t ops) {
  const auto prologue = static_cast<std::uint32_t>(rng.below(4));
  Lists lists(ops);
  for (std::uint32_t op = 0; op < ops; ++op)
    for (std::uint64_t count = rng.below(5); count > 0; --count) {
      const auto distance = static_cast<std::uint32_t>(op < prologue ? 0 : rng.below(4));
      const auto target = static_cast<std::uint32_t>(rng.below(distance == 0 ? op : ops));
      if (distance > 0 || op > 0) lists[op].push_back({target, distance == 3 ? 1 : distance});
      if (target < prologue && !lists[op].empty() && target >= op) lists[op].pop_back();
    }
  return program_of(prologue, lists);
}

TEST(DependenceReduction, DropsWhatAChainSays) {
  EXPECT_EQ(reduced(0, {{}, {{0, 0}}, {{0, 0}, {1, 0}}, {{0, 0}, {1, 0}, {2, 0}}}),
            (Lists{{}, {{0, 0}}, {{1, 0}}, {{2, 0}}}));
}

TEST(DependenceReduction, DistancesOfAChainMustAddUp) {
  // 0 follows 2 of the period before; through 1, which follows 2 in its own period, it is the same.
  EXPECT_EQ(reduced(0, {{{1, 1}, {2, 1}}, {{0, 0}}, {}}), (Lists{{{1, 1}, {2, 1}}, {{0, 0}}, {}}));
  EXPECT_EQ(reduced(0, {{{3, 1}, {2, 1}}, {{0, 0}}, {}, {{2, 0}}}),
            (Lists{{{3, 1}}, {{0, 0}}, {}, {{2, 0}}}));
  // A later instance does not imply an earlier one ...
  EXPECT_EQ(reduced(0, {{}, {{0, 0}, {0, 1}}}), (Lists{{}, {{0, 0}, {0, 1}}}));
  // ... unless the micro-op follows itself.
  EXPECT_EQ(reduced(0, {{{0, 1}}, {{0, 0}, {0, 1}, {0, 2}}}), (Lists{{{0, 1}}, {{0, 0}}}));
}

TEST(DependenceReduction, ThePrologueIsImpliedOnlyInTheSamePeriod) {
  // In the first period nobody waits for 2 of the period before, so 1 must wait for the prologue itself.
  EXPECT_EQ(reduced(1, {{}, {{0, 0}, {2, 1}}, {{0, 0}}}), (Lists{{}, {{0, 0}, {2, 1}}, {{0, 0}}}));
  EXPECT_EQ(reduced(1, {{}, {{0, 0}}, {{0, 0}, {1, 0}}}), (Lists{{}, {{0, 0}}, {{1, 0}}}));
}

TEST(DependenceReduction, RepeatedOnesGo) {
  EXPECT_EQ(reduced(1, {{}, {{0, 0}, {0, 1}, {0, 0}}}), (Lists{{}, {{0, 0}}}));
}

TEST(DependenceReduction, KeepsTheOrderAndNothingMoreOnRandomPrograms) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Rng rng(seed, 0);
    const PeProgram before = random_program(rng, 4 + static_cast<std::uint32_t>(rng.below(10)));
    PeProgram after = before;
    drop_implied_dependences(after);
    const auto order = order_of(before, 5);
    ASSERT_EQ(order_of(after, 5), order) << "seed " << seed;
    for (std::uint32_t d = 0; d < after.dependences.size(); ++d)
      ASSERT_NE(order_of(without(after, d), 5), order) << "seed " << seed << ", dependence " << d;
  }
}

/// Longer than what is looked at one by one, so that most answers come from the pass over the whole list.
TEST(DependenceReduction, LongChainsAreFollowedToTheirEnd) {
  constexpr std::uint32_t kOps = 3000;
  Lists lists(kOps);
  for (std::uint32_t op = 2; op < kOps; ++op) {
    lists[op] = {{op - 2, 0}};                                       // the even and the odd ones, two chains
    if (op % 7 == 0 && op > 100) lists[op].push_back({op % 97, 0});  // far back, on this chain or the other
  }
  lists[0] = {{kOps - 2, 1}, {10, 1}};
  lists[1] = {{kOps - 2, 1}};
  PeProgram pe = program_of(0, lists);
  drop_implied_dependences(pe);
  const Lists result = lists_of(pe);
  // All of the same parity are implied; the others unless the last crossing below went as far.
  std::uint32_t crossed[2] = {0, 0};
  bool any[2] = {false, false};
  for (std::uint32_t op = 2; op < kOps; ++op) {
    std::vector<Dependence> expected{{op - 2, 0}};
    if (op % 7 == 0 && op > 100 && op % 97 % 2 != op % 2) {
      const std::uint32_t target = op % 97, side = op % 2;
      if (!any[side] || target > crossed[side]) {
        expected.insert(expected.begin(), {target, 0});
        crossed[side] = target;
        any[side] = true;
      }
    }
    ASSERT_EQ(result[op], expected) << op;
  }
  EXPECT_EQ(result[0], (std::vector<Dependence>{{kOps - 2, 1}}));
}

}  // namespace
}  // namespace dfsim
