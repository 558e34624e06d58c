#include "planner/app/run_program.h"

#include <fmt/format.h>

#include <cstdio>

#include "planner/app/exit_codes.h"
#include "planner/app/inputs.h"
#include "planner/app/output_folder.h"
#include "planner/app/program_file.h"
#include "planner/report/run_report.h"
#include "sim/energy/energy.h"
#include "sim/system/system.h"

namespace dfsim {

int run_program(const std::string& program_path, const std::string& config_name, const RunOptions& options) {
  Diagnostics missing;
  const std::string config_path = locate(config_name, "configs", "--config", missing);
  missing.throw_if_any<InputError>();
  const HardwareConfig config = load_config(config_path, options.overrides);
  const Program program = read_program(program_path);
  const auto runner = make_program_runner(config.spec);
  RunLimit limit;
  limit.check_order = true;
  RunOutcome outcome = runner->run(program, limit);
  if (outcome.status == RunStatus::invalid_program)
    throw InputError({{{program_path, 1, 1}, "the program cannot be run: " + outcome.reason, {}}});
  if (outcome.status != RunStatus::finished)
    throw CommandFailure(kSimulationEnd, fmt::format("{}: {}", to_string(outcome.status), outcome.reason));
  if (outcome.measurement.energy_pj.empty()) add_energy(outcome.measurement, config.spec.energy);
  const std::string json = program_measurement_json(config.spec, program, outcome.measurement);
  if (!options.out.empty()) {
    OutputFolder folder(options.out);
    folder.add("measurement.json", json);
    folder.write();
  }
  if (options.json) {
    std::fputs(json.c_str(), stdout);
    return kOk;
  }
  const Measurement& m = outcome.measurement;
  fmt::print("config       {}\nprogram      {}\n", config_path, program_path);
  fmt::print("run          {} cycles for {} periods of {} samples\n", m.cycles, program.periods,
             program.samples);
  for (std::size_t p = 0; p < m.period_done_cycles.size(); ++p)
    fmt::print("period {:<5} done at cycle {}\n", p + 1, m.period_done_cycles[p]);
  fmt::print("bottleneck   {}, busy {} cycles\n", m.busiest_unit, m.busiest_unit_cycles);
  return kOk;
}

}  // namespace dfsim
