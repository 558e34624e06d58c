// planner/app/collective_runs.h: communication primitives run alone, algorithm by algorithm.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/comm/collective.h"

namespace dfsim {

class ProgramRunner;

struct CollectiveSetting {
  CollectiveKind kind = CollectiveKind::all_reduce;
  Submesh group;
  std::uint32_t root = 0;
  std::uint32_t piece_bytes = 2048;
  std::uint64_t seed = 1;
};

/// One algorithm on one size.
struct CollectiveRun {
  std::string algorithm;
  std::uint64_t bytes = 0;  ///< of the vector (all_to_all: of each PE's)
  std::string refusal;      ///< why it was not run; then nothing below counts
  std::uint64_t cycles = 0;
  CollectiveTraffic traffic;
  /// No algorithm needs fewer: least_elements over the width of a link, which a PE's own port has too.
  double least_cycles = 0;
  /// This one does not: the elements of its busiest PE over the same.
  double algorithm_least_cycles = 0;
};

/// Lowers, runs and executes on numbers; `bytes` is a multiple of 4. Throws CommandFailure (1) if a number is
/// wrong or bytes are not as executed, (4) if a run does not end.
CollectiveRun run_collective(ProgramRunner& runner, const CollectiveSetting& setting,
                             const std::string& algorithm, std::uint64_t bytes);

}  // namespace dfsim
