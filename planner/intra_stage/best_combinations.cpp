#include "planner/intra_stage/best_combinations.h"

#include <algorithm>
#include <map>
#include <string>

namespace dfsim {

namespace {

std::uint64_t plus(std::uint64_t a, std::uint64_t b) { return a > kImpossible - b ? kImpossible : a + b; }

/// The options of the variables so far (a character each) and their cost.
struct State {
  std::string options;
  std::uint64_t cost = 0;
  bool operator<(const State& other) const {
    return cost != other.cost ? cost < other.cost : options < other.options;
  }
};

class Search {
 public:
  Search(const ChoiceProblem& problem, std::size_t count) : problem_(problem), count_(count) {
    const std::size_t variables = problem.cost.size();
    ending_.resize(variables);
    last_use_.resize(variables);
    for (std::size_t v = 0; v < variables; ++v) last_use_[v] = v;
    for (const PairCost& pair : problem.pairs) {
      ending_[pair.second].push_back(&pair);
      last_use_[pair.first] = std::max(last_use_[pair.first], pair.second);
    }
    rest_.assign(variables + 1, 0);
    for (std::size_t v = variables; v-- > 0;) {
      const auto& costs = problem.cost[v];
      const std::uint64_t least = costs.empty() ? kImpossible : *std::min_element(costs.begin(), costs.end());
      rest_[v] = plus(rest_[v + 1], plus(least, least_pairs(v)));
    }
  }

  /// The cheapest found with at most `width` states per variable, all of which may end at most at `limit`.
  std::vector<State> run(std::size_t width, std::uint64_t limit, bool& exact) const {
    std::vector<State> states{State{}};
    for (std::size_t v = 0; v < problem_.cost.size(); ++v) {
      std::map<std::string, std::vector<State>> groups;
      for (const State& state : states) extend(state, v, limit, groups);
      states.clear();
      for (auto& [key, group] : groups) {
        std::sort(group.begin(), group.end());
        if (group.size() > count_) group.resize(count_);
        states.insert(states.end(), group.begin(), group.end());
      }
      std::sort(states.begin(), states.end());
      if (states.size() > width) states.resize(width), exact = false;
    }
    if (states.size() > count_) states.resize(count_);
    return states;
  }

 private:
  std::uint64_t least_pairs(std::size_t variable) const {
    std::uint64_t sum = 0;
    for (const PairCost* pair : ending_[variable]) {
      std::uint64_t least = kImpossible;
      for (const auto& row : pair->cost)
        for (const std::uint64_t cost : row) least = std::min(least, cost);
      sum = plus(sum, least);
    }
    return sum;
  }

  void extend(const State& state, std::size_t v, std::uint64_t limit,
              std::map<std::string, std::vector<State>>& groups) const {
    for (std::size_t option = 0; option < problem_.cost[v].size(); ++option) {
      std::uint64_t cost = plus(state.cost, problem_.cost[v][option]);
      for (const PairCost* pair : ending_[v])
        cost = plus(cost, pair->cost[static_cast<unsigned char>(state.options[pair->first])][option]);
      if (cost == kImpossible || plus(cost, rest_[v + 1]) > limit) continue;
      State next{state.options + static_cast<char>(option), cost};
      std::string key;
      for (std::size_t u = 0; u <= v; ++u)
        if (last_use_[u] > v) key += next.options[u];
      groups[key].push_back(std::move(next));
    }
  }

  const ChoiceProblem& problem_;
  std::size_t count_;
  std::vector<std::vector<const PairCost*>> ending_;  // by second variable
  std::vector<std::size_t> last_use_;                 // last variable paired with it
  std::vector<std::uint64_t> rest_;                   // least cost of the variables from here on
};

constexpr std::size_t kNarrow = 64;

}  // namespace

BestCombinations best_combinations(const ChoiceProblem& problem, std::size_t count, std::size_t most_states) {
  BestCombinations result;
  if (count == 0) return result;
  const Search search(problem, count);
  bool narrow_exact = true;
  const std::vector<State> guess = search.run(kNarrow, kImpossible - 1, narrow_exact);
  const std::uint64_t limit = guess.size() == count ? guess.back().cost : kImpossible - 1;
  const std::vector<State> best = narrow_exact ? guess : search.run(most_states, limit, result.exact);
  for (const State& state : best) {
    Combination combination;
    combination.cost = state.cost;
    for (const char option : state.options) combination.options.push_back(static_cast<unsigned char>(option));
    result.best.push_back(std::move(combination));
  }
  return result;
}

}  // namespace dfsim
