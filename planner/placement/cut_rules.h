// planner/placement/cut_rules.h: which processors each operator may run on. Part of cut.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/placement/cut.h"

namespace dfsim {

class AllowedProcessors {
 public:
  /// From rules and support. Throws ModelError with everything that contradicts.
  static AllowedProcessors of(const Graph& graph, const CutConstraints& constraints,
                              const std::vector<std::string>& processors, const OperatorSupport& support);
  /// One processor that runs all.
  static AllowedProcessors everywhere(const Graph& graph);

  /// The operators [begin, end) have a processor in common.
  bool share_one(std::size_t begin, std::size_t end) const;
  /// By processor: why it cannot run all of [begin, end); empty if it can.
  std::vector<std::string> refusals(std::size_t begin, std::size_t end) const;

 private:
  std::vector<std::vector<std::string>> reasons_;      ///< [operator][processor]; empty: allowed
  std::vector<std::vector<std::uint32_t>> forbidden_;  ///< [processor][i]: of the operators before i
};

}  // namespace dfsim
