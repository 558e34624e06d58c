#include "planner/placement/mutation.h"

#include <algorithm>
#include <numeric>

namespace dfsim {

Mutation::Mutation(const HeterogeneousStructure& structure)
    : units_(moving_units(structure)), neighbours_(units_.size()) {
  std::vector<std::size_t> unit_of(structure.subgraphs.size());
  for (std::size_t u = 0; u < units_.size(); ++u)
    for (const std::size_t i : units_[u].members) unit_of[i] = u;
  const auto join = [&](std::size_t a, std::size_t b) {
    auto& list = neighbours_[a];
    if (std::find(list.begin(), list.end(), b) == list.end()) list.push_back(b);
  };
  for (const SubgraphEdge& edge : structure.edges) {
    const std::size_t a = unit_of[edge.from], b = unit_of[edge.to];
    if (a == b) continue;
    join(a, b);
    join(b, a);
  }
}

void Mutation::put(std::size_t unit, std::uint32_t processor, Assignment& at) const {
  for (const std::size_t i : units_[unit].members) at[i] = processor;
}

std::size_t Mutation::draw_unit(const std::vector<double>& factors, Rng& rng) const {
  double left = rng.uniform() * std::accumulate(factors.begin(), factors.end(), 0.0);
  for (std::size_t u = 0; u < factors.size(); ++u)
    if (factors[u] > 0 && (left -= factors[u]) < 0) return u;
  for (std::size_t u = factors.size(); u-- > 0;)  // rounding: the last that may move
    if (factors[u] > 0) return u;
  return 0;
}

std::uint32_t Mutation::draw_processor(std::size_t unit, Rng& rng) const {
  const auto& processors = units_[unit].processors;
  return processors[rng.below(processors.size())];
}

/// The units around `unit` that share its processor move along, each with three chances in four.
void Mutation::move_run(std::size_t unit, std::uint32_t processor, Assignment& at, Rng& rng) const {
  const std::uint32_t old = processor_of(unit, at);
  std::vector<bool> seen(units_.size(), false);
  std::vector<std::size_t> todo{unit};
  seen[unit] = true;
  while (!todo.empty()) {
    const std::size_t u = todo.back();
    todo.pop_back();
    put(u, processor, at);
    for (const std::size_t v : neighbours_[u]) {
      const auto& possible = units_[v].processors;
      if (seen[v] || processor_of(v, at) != old || rng.below(4) == 0) continue;
      seen[v] = true;
      if (std::find(possible.begin(), possible.end(), processor) != possible.end()) todo.push_back(v);
    }
  }
}

/// Two units trade processors, if each supports the other's: what balances loads, where a lone move
/// overloads.
void Mutation::exchange(std::size_t a, std::size_t b, Assignment& at) const {
  const std::uint32_t of_a = processor_of(a, at), of_b = processor_of(b, at);
  const auto supports = [&](std::size_t unit, std::uint32_t processor) {
    const auto& possible = units_[unit].processors;
    return std::find(possible.begin(), possible.end(), processor) != possible.end();
  };
  if (!supports(a, of_b) || !supports(b, of_a)) return;
  put(a, of_b, at);
  put(b, of_a, at);
}

Assignment Mutation::mutate(const Assignment& at, const std::vector<double>& factors, Rng& rng) const {
  Assignment mutant = at;
  const std::size_t unit = draw_unit(factors, rng);
  const std::uint64_t kind = rng.below(4);
  const std::uint32_t target = draw_processor(unit, rng);
  if (kind == 2) {
    move_run(unit, target, mutant, rng);
    return mutant;
  }
  if (kind == 3) {
    exchange(unit, draw_unit(factors, rng), mutant);
    return mutant;
  }
  put(unit, target, mutant);
  const auto& near = neighbours_[unit];
  if (kind == 1 && !near.empty()) {
    const std::size_t other = near[rng.below(near.size())];
    put(other, draw_processor(other, rng), mutant);
  }
  return mutant;
}

std::optional<Assignment> mostly_on(std::uint32_t preferred, const HeterogeneousStructure& structure,
                                    const std::vector<MovingUnit>& units) {
  Assignment at(structure.subgraphs.size(), 0);
  std::vector<std::uint64_t> used(structure.processors.size(), 0), bytes(units.size(), 0);
  for (std::size_t u = 0; u < units.size(); ++u)
    for (const std::size_t i : units[u].members) bytes[u] += structure.subgraphs[i].memory_bytes;
  std::vector<std::size_t> order(units.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Units with one choice first, then the large ones: first-fit decreasing.
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool one_a = units[a].processors.size() == 1, one_b = units[b].processors.size() == 1;
    return one_a != one_b ? one_a : bytes[a] > bytes[b];
  });
  for (const std::size_t u : order) {
    std::vector<std::uint32_t> choices = units[u].processors;
    std::stable_partition(choices.begin(), choices.end(), [&](std::uint32_t p) { return p == preferred; });
    const auto fits = std::find_if(choices.begin(), choices.end(), [&](std::uint32_t p) {
      return bytes[u] <= structure.memory_bytes[p] - used[p];
    });
    if (fits == choices.end()) return std::nullopt;
    for (const std::size_t i : units[u].members) at[i] = *fits;
    used[*fits] += bytes[u];
  }
  return at;
}

}  // namespace dfsim
