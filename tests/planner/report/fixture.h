// A model and a chip small enough to state every number.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "planner/frontend/frontend.h"
#include "planner/graph/graph.h"
#include "planner/plan/plan.h"
#include "sim/hw/hardware_config.h"

namespace dfsim {

inline HardwareSpec small_chip(const std::vector<std::string>& overrides = {}) {
  return load_hardware(std::string(DFSIM_SOURCE_DIR) + "/configs/mesh2x2.yaml", overrides);
}

/// Two products with an activation between them: 64 -> 32 -> 16.
inline Graph small_graph() {
  return read_model_text(
             "name: small\n"
             "data_type: fp16\n"
             "inputs:\n"
             "  - {name: x, shape: [64]}\n"
             "outputs: [second]\n"
             "operators:\n"
             "  - {name: first, kind: matmul, inputs: [x], out_features: 32}\n"
             "  - {name: act, kind: elementwise, function: relu, inputs: [first]}\n"
             "  - {name: second, kind: matmul, inputs: [act], out_features: 16}\n",
             "small.yaml")
      .graph;
}

inline OperatorCandidate whole(std::size_t axes) {
  OperatorCandidate candidate;
  candidate.spatial.assign(axes, 1);
  candidate.temporal.assign(axes, 1);
  for (std::uint32_t axis = 0; axis < axes; ++axis) candidate.nesting.push_back(axis);
  return candidate;
}

}  // namespace dfsim
