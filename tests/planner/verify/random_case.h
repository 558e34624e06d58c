// tests/planner/verify/random_case.h: small graphs around one operator, on random PE groups with random
// candidates.
#pragma once

#include <cstdint>
#include <string>

#include "planner/graph/graph.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"

namespace dfsim::test {

struct RandomCase {
  Graph graph;
  Plan plan;
  std::string description;
};

/// An operator of kind `kind` with random shapes (primes among them) and attributes; before most of its
/// inputs an elementwise operator, so that they are re-sliced, and one behind some of its outputs; sometimes
/// a control edge. One to three stages on submeshes of 1 x 1 to 4 x 4 PEs of `hardware`, whose NoCs are
/// meshes of 4 x 4; with two NoCs on either or on both. Half of the candidates are those that the planner
/// forms, the others are drawn freely. Every case follows from (kind, seed). Throws std::logic_error for a
/// kind that it does not know.
RandomCase random_case(const std::string& kind, std::uint64_t seed, const HardwareSpec& hardware);

}  // namespace dfsim::test
