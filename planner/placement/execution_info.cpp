#include "planner/placement/execution_info.h"

#include <algorithm>
#include <limits>

namespace dfsim {

TableValue table_value(const HeterogeneousStructure& structure, const CostTable& table,
                       const Assignment& assignment) {
  TableValue result;
  std::vector<double> load(structure.processors.size(), 0.0);
  for (std::size_t i = 0; i < assignment.size(); ++i) {
    load[assignment[i]] += table.duration[i][assignment[i]];
    result.sum += table.duration[i][assignment[i]] + table.outside[i][assignment[i]];
  }
  for (std::size_t e = 0; e < structure.edges.size(); ++e) {
    const std::uint32_t from = assignment[structure.edges[e].from], to = assignment[structure.edges[e].to];
    if (from != to) result.sum += table.delay[e][from][to];
  }
  result.value =
      structure.objective == Objective::latency ? result.sum : *std::max_element(load.begin(), load.end());
  return result;
}

ExecutionInfo::ExecutionInfo(const HeterogeneousStructure& structure) : structure_(structure) {
  const std::size_t n = structure.subgraphs.size(), p = structure.processors.size(),
                    e = structure.edges.size();
  seen_.assign(n, std::vector<Mean>(p));
  outside_ = seen_;
  delays_.assign(e, std::vector<std::vector<Mean>>(p, std::vector<Mean>(p)));
  table_.duration.assign(n, std::vector<double>(p, 0.0));
  table_.outside = table_.duration;
  table_.delay.assign(e, std::vector<std::vector<double>>(p, std::vector<double>(p, 0.0)));
}

void ExecutionInfo::record(const ExecutionCycle& cycle) {
  const Assignment& at = cycle.assignment;
  const auto processors = static_cast<std::uint32_t>(structure_.processors.size());
  for (std::size_t i = 0; i < at.size(); ++i) {
    seen_[i][at[i]].add(cycle.duration[i]);
    outside_[i][at[i]].add(cycle.input_delay[i] + cycle.output_delay[i]);
    for (std::uint32_t p = 0; p < processors; ++p) {
      table_.duration[i][p] = duration_or_least(i, p);
      table_.outside[i][p] = outside_[i][p].mean().value_or(0);
    }
  }
  for (std::size_t e = 0; e < delays_.size(); ++e) {
    const std::uint32_t from = at[structure_.edges[e].from], to = at[structure_.edges[e].to];
    if (from == to) continue;
    delays_[e][from][to].add(cycle.delay[e]);
    for (std::uint32_t p = 0; p < processors; ++p)
      for (std::uint32_t q = 0; q < processors; ++q) table_.delay[e][p][q] = delay_or_least(e, p, q);
  }
}

double ExecutionInfo::duration_or_least(std::size_t subgraph, std::uint32_t processor) const {
  if (const auto known = seen_[subgraph][processor].mean()) return *known;
  double least = std::numeric_limits<double>::infinity();
  for (const Mean& other : seen_[subgraph]) least = std::min(least, other.mean().value_or(least));
  return least;
}

double ExecutionInfo::delay_or_least(std::size_t edge, std::uint32_t from, std::uint32_t to) const {
  if (from == to) return 0;
  if (const auto known = delays_[edge][from][to].mean()) return *known;
  double least = std::numeric_limits<double>::infinity();
  for (const auto& row : delays_[edge])
    for (const Mean& other : row) least = std::min(least, other.mean().value_or(least));
  return least;
}

TableValue ExecutionInfo::estimate(const Assignment& assignment) const {
  return table_value(structure_, table_, assignment);
}

CostTable ExecutionInfo::table() const { return table_; }

namespace {

/// What run_alone() has not shown yet, covered by one assignment after another.
class Coverage {
 public:
  Coverage(const HeterogeneousStructure& structure, const ExecutionInfo& info)
      : structure_(structure), info_(info), units_(moving_units(structure)) {}

  /// An assignment that shows as much new as a greedy choice finds; none if everything was seen.
  std::optional<Assignment> next() const {
    Assignment best;
    std::size_t most = 0;
    // A greedy walk from each first choice: alone, the first unit sees only its own durations.
    for (const std::uint32_t first : units_.front().processors) {
      Assignment at(structure_.subgraphs.size(), kNowhere);
      std::size_t shown = place(units_.front(), first, at);
      for (std::size_t u = 1; u < units_.size(); ++u) shown += place_best(units_[u], at);
      if (shown > most && memory_shortage(structure_, at).empty()) most = shown, best = at;
    }
    if (most == 0) return forced();
    return best;
  }

