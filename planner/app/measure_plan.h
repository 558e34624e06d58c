// planner/app/measure_plan.h: a plan run whole in this process, for its measurement, program and trace.
#pragma once

#include <cstdint>

#include "planner/graph/graph.h"
#include "planner/plan/plan.h"
#include "planner/report/run_report.h"
#include "sim/api/observer.h"
#include "sim/api/program.h"
#include "sim/api/program_runner.h"

namespace dfsim {

/// The program of `plan` over fill + measured periods. Throws CommandFailure (3) if it does not fit.
Program lower_whole(const Graph& graph, const HardwareSpec& hardware, const Plan& plan, std::uint32_t periods,
                    std::uint64_t seed);

/// Runs `program` and, for `total_cycles`, one period of it from a cold start. `observer` (may be null) sees
/// the first run. Throws CommandFailure (4) after a deadlock.
MeasuredPlan measure_program(ProgramRunner& runner, const Program& program, std::uint32_t fill_periods,
                             Observer* observer);

}  // namespace dfsim
