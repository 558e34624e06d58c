#include "planner/placement/settle.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "planner/placement/mutation.h"

namespace dfsim {

std::string to_string(SettleStop stop) {
  switch (stop) {
    case SettleStop::settled:
      return "settled";
    case SettleStop::budget:
      return "budget";
    case SettleStop::exact:
      return "exact";
    case SettleStop::interrupted:
      return "interrupted";
  }
  return {};
}

namespace {

constexpr std::uint32_t kWalks = 6;            ///< walks over mutants per cycle
constexpr std::uint32_t kSteps = 40;           ///< mutants of one walk
constexpr double kFirstTemperature = 0.05;     ///< as a share of the structure's value
constexpr double kHot = 0.2;                   ///< of every third walk, always: it crosses the ridges
constexpr double kCooling = 0.93;              ///< per cycle without anything better
constexpr double kRaise = 1.5, kLower = 0.95;  ///< of the factors of what moved
constexpr double kSettledShare = 0.1;          ///< of the first factor
constexpr std::uint32_t kLeastPatience = 16;   ///< cycles without anything better, at least
constexpr std::uint32_t kPatiencePerUnit = 4;

constexpr double kSame = 1e-9;  ///< relative; sums of the same numbers in another order differ by less

/// -1, 0 or 1, with a tolerance.
int compare(double a, double b) {
  if (std::abs(a - b) <= kSame * std::max(std::abs(a), std::abs(b))) return 0;
  return a < b ? -1 : 1;
}

class Settler {
 public:
  Settler(const HeterogeneousStructure& structure, ExecutionServer& server, const SettleOptions& options,
          const std::function<bool()>& interrupted)
      : structure_(structure),
        server_(server),
        options_(options),
        interrupted_(interrupted),
        mutation_(structure),
        info_(structure),
        rng_(options.seed) {
    for (const MovingUnit& unit : mutation_.units()) {
      double sum = 0;
      for (const std::size_t i : unit.members) sum += structure.subgraphs[i].mutation_factor;
      first_.push_back(unit.processors.size() < 2 ? 0 : sum / static_cast<double>(unit.members.size()));
    }
    factors_ = first_;
  }

  Result<Settled, Infeasible> run() {
    if (auto reason = impossible()) return *reason;
    if (!first_cycles()) return no_memory();
    current_ = result_.best;
    patience_ = std::max(kLeastPatience, kPatiencePerUnit * static_cast<std::uint32_t>(factors_.size()));
    while (!stopped()) {
      const std::optional<Assignment> next = propose();
      if (!next) break;  // all mutants were run
      execute(*next);
      compare_with_current();
    }
    return std::move(result_);
  }

 private:
  std::optional<Infeasible> impossible() const {
    for (const MovingUnit& unit : mutation_.units()) {
      if (!unit.processors.empty()) continue;
      std::string names, reasons;
      for (const std::size_t i : unit.members) {
        names += (names.empty() ? "" : " and ") + structure_.subgraphs[i].name;
        for (std::size_t p = 0; p < structure_.processors.size(); ++p)
          if (!structure_.subgraphs[i].supported[p])
            reasons +=
                fmt::format("{}{} on {}: {}", reasons.empty() ? "" : "; ", structure_.subgraphs[i].name,
                            structure_.processors[p], structure_.subgraphs[i].refused[p]);
      }
      return Infeasible{fmt::format("processors that can run {} ({})", names, reasons), 1, 0, "processors",
                        "lift a constraint, or add a processor that supports these operators"};
    }
    return std::nullopt;
  }

  Infeasible no_memory() const {
    std::uint64_t demand = 0, limit = 0;
    for (const PlacedSubgraph& one : structure_.subgraphs) demand += one.memory_bytes;
    for (const std::uint64_t bytes : structure_.memory_bytes)
      limit = bytes > HeterogeneousStructure::kUnlimited - limit ? bytes : limit + bytes;
    return {"memory of all processors for the weights of all sub-graphs, none of which can be divided",
            demand, limit, "bytes", "cut into smaller sub-graphs, or give a processor more memory"};
  }

  bool first_cycles() {
    for (std::uint32_t p = 0; p < structure_.processors.size(); ++p) {
      const auto at = mostly_on(p, structure_, mutation_.units());
      if (at && !run_before(*at) && result_.cycles.size() < options_.max_cycles) execute(*at);
    }
    return !result_.cycles.empty();
  }

  bool run_before(const Assignment& at) const { return run_.count(at) > 0; }

