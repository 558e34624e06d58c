#include "planner/app/run_program.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "planner/app/command_text.h"
#include "planner/app/exit_codes.h"
#include "planner/app/inputs.h"
#include "planner/app/output_folder.h"
#include "planner/app/program_file.h"
#include "planner/app/version.h"
#include "planner/report/run_report.h"
#include "sim/base/hash.h"
#include "sim/energy/energy.h"
#include "sim/system/system.h"
#include "sim/trace/trace_file.h"

namespace dfsim {

namespace {

constexpr const char* kTraceFile = "trace.json.gz";
constexpr const char* kProgramFile = "program.json";

Measurement measured(ProgramRunner& runner, const Program& program, const std::string& path) {
  RunLimit limit;
  limit.check_order = true;
  RunOutcome outcome = runner.run(program, limit);
  if (outcome.status == RunStatus::invalid_program)
    throw InputError({{{path, 1, 1}, "the program cannot be run: " + outcome.reason, {}}});
  if (outcome.status != RunStatus::finished)
    throw CommandFailure(kSimulationEnd, fmt::format("{}: {}", to_string(outcome.status), outcome.reason));
  if (outcome.measurement.energy_pj.empty()) add_energy(outcome.measurement, runner.hardware().energy);
  return std::move(outcome.measurement);
}

/// Where the trace goes; empty: none is wanted.
std::string trace_path(const RunOptions& options) {
  if (options.trace.file == "none") return {};
  if (!options.trace.file.empty()) return options.trace.file;
  return options.out.empty() ? "" : options.out + "/" + kTraceFile;
}

/// Runs the program again for its trace, by default of the last period: only the first run tells when that
/// is.
void write_trace(ProgramRunner& runner, const Program& program, const HardwareConfig& config,
                 const Measurement& seen, const RunOptions& options) {
  const std::uint32_t last = program.periods - std::min(program.periods, 1u);
  TraceRecorder recorder(trace_options(options.trace, config.spec, seen, last));
  const RunOutcome outcome = runner.run(program, {}, &recorder);
  const TraceHead origin = {
      trace_text("dfsim_version", version()), trace_text("config_hash", content_hash(config.resolved_text)),
      trace_text("command_line", options.command ? command_text(*options.command) : "")};
  const TraceSummary summary =
      write_trace_file({recorder, program, config.spec, outcome.measurement, origin}, trace_path(options));
  if (summary.dropped > 0) fmt::print(stderr, "trace {}\n", summary.note);
}

}  // namespace

void trace_program(const Program& program, const HardwareConfig& config, const RunOptions& options) {
  const std::string path = trace_path(options);
  if (path.empty()) return;
  const auto runner = make_program_runner(config.spec);
  RunOutcome outcome = runner->run(program, {});
  if (outcome.status != RunStatus::finished)
    throw CommandFailure(kSimulationEnd, fmt::format("{}: {}", to_string(outcome.status), outcome.reason));
  write_trace(*runner, program, config, outcome.measurement, options);
}

int run_program(const std::string& program_path, const std::string& config_name, const RunOptions& options) {
  Diagnostics missing;
  const std::string config_path = locate(config_name, "configs", "--config", missing);
  missing.throw_if_any<InputError>();
  const HardwareConfig config = load_config(config_path, options.overrides);
  const Program program = read_program(program_path);
  check_trace_arguments(options.trace, config.spec);
  const auto runner = make_program_runner(config.spec);
  const Measurement m = measured(*runner, program, program_path);
  const std::string trace = trace_path(options);
  if (!trace.empty()) write_trace(*runner, program, config, m, options);
  const std::string json = program_measurement_json(config.spec, program, m);
  if (!options.out.empty()) {
    OutputFolder folder(options.out);
    folder.add("measurement.json", json);
    if (trace == folder.file(kTraceFile)) folder.keep(kTraceFile);
    // The folder is cleared of other runs, but not of what was asked to be run.
    std::error_code error;
    if (std::filesystem::equivalent(program_path, folder.file(kProgramFile), error))
      folder.keep(kProgramFile);
    folder.write();
  }
  if (options.json) {
    std::fputs(json.c_str(), stdout);
    return kOk;
  }
  fmt::print("config       {}\nprogram      {}\n", config_path, program_path);
  fmt::print("run          {} cycles for {} periods of {} samples\n", m.cycles, program.periods,
             program.samples);
  for (std::size_t p = 0; p < m.period_done_cycles.size(); ++p)
    fmt::print("period {:<5} done at cycle {}\n", p + 1, m.period_done_cycles[p]);
  fmt::print("bottleneck   {}, busy {} cycles\n", m.busiest_unit, m.busiest_unit_cycles);
  return kOk;
}

}  // namespace dfsim
