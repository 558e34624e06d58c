// planner/placement/constraints.h: where a graph may be cut, and what may run where, as the user states it.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sim/base/errors.h"
#include "sim/base/yaml.h"

namespace dfsim {

/// Operators in a row that one sub-graph must hold: `kind` or `kind:function` each, joined by data edges.
struct CutPattern {
  std::vector<std::string> kinds;
  SourceLocation where;
};

/// Processors that the operators whose names match `operators` may run on. `*` stands for any text.
struct ProcessorRule {
  std::string operators;
  std::vector<std::string> processors;
  bool pinned = false;  ///< stated under `pinned`, with one processor
  SourceLocation where;
};

/// The sub-graphs that hold these operators share a processor.
struct TogetherRule {
  std::vector<std::string> operators;
  SourceLocation where;
};

struct CutConstraints {
  static constexpr std::uint32_t kNoLimit = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t max_crossing_tensors = 1;
  std::uint32_t min_operators = 1;
  std::uint32_t max_operators = kNoLimit;
  std::uint32_t max_subgraphs = 16;  ///< at least 2
  std::vector<CutPattern> never_inside;
  std::vector<ProcessorRule> rules;
  std::vector<TogetherRule> together;
  SourceLocation where;
};

/// Reads the mapping `cut` (docs/placement.md); absent: the defaults. Reports every mistake that can be seen
/// without a model: unknown processors and kinds of operators, contradicting sizes.
CutConstraints read_cut_constraints(const YamlValue& cut, const std::vector<std::string>& processors);

/// True if `name` matches `pattern`, in which * stands for any text.
bool matches(const std::string& pattern, const std::string& name);

}  // namespace dfsim
