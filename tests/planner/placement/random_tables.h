// Random structures with known times, for comparisons with the exact answer.
#pragma once

#include <algorithm>

#include "planner/placement/time_table.h"
#include "sim/base/rng.h"

namespace dfsim {

/// 5 to 12 sub-graphs on 2 to 4 processors. A third each: chains, trees (every sub-graph reads one earlier
/// one), and graphs in which some read a second one. Times 1 to 20, copies 0 to 10; one in ten pairs is not
/// supported.
inline TimeTable random_table(std::uint64_t seed, Objective objective) {
  Rng rng(seed, 7);
  TimeTable table;
  HeterogeneousStructure& structure = table.structure;
  const std::size_t n = 5 + rng.below(8), processors = 2 + rng.below(3);
  structure.objective = objective;
  for (std::size_t p = 0; p < processors; ++p) structure.processors.push_back("p" + std::to_string(p));
  structure.memory_bytes.assign(processors, HeterogeneousStructure::kUnlimited);
  for (std::size_t i = 0; i < n; ++i) {
    PlacedSubgraph one;
    one.name = "g" + std::to_string(i);
    std::vector<double> times;
    for (std::size_t p = 0; p < processors; ++p) {
      times.push_back(static_cast<double>(1 + rng.below(20)));
      one.supported.push_back(rng.below(10) > 0);
      one.refused.emplace_back(one.supported.back() ? "" : "drawn so");
    }
    if (std::none_of(one.supported.begin(), one.supported.end(), [](bool yes) { return yes; }))
      one.supported[0] = true;
    structure.subgraphs.push_back(std::move(one));
    table.costs.duration.push_back(times);
    table.costs.outside.emplace_back(processors, 0.0);
  }
  const auto join = [&](std::size_t from, std::size_t to) {
    structure.edges.push_back({from, to, 1 + rng.below(1000)});
    const double time = static_cast<double>(rng.below(11));
    table.costs.delay.emplace_back(processors, std::vector<double>(processors, time));
  };
  for (std::size_t i = 1; i < n; ++i) {
    const std::size_t parent = seed % 3 == 0 ? i - 1 : rng.below(i);
    join(parent, i);
    if (seed % 3 == 2 && rng.below(3) == 0)
      if (const std::size_t second = rng.below(i); second != parent) join(second, i);
  }
  for (const SubgraphEdge& edge : structure.edges) {
    structure.subgraphs[edge.from].output_bytes += edge.bytes;
    structure.subgraphs[edge.to].input_bytes += edge.bytes;
  }
  set_first_factors(structure);
  return table;
}

}  // namespace dfsim
