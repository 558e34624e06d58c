// planner/report/curve.h: the trade-off curve between hardware and time, for people and for programs.
#pragma once

#include <string>

#include "planner/loop/hardware_walk.h"
#include "planner/plan/execution_cost.h"

namespace dfsim {

std::string to_string(GoalKind kind);

/// What the curve was made for.
struct CurveContext {
  Goal goal;
  Minimise minimise = Minimise::pes;
  double limit_cycles = 0;  ///< goal hardware: the time limit
  std::uint64_t clock_period_ps = 1000;
};

/// A table of all points, the chosen one marked, and the steps of the walk.
std::string curve_text(const HardwareCurve& curve, const CurveContext& context);
/// curve.csv: a line per point.
std::string curve_csv(const HardwareCurve& curve);
/// curve.json (docs/schemas/curve.schema.json).
std::string curve_json(const HardwareCurve& curve, const CurveContext& context);
/// curve.svg: PEs against time; measured points, bounds, the limit, the chosen point.
std::string curve_svg(const HardwareCurve& curve, const CurveContext& context);

}  // namespace dfsim
