#include "planner/placement/exact.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace dfsim {

namespace {

constexpr std::size_t kMostStates = 2'000'000;             ///< of one step
constexpr std::uint64_t kMostComparisons = 1'000'000'000;  ///< of states; some seconds
constexpr double kSlack = 1e-9;                            ///< relative; sums in another order differ by less
constexpr double kNever = std::numeric_limits<double>::infinity();

struct State {
  std::vector<double> load;  ///< time by processor (interval), then bytes by short memory
  double sum = 0;
  Assignment unit_processor;  ///< of the units placed so far
};
using Frontier = std::vector<std::uint32_t>;
using States = std::map<Frontier, std::vector<State>>;

enum class Aim : std::uint8_t { sum, busiest };

class FrontierProgram {
 public:
  FrontierProgram(const HeterogeneousStructure& structure, const CostTable& table)
      : structure_(structure),
        table_(table),
        units_(moving_units(structure)),
        unit_of_(structure.subgraphs.size()) {
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const std::size_t i : units_[u].members) unit_of_[i] = u;
    std::uint64_t all = 0;
    for (const PlacedSubgraph& one : structure.subgraphs) all += one.memory_bytes;
    for (std::uint32_t p = 0; p < structure.processors.size(); ++p)
      if (structure.memory_bytes[p] < all) short_memories_.push_back(p);
    last_neighbour_.assign(units_.size(), 0);
    for (const SubgraphEdge& edge : structure.edges) {
      const std::size_t a = unit_of_[edge.from], b = unit_of_[edge.to];
      last_neighbour_[a] = std::max(last_neighbour_[a], b);
      last_neighbour_[b] = std::max(last_neighbour_[b], a);
    }
  }

  /// The best state; times of a processor stay within `most`. None if there is none.
  std::optional<State> solve(Aim aim, bool loads, double most) {
    loads_ = loads;
    most_ = most;
    aim_ = aim;
    least_left_ = least_times_left();
    const std::size_t parts = (loads ? structure_.processors.size() : 0) + short_memories_.size();
    States states{{{}, {State{std::vector<double>(parts, 0.0), 0, {}}}}};
    for (std::size_t u = 0; u < units_.size() && !overflow_; ++u) states = step(u, states);
    std::optional<State> best;
    for (const auto& [frontier, list] : states)
      for (const State& state : list)
        if (!best || value(state) < value(*best)) best = state;
    return overflow_ ? std::nullopt : best;
  }

  bool overflow() const { return overflow_; }
  double value(const State& state) const {
    if (aim_ == Aim::sum) return state.sum;
    return *std::max_element(state.load.begin(),
                             state.load.begin() + static_cast<std::ptrdiff_t>(structure_.processors.size()));
  }
  Assignment assignment(const State& state) const {
    Assignment at(structure_.subgraphs.size());
    for (std::size_t i = 0; i < at.size(); ++i) at[i] = state.unit_processor[unit_of_[i]];
    return at;
  }

 private:
  States step(std::size_t u, const States& states) {
    States next;
    std::size_t count = 0;
    for (const auto& [frontier, list] : states)
      for (const State& state : list)
        for (const std::uint32_t p : units_[u].processors)
          if (auto grown = grow(u, p, state)) {
            auto& rivals = next[frontier_after(u, *grown)];
            const std::size_t before = rivals.size();
            insert(rivals, std::move(*grown));
            count += rivals.size() - before;  // wraps when rivals fell out; the sum stays right
            if (count > kMostStates || comparisons_ > kMostComparisons) {
              overflow_ = true;
              return next;
            }
          }
    return next;
  }

  std::optional<State> grow(std::size_t u, std::uint32_t p, const State& state) const {
    State grown = state;
    grown.unit_processor.push_back(p);
    double time = 0;
    std::uint64_t bytes = 0;
    for (const std::size_t i : units_[u].members) {
      time += table_.duration[i][p];
      if (aim_ == Aim::sum) grown.sum += table_.duration[i][p] + table_.outside[i][p];
      bytes += structure_.subgraphs[i].memory_bytes;
    }
    const std::size_t times = loads_ ? structure_.processors.size() : 0;
    if (loads_ && ((grown.load[p] += time) > most_ || cannot_stay_within(u, grown))) return std::nullopt;
    for (std::size_t m = 0; m < short_memories_.size(); ++m)
      if (short_memories_[m] == p) {
        grown.load[times + m] += static_cast<double>(bytes);
        if (grown.load[times + m] > static_cast<double>(structure_.memory_bytes[p])) return std::nullopt;
      }
    if (aim_ == Aim::sum) grown.sum += delays_to_placed(u, grown.unit_processor);
    return grown;
  }

  /// Even spread evenly, what is placed and the least that is left would exceed the limit on some processor.
  bool cannot_stay_within(std::size_t u, const State& state) const {
    const auto processors = static_cast<std::ptrdiff_t>(structure_.processors.size());
    const double placed = std::accumulate(state.load.begin(), state.load.begin() + processors, 0.0);
    return placed + least_left_[u + 1] > most_ * static_cast<double>(processors);
  }

