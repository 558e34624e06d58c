// planner/app/hardware_goal.h: the goals in which the hardware is updatable, and the trade-off curve.
#pragma once

#include "planner/app/options.h"

namespace dfsim {

/// --goal hardware, --goal cost, or --curve.
bool wants_curve(const PlanOptions& options);

/// Plans and measures for each machine that the walk asks for, in a process of its own (a process builds one
/// machine), below <out>/machines/<name>. The files of the answer are copied to <out>; curve.csv, curve.json
/// and curve.svg come beside them. Returns the exit code; throws CommandFailure if no machine does.
int plan_hardware(const PlanOptions& options);

}  // namespace dfsim
