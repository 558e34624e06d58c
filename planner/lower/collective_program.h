// planner/lower/collective_program.h: a communication primitive alone, as a program.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"
#include "sim/base/result.h"
#include "sim/comm/collective.h"

namespace dfsim {

/// A part of the vector in one PE's scratchpad. The box is that of the program's tensor: elements of all
/// ranks for all_to_all, else of the vector.
struct HeldPart {
  std::uint32_t rank = 0;
  PeId pe;
  Access access;
};

struct CollectiveProgram {
  Program program;                ///< one period; elements are fp32, 4 bytes
  std::vector<HeldPart> given;    ///< there from the start
  std::vector<HeldPart> results;  ///< there at the end
};

struct CollectiveLowering {
  CollectiveRequest request;
  std::string algorithm;  ///< registered for the kind, and not refused
  std::vector<PeId> pes;  ///< by rank, ascending
  /// Longer messages are cut into pieces of about this size, which follow one another through the steps.
  std::uint32_t piece_bytes = 2048;
};

/// Writes the messages of the algorithm as sends and receives, and additions on the vector unit. The vector
/// is worked on in place; what is to be added arrives beside it. Infeasible if that does not fit a
/// scratchpad.
Result<CollectiveProgram, Infeasible> lower_collective(const HardwareSpec& hardware,
                                                       const CollectiveLowering& lowering);

}  // namespace dfsim
