// planner/app/hardware_points.h: the machines that goals with updatable hardware choose from.
#pragma once

#include <string>
#include <vector>

#include "planner/app/inputs.h"
#include "planner/loop/hardware_walk.h"
#include "planner/plan/execution_cost.h"

namespace dfsim {

/// A machine, as values to be set in the hardware description.
struct HardwareVariant {
  HardwarePoint point;
  std::vector<std::string> overrides;  ///< as for --set
};

/// The described machine and smaller ones: for each number of PEs the mesh that is nearest to a square, with
/// sides of 1, 2, 3, 4, 6, 8, 12 ... up to the described ones (rows at least as many as columns, if they fit:
/// a row has its memory ports). If SRAM is to be minimised, each also with a half, a quarter and an eighth of
/// the scratchpads. Machines that the description does not allow (ports that need a larger mesh) are left
/// out. `bound_cycles` is that of a period, or with the objective latency of one from a cold start.
std::vector<HardwareVariant> hardware_variants(const Inputs& inputs,
                                               const std::vector<std::string>& overrides, Minimise minimise,
                                               const Goal& goal);

}  // namespace dfsim
