// planner/intra_stage/best_combinations.h: the cheapest ways to choose one option per variable when the cost
// is a sum over variables and over pairs of variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace dfsim {

inline constexpr std::uint64_t kImpossible = std::numeric_limits<std::uint64_t>::max();

struct PairCost {
  std::size_t first = 0, second = 0;             ///< variables, first < second
  std::vector<std::vector<std::uint64_t>> cost;  ///< [option of first][option of second]
};

struct ChoiceProblem {
  std::vector<std::vector<std::uint64_t>> cost;  ///< [variable][option]; kImpossible: not to be chosen
  std::vector<PairCost> pairs;
};

struct Combination {
  std::vector<std::size_t> options;  ///< by variable
  std::uint64_t cost = 0;
  bool operator==(const Combination&) const = default;
};

struct BestCombinations {
  std::vector<Combination> best;  ///< by cost, then by options in lexicographic order
  bool exact = true;              ///< false if the search had to drop states
};

/// The `count` cheapest combinations. Dynamic programming over the variables in order; a state is the options
/// of those variables that later ones are paired with. States that cannot beat what a narrow search has found
/// are dropped, which keeps it exact; beyond `most_states` per variable the dearest are dropped, too.
BestCombinations best_combinations(const ChoiceProblem& problem, std::size_t count,
                                   std::size_t most_states = 20'000);

}  // namespace dfsim
