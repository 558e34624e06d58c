// planner/verify/value_run.h: runs a program of communication alone on numbers.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "planner/verify/fault.h"
#include "sim/api/hardware.h"
#include "sim/api/program.h"

namespace dfsim {

/// Numbers in a part of a micro-tensor, row-major over the access's box.
struct PlacedValues {
  PeId pe;
  Access access;
  std::vector<float> values;
};

struct ValueRun {
  std::optional<Fault> fault;
  std::uint64_t micro_ops = 0;
  std::vector<std::uint64_t> primitive_bytes;  ///< executed, by Program::primitives
};

/// Executes one period of a program of sends, receives and `accumulate` micro-ops between PE memories that
/// hold `given` and nothing else, in an order drawn from `seed` among those that the dependences allow (see
/// WorkOrder). Then the `expected` numbers must be where they belong, exactly: choose numbers whose sums are
/// exact in float32. Indices must be right (the loader checks them).
ValueRun run_values(const Program& program, const HardwareSpec& hardware,
                    const std::vector<PlacedValues>& given, const std::vector<PlacedValues>& expected,
                    std::uint64_t seed);

}  // namespace dfsim