 private:
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

  std::size_t place(const MovingUnit& unit, std::uint32_t processor, Assignment& at) const {
    for (const std::size_t i : unit.members) at[i] = processor;
    return shown_by(unit, at);
  }
  std::size_t place_best(const MovingUnit& unit, Assignment& at) const {
    std::uint32_t choice = unit.processors.front();
    std::size_t most = 0;
    for (const std::uint32_t p : unit.processors)
      if (const std::size_t shown = place(unit, p, at); shown > most) most = shown, choice = p;
    return place(unit, choice, at);
  }
  /// New durations of the unit's members, and new delays between them and what has a place.
  std::size_t shown_by(const MovingUnit& unit, const Assignment& at) const {
    std::size_t shown = 0;
    for (const std::size_t i : unit.members) shown += info_.visits(i, at[i]) == 0;
    for (std::size_t e = 0; e < structure_.edges.size(); ++e) {
      const auto& edge = structure_.edges[e];
      const auto in = [&](std::size_t i) {
        return std::find(unit.members.begin(), unit.members.end(), i) != unit.members.end();
      };
      if ((in(edge.from) || in(edge.to)) && at[edge.from] != kNowhere && at[edge.to] != kNowhere)
        shown += !info_.delay(e, at[edge.from], at[edge.to]);
    }
    return shown;
  }
  /// The greedy walk starts at the first unit and may go round what is left elsewhere: take one such thing
  /// and fix both its ends.
  std::optional<Assignment> forced() const {
    std::vector<std::size_t> unit_of(structure_.subgraphs.size());
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const std::size_t i : units_[u].members) unit_of[i] = u;
    for (std::size_t i = 0; i < unit_of.size(); ++i)
      for (const std::uint32_t p : units_[unit_of[i]].processors)
        if (info_.visits(i, p) == 0)
          if (auto at = around({{unit_of[i], p}})) return at;
    for (std::size_t e = 0; e < structure_.edges.size(); ++e) {
      const std::size_t a = unit_of[structure_.edges[e].from], b = unit_of[structure_.edges[e].to];
      if (a == b) continue;
      for (const std::uint32_t p : units_[a].processors)
        for (const std::uint32_t q : units_[b].processors)
          if (!info_.delay(e, p, q))
            if (auto at = around({{a, p}, {b, q}})) return at;
    }
    return std::nullopt;
  }
  /// The rest goes wherever memory is left.
  std::optional<Assignment> around(const std::vector<std::pair<std::size_t, std::uint32_t>>& fixed) const {
    Assignment at(structure_.subgraphs.size(), 0);
    std::vector<std::uint64_t> used(structure_.processors.size(), 0);
    std::vector<bool> done(units_.size(), false);
    const auto bytes = [&](const MovingUnit& unit) {
      std::uint64_t sum = 0;
      for (const std::size_t i : unit.members) sum += structure_.subgraphs[i].memory_bytes;
      return sum;
    };
    const auto put = [&](std::size_t u, std::uint32_t p) {
      for (const std::size_t i : units_[u].members) at[i] = p;
      used[p] += bytes(units_[u]);
      done[u] = true;
    };
    for (const auto& [u, p] : fixed) put(u, p);
    for (std::size_t u = 0; u < units_.size(); ++u) {
      if (done[u]) continue;
      for (const std::uint32_t p : units_[u].processors)
        if (!done[u] && used[p] + bytes(units_[u]) <= structure_.memory_bytes[p]) put(u, p);
      if (!done[u]) return std::nullopt;
    }
    return memory_shortage(structure_, at).empty() ? std::optional(at) : std::nullopt;
  }

  const HeterogeneousStructure& structure_;
  const ExecutionInfo& info_;
  std::vector<MovingUnit> units_;
};

}  // namespace

ExecutionInfo measure_everything(const HeterogeneousStructure& structure, ExecutionServer& server,
                                 std::vector<ExecutionCycle>& cycles) {
  ExecutionInfo info(structure);
  while (const auto assignment = Coverage(structure, info).next()) {
    cycles.push_back(server.run_alone(*assignment));
    info.record(cycles.back());
  }
  return info;
}

}  // namespace dfsim
