#include "planner/placement/structure.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace dfsim {

std::vector<MovingUnit> moving_units(const HeterogeneousStructure& structure) {
  std::vector<std::size_t> root(structure.subgraphs.size());
  std::iota(root.begin(), root.end(), std::size_t{0});
  const auto find = [&](std::size_t i) {
    while (root[i] != i) i = root[i];
    return i;
  };
  for (const auto& group : structure.together)
    for (const std::size_t member : group) {
      const std::size_t a = find(group.front()), b = find(member);
      root[std::max(a, b)] = std::min(a, b);
    }
  std::vector<MovingUnit> units;
  std::vector<std::size_t> unit_of(root.size());
  for (std::size_t i = 0; i < root.size(); ++i) {
    if (find(i) == i) {
      unit_of[i] = units.size();
      units.emplace_back();
    }
    units[unit_of[find(i)]].members.push_back(i);
  }
  for (MovingUnit& unit : units)
    for (std::uint32_t p = 0; p < structure.processors.size(); ++p)
      if (std::all_of(unit.members.begin(), unit.members.end(),
                      [&](std::size_t i) { return structure.subgraphs[i].supported[p]; }))
        unit.processors.push_back(p);
  return units;
}

double first_mutation_factor(std::size_t supporting, std::size_t processors, double bytes,
                             double mean_bytes) {
  if (supporting < 2 || processors < 2) return 0;
  const double choice = static_cast<double>(supporting - 1) / static_cast<double>(processors - 1);
  const double traffic = mean_bytes > 0 ? mean_bytes / (mean_bytes + bytes) : 1;
  return choice * traffic;
}

void set_first_factors(HeterogeneousStructure& structure) {
  const auto bytes_of_one = [](const PlacedSubgraph& one) {
    return static_cast<double>(one.input_bytes) + static_cast<double>(one.output_bytes);
  };
  double sum = 0;
  for (const PlacedSubgraph& one : structure.subgraphs) sum += bytes_of_one(one);
  const double mean = structure.subgraphs.empty() ? 0 : sum / static_cast<double>(structure.subgraphs.size());
  for (PlacedSubgraph& one : structure.subgraphs) {
    const auto supporting = std::count(one.supported.begin(), one.supported.end(), true);
    one.mutation_factor = first_mutation_factor(static_cast<std::size_t>(supporting),
                                                structure.processors.size(), bytes_of_one(one), mean);
  }
}

std::string memory_shortage(const HeterogeneousStructure& structure, const Assignment& assignment) {
  std::vector<std::uint64_t> used(structure.processors.size(), 0);
  for (std::size_t i = 0; i < assignment.size(); ++i)
    used[assignment[i]] += structure.subgraphs[i].memory_bytes;
  for (std::size_t p = 0; p < used.size(); ++p)
    if (used[p] > structure.memory_bytes[p])
      return fmt::format("the sub-graphs on {} need {} bytes of memory, {} are there",
                         structure.processors[p], used[p], structure.memory_bytes[p]);
  return {};
}

std::string to_string(const HeterogeneousStructure& structure, const Assignment& assignment) {
  std::string text;
  for (std::size_t i = 0; i < assignment.size(); ++i)
    text += fmt::format("{}{}={}", i ? " " : "", structure.subgraphs[i].name,
                        structure.processors[assignment[i]]);
  return text;
}

}  // namespace dfsim
