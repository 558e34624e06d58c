// The choice of one option per variable: equal to trying everything.
#include "planner/intra_stage/best_combinations.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/base/rng.h"

namespace dfsim {

namespace {

std::uint64_t cost_of(const ChoiceProblem& problem, const std::vector<std::size_t>& options) {
  std::uint64_t sum = 0;
  const auto add = [&](std::uint64_t cost) { sum = sum > kImpossible - cost ? kImpossible : sum + cost; };
  for (std::size_t v = 0; v < options.size(); ++v) add(problem.cost[v][options[v]]);
  for (const PairCost& pair : problem.pairs) add(pair.cost[options[pair.first]][options[pair.second]]);
  return sum;
}

std::vector<Combination> brute_force(const ChoiceProblem& problem, std::size_t count) {
  std::vector<Combination> all;
  std::vector<std::size_t> options(problem.cost.size(), 0);
  for (;;) {
    if (const std::uint64_t cost = cost_of(problem, options); cost != kImpossible)
      all.push_back({options, cost});
    std::size_t v = options.size();
    while (v > 0 && options[v - 1] + 1 == problem.cost[v - 1].size()) options[--v] = 0;
    if (v == 0) break;
    ++options[v - 1];
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.cost < b.cost; });
  if (all.size() > count) all.resize(count);
  return all;
}

ChoiceProblem random_problem(Rng& rng) {
  ChoiceProblem problem;
  const std::size_t variables = 2 + rng.below(5);
  for (std::size_t v = 0; v < variables; ++v) {
    problem.cost.emplace_back();
    for (std::size_t option = 1 + rng.below(4); option > 0; --option)
      problem.cost.back().push_back(rng.below(8) == 0 ? kImpossible : rng.below(20));
  }
  for (std::size_t a = 0; a < variables; ++a)
    for (std::size_t b = a + 1; b < variables; ++b) {
      if (rng.below(3) != 0) continue;
      PairCost pair{a, b, {}};
      for (std::size_t i = 0; i < problem.cost[a].size(); ++i) {
        pair.cost.emplace_back();
        for (std::size_t j = 0; j < problem.cost[b].size(); ++j)
          pair.cost.back().push_back(rng.below(10) == 0 ? kImpossible : rng.below(20));
      }
      problem.pairs.push_back(pair);
    }
  return problem;
}

TEST(BestCombinations, EqualTryingEverything) {
  Rng rng(5);
  for (int round = 0; round < 300; ++round) {
    const ChoiceProblem problem = random_problem(rng);
    const std::size_t count = 1 + rng.below(6);
    const BestCombinations found = best_combinations(problem, count);
    EXPECT_TRUE(found.exact);
    EXPECT_EQ(found.best, brute_force(problem, count)) << "round " << round;
  }
}

TEST(BestCombinations, OfEqualsTheLowerOptionsComeFirst) {
  ChoiceProblem problem;
  problem.cost = {{1, 1}, {2, 2}};
  const auto best = best_combinations(problem, 3).best;
  ASSERT_EQ(best.size(), 3u);
  EXPECT_EQ(best[0].options, (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(best[1].options, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(best[2].options, (std::vector<std::size_t>{1, 0}));
}

TEST(BestCombinations, ThereAreNoneIfAVariableHasNoOption) {
  ChoiceProblem problem;
  problem.cost = {{1}, {kImpossible}};
  EXPECT_TRUE(best_combinations(problem, 2).best.empty());
  problem.cost = {{1}, {}};
  EXPECT_TRUE(best_combinations(problem, 2).best.empty());
}

TEST(BestCombinations, SaysWhenItHadToDropStates) {
  ChoiceProblem problem;  // the first variable is paired with the last: the state keeps 8 options times 8 ...
  for (int v = 0; v < 6; ++v) problem.cost.push_back(std::vector<std::uint64_t>(8, 0));
  for (std::size_t a = 0; a < 5; ++a)
    problem.pairs.push_back(
        {a, 5, std::vector<std::vector<std::uint64_t>>(8, std::vector<std::uint64_t>(8, 0))});
  EXPECT_FALSE(best_combinations(problem, 2, 100).exact);
  EXPECT_EQ(best_combinations(problem, 2, 100).best.size(), 2u);
}

}  // namespace

}  // namespace dfsim