  /// By unit: the sum over it and all later ones of the least time on any processor.
  std::vector<double> least_times_left() const {
    std::vector<double> left(units_.size() + 1, 0.0);
    for (std::size_t u = units_.size(); u-- > 0;) {
      double least = kNever;
      for (const std::uint32_t p : units_[u].processors) {
        double time = 0;
        for (const std::size_t i : units_[u].members) time += table_.duration[i][p];
        least = std::min(least, time);
      }
      left[u] = left[u + 1] + least;
    }
    return left;
  }

  double delays_to_placed(std::size_t u, const Assignment& processors) const {
    double sum = 0;
    for (std::size_t e = 0; e < structure_.edges.size(); ++e) {
      const std::size_t a = unit_of_[structure_.edges[e].from], b = unit_of_[structure_.edges[e].to];
      if (std::max(a, b) != u || a == b) continue;
      if (processors[a] != processors[b]) sum += table_.delay[e][processors[a]][processors[b]];
    }
    return sum;
  }

  /// Copies do not count for the busiest processor, so that aim needs no frontier.
  Frontier frontier_after(std::size_t u, const State& state) const {
    Frontier frontier;
    if (aim_ == Aim::busiest) return frontier;
    for (std::size_t v = 0; v <= u; ++v)
      if (last_neighbour_[v] > u) frontier.push_back(state.unit_processor[v]);
    return frontier;
  }

  /// Keeps what nothing else equals or beats in every part.
  void insert(std::vector<State>& rivals, State state) {
    const auto beats = [](const State& a, const State& b) {
      if (a.sum > b.sum) return false;
      for (std::size_t i = 0; i < a.load.size(); ++i)
        if (a.load[i] > b.load[i]) return false;
      return true;
    };
    comparisons_ += 2 * rivals.size();
    for (const State& rival : rivals)
      if (beats(rival, state)) return;
    rivals.erase(
        std::remove_if(rivals.begin(), rivals.end(), [&](const State& rival) { return beats(state, rival); }),
        rivals.end());
    rivals.push_back(std::move(state));
  }

  const HeterogeneousStructure& structure_;
  const CostTable& table_;
  std::vector<MovingUnit> units_;
  std::vector<std::size_t> unit_of_;
  std::vector<std::size_t> last_neighbour_;    ///< by unit, the highest unit that it has an edge with
  std::vector<std::uint32_t> short_memories_;  ///< processors that cannot hold everything
  std::vector<double> least_left_;
  std::uint64_t comparisons_ = 0;
  bool loads_ = false, overflow_ = false;
  double most_ = kNever;
  Aim aim_ = Aim::sum;
};

/// An interval that can be reached: each unit, the longest first, where its processor is then least busy.
/// Bounds the states of the program. Infinite if that overflows a memory.
double greedy_interval(const HeterogeneousStructure& structure, const CostTable& table) {
  struct Item {
    const MovingUnit* unit;
    double least;
  };
  const std::vector<MovingUnit> units = moving_units(structure);
  const auto time = [&](const MovingUnit& unit, std::uint32_t p) {
    double sum = 0;
    for (const std::size_t i : unit.members) sum += table.duration[i][p];
    return sum;
  };
  std::vector<Item> items;
  for (const MovingUnit& unit : units) {
    double least = kNever;
    for (const std::uint32_t p : unit.processors) least = std::min(least, time(unit, p));
    items.push_back({&unit, least});
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const Item& a, const Item& b) { return a.least > b.least; });
  std::vector<double> load(structure.processors.size(), 0.0);
  Assignment at(structure.subgraphs.size(), 0);
  for (const Item& item : items) {
    const std::uint32_t p = *std::min_element(
        item.unit->processors.begin(), item.unit->processors.end(), [&](std::uint32_t a, std::uint32_t b) {
          return load[a] + time(*item.unit, a) < load[b] + time(*item.unit, b);
        });
    load[p] += time(*item.unit, p);
    for (const std::size_t i : item.unit->members) at[i] = p;
  }
  if (!memory_shortage(structure, at).empty()) return kNever;
  return *std::max_element(load.begin(), load.end());
}

Infeasible too_many() {
  return {"work of the exact program", kMostComparisons + 1, kMostComparisons, "comparisons of states",
          "use --method mutation, or cut into fewer sub-graphs"};
}

Infeasible nothing_fits() {
  return {"an assignment that every processor supports and whose weights fit the memories", 1, 0,
          "assignments", "lift a constraint, or give a processor more memory"};
}

}  // namespace

Result<ExactAnswer, Infeasible> exact_placement(const HeterogeneousStructure& structure,
                                                const CostTable& table) {
  for (const MovingUnit& unit : moving_units(structure))
    if (unit.processors.empty()) return nothing_fits();
  FrontierProgram program(structure, table);
  const auto slack = [](double value) { return value * (1 + kSlack); };
  double most = kNever;
  const bool interval = structure.objective == Objective::interval;
  if (interval) {
    const auto busiest = program.solve(Aim::busiest, true, slack(greedy_interval(structure, table)));
    if (!busiest) return program.overflow() ? too_many() : nothing_fits();
    most = slack(program.value(*busiest));
  }
  const auto best = program.solve(Aim::sum, interval, most);
  if (!best) return program.overflow() ? too_many() : nothing_fits();
  const Assignment assignment = program.assignment(*best);
  return ExactAnswer{assignment, table_value(structure, table, assignment)};
}

}  // namespace dfsim