  bool stopped() {
    if (interrupted_ && interrupted_()) return result_.stop = SettleStop::interrupted, true;
    if (result_.cycles.size() >= options_.max_cycles) return result_.stop = SettleStop::budget, true;
    if (without_better_ >= patience_) return true;
    bool moving = false;
    for (std::size_t u = 0; u < factors_.size(); ++u)
      moving |= factors_[u] > 0 && factors_[u] >= kSettledShare * first_[u];
    return !moving;
  }

  /// Temperature as a share of the value.
  double temperature() const {
    return kFirstTemperature * std::pow(kCooling, static_cast<double>(without_better_));
  }

  bool accepted(const TableValue& now, const TableValue& then, double temperature) {
    const int value = compare(now.value, then.value);
    if (value < 0 || (value == 0 && compare(now.sum, then.sum) <= 0)) return true;
    const double worse = value == 0 ? 0 : (now.value - then.value) / std::max(then.value, 1e-300);
    return rng_.uniform() < std::exp(-worse / temperature);
  }

  /// Mutants of mutants on the estimates; the best that was not run.
  std::optional<Assignment> propose() {
    std::optional<Assignment> best;
    TableValue best_estimate;
    for (std::uint32_t walk = 0; walk < kWalks; ++walk) {
      Assignment at = walk % 2 == 0 ? current_.assignment : result_.best.assignment;
      const bool hot = walk % 3 == 0;
      TableValue value = info_.estimate(at);
      for (std::uint32_t step = 0; step < kSteps; ++step) {
        Assignment mutant = mutation_.mutate(at, factors_, rng_);
        if (mutant == at || !memory_shortage(structure_, mutant).empty()) continue;
        const TableValue estimate = info_.estimate(mutant);
        if (!run_before(mutant)) {
          const int better = best ? compare(estimate.value, best_estimate.value) : -1;
          if (better < 0 || (better == 0 && compare(estimate.sum, best_estimate.sum) < 0)) {
            best = mutant;
            best_estimate = estimate;
          }
        }
        if (accepted(estimate, value, hot ? kHot : temperature())) at = std::move(mutant), value = estimate;
      }
    }
    return best;
  }

  void execute(const Assignment& at) {
    ExecutionCycle cycle = server_.run(at);
    info_.record(cycle);
    run_.insert(at);
    result_.cycles.push_back(cycle);
    result_.factors.push_back(by_subgraph());
    const bool first = result_.cycles.size() == 1;
    if (first || is_better(cycle, result_.best)) {
      result_.best = std::move(cycle);
      result_.best_cycle = static_cast<std::uint32_t>(result_.cycles.size());
      without_better_ = 0;
    } else {
      ++without_better_;
    }
  }

  void compare_with_current() {
    const ExecutionCycle& last = result_.cycles.back();
    const bool better = is_better(last, current_);
    for (std::size_t u = 0; u < factors_.size(); ++u) {
      if (mutation_.processor_of(u, last.assignment) == mutation_.processor_of(u, current_.assignment))
        continue;
      factors_[u] = better ? std::min(1.0, factors_[u] * kRaise) : factors_[u] * kLower;
      if (!better) continue;
      for (const std::size_t v : mutation_.neighbours(u)) factors_[v] = std::max(factors_[v], first_[v]);
    }
    result_.factors.back() = by_subgraph();
    if (accepted({last.value, last.sum}, {current_.value, current_.sum}, temperature())) current_ = last;
  }

  std::vector<double> by_subgraph() const {
    std::vector<double> factors(structure_.subgraphs.size());
    for (std::size_t u = 0; u < factors_.size(); ++u)
      for (const std::size_t i : mutation_.units()[u].members) factors[i] = factors_[u];
    return factors;
  }

  const HeterogeneousStructure& structure_;
  ExecutionServer& server_;
  const SettleOptions& options_;
  const std::function<bool()>& interrupted_;
  Mutation mutation_;
  ExecutionInfo info_;
  Rng rng_;
  std::vector<double> first_, factors_;  ///< by unit
  std::set<Assignment> run_;
  ExecutionCycle current_;
  Settled result_;
  std::uint32_t without_better_ = 0, patience_ = 0;
};

}  // namespace

bool is_better(const ExecutionCycle& a, const ExecutionCycle& b) {
  const int value = compare(a.value, b.value);
  return value < 0 || (value == 0 && compare(a.sum, b.sum) < 0);
}

Result<Settled, Infeasible> settle(const HeterogeneousStructure& structure, ExecutionServer& server,
                                   const SettleOptions& options, const std::function<bool()>& interrupted) {
  return Settler(structure, server, options, interrupted).run();
}

}  // namespace dfsim
