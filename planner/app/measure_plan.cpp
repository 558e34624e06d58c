#include "planner/app/measure_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/app/exit_codes.h"
#include "planner/cost/program_hash.h"
#include "planner/lower/lower.h"
#include "sim/energy/energy.h"

namespace dfsim {

namespace {

Measurement finished(ProgramRunner& runner, const Program& program, Observer* observer) {
  RunOutcome outcome = runner.run(program, {}, observer);
  if (outcome.status == RunStatus::invalid_program)
    throw CommandFailure(kWrongInput, "the program cannot be run: " + outcome.reason);
  if (outcome.status != RunStatus::finished)
    throw CommandFailure(kSimulationEnd, fmt::format("{}: {}", to_string(outcome.status), outcome.reason));
  if (outcome.measurement.energy_pj.empty()) add_energy(outcome.measurement, runner.hardware().energy);
  return std::move(outcome.measurement);
}

}  // namespace

Program lower_whole(const Graph& graph, const HardwareSpec& hardware, const Plan& plan, std::uint32_t periods,
                    std::uint64_t seed) {
  LowerOptions options;
  options.samples = plan.samples;
  options.periods = periods;
  options.seed = seed;
  Result<Program, Infeasible> program = lower_plan(graph, hardware, plan, options);
  if (!program) throw CommandFailure(kNothingFits, "the plan does not fit: " + program.reason().to_string());
  return std::move(program.value());
}

MeasuredPlan measure_program(ProgramRunner& runner, const Program& program, std::uint32_t fill_periods,
                             Observer* observer) {
  MeasuredPlan run;
  run.fill_periods = fill_periods;
  run.periods = program.periods - std::min(program.periods, fill_periods);
  run.program_hash = program_hash(program, runner.hardware());
  run.measurement = finished(runner, program, observer);
  run.coverage = coverage_by_role(program, run.measurement);
  Program cold = program;
  cold.periods = 1;
  run.total_cycles = finished(runner, cold, nullptr).cycles;
  return run;
}

}  // namespace dfsim
