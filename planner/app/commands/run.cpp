#include "planner/app/commands/run.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "planner/app/exit_codes.h"
#include "planner/app/interrupt.h"
#include "planner/app/measured_output.h"
#include "planner/app/options.h"
#include "planner/app/plan_inputs.h"
#include "planner/app/pricing_session.h"
#include "planner/app/run_placement.h"
#include "planner/app/run_program.h"
#include "planner/app/version.h"
#include "planner/lower/lower.h"
#include "planner/report/candidates_csv.h"
#include "sim/base/files.h"

namespace dfsim {

namespace {

struct RunCommand : RunOptions {
  std::string plan, program, config, candidate;
  PlacementRun placement;
};

[[noreturn]] void refuse(const std::string& option, const std::string& what, const std::string& hint = {}) {
  throw InputError({{{option, 0, 0}, what, hint}});
}

/// Measures the plan whole as the planner does, then runs it here for its program, trace and measurement.
int run_plan(const RunCommand& options) {
  const auto begin = std::chrono::steady_clock::now();
  const PlanInputs given = load_plan(options.plan, options.overrides);
  const Plan& plan = given.file.plan;
  check_trace_arguments(options.trace, given.inputs.config.spec);
  catch_interrupts();
  PlanAnswer answer;
  {
    PricingSession session(given.inputs.model.graph, given.inputs.config.spec,
                           {plan.samples, options.periods, given.file.seed}, 1, cache_file(options));
    answer = session.cached().measure_plans({plan}).front();
  }
  if (interrupted()) throw CommandFailure(kInterrupted, "interrupted");
  if (answer.status == PriceStatus::infeasible)
    throw CommandFailure(kNothingFits, "the plan does not fit: " + answer.reason);
  if (answer.status != PriceStatus::executed) throw CommandFailure(kSimulationEnd, answer.reason);

  ReportContext context;
  context.hardware = &given.inputs.config.spec;
  context.graph = &given.inputs.model.graph;
  context.plan = &plan;
  context.goal.objective = given.file.objective;
  context.goal.samples = plan.samples;
  context.version = version();
  MeasuredOutput output(given.inputs, context, options.out);
  output.set_plan(given.file.seed, given.file.partial);
  output.lower(answer.fill_periods, options.periods);
  const MeasuredPlan& run = output.run(options, answer);
  RunCircumstances circumstances;
  circumstances.config_files = given.inputs.config.files;
  circumstances.model_files = given.inputs.model.files;
  circumstances.output_folder = options.out;
  circumstances.simulator_hash = simulator_hash();
  circumstances.workers = 1;
  circumstances.run_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  output.add("run.json", run_json(context, circumstances));
  output.write();
  std::fputs((options.json ? output.json() : summary_text(context, &run, circumstances)).c_str(), stdout);
  return kOk;
}

StoredCandidate stored_candidate(const RunCommand& options) {
  const std::string path = (std::filesystem::path(options.plan).parent_path() / "candidates.csv").string();
  try {
    const auto found = find_candidate(read_file(path), options.candidate);
    if (!found) refuse("--candidate", "there is no candidate '" + options.candidate + "' in " + path);
    return *found;
  } catch (const InputError&) {
    throw;
  } catch (const FileError& error) {
    refuse("--candidate", error.what(), "candidates.csv is looked for beside the plan");
  } catch (const std::runtime_error& error) {
    throw InputError({{{path, 1, 1}, error.what(), {}}});
  }
}

void trace_candidate(const PlanInputs& given, const ExactCandidate& candidate, const RunOptions& options) {
  const LowerOptions lowering{given.file.plan.samples, options.periods, given.file.seed};
  const Graph& graph = given.inputs.model.graph;
  const HardwareSpec& hardware = given.inputs.config.spec;
  const Result<Program, Infeasible> program =
      candidate.level == CandidateLevel::reslice
          ? lower_transfer(graph, hardware, candidate.stages[0], candidate.stages[1], lowering)
          : lower_stage(graph, hardware, candidate.stages[0], lowering);
  trace_program(program.value(), given.inputs.config, options);
}

/// A candidate of candidates.csv, run to its end, whatever became of it in the search.
int run_candidate(const RunCommand& options) {
  const PlanInputs given = load_plan(options.plan, options.overrides);
  const StoredCandidate stored = stored_candidate(options);
  check_trace_arguments(options.trace, given.inputs.config.spec);
  PricingSession session(given.inputs.model.graph, given.inputs.config.spec,
                         {given.file.plan.samples, options.periods, given.file.seed}, 1, std::nullopt);
  const ExactCandidate& candidate = stored.candidate;
  const PriceAnswer answer =
      candidate.level == CandidateLevel::reslice
          ? session.simulated().price_transfers({{candidate.stages[0], candidate.stages[1]}}).front()
          : session.simulated().price_stages(candidate.stages, {}).front();
  if (answer.status == PriceStatus::infeasible)
    throw CommandFailure(kNothingFits, "the candidate does not fit: " + answer.reason);
  if (answer.status != PriceStatus::executed) throw CommandFailure(kSimulationEnd, answer.reason);
  const bool latency = given.file.objective == Objective::latency;
  const std::uint64_t cycles = latency ? answer.price.latency_cycles : answer.price.period_cycles;
  const std::uint64_t recorded = latency ? stored.latency_cycles : stored.period_cycles;
  if (!options.trace.file.empty()) trace_candidate(given, candidate, options);
  if (options.json) {
    nlohmann::ordered_json json = {{"version", 1},
                                   {"candidate", stored.id},
                                   {"level", to_string(candidate.level)},
                                   {"cycles", cycles},
                                   {"latency_cycles", answer.price.latency_cycles},
                                   {"period_cycles", answer.price.period_cycles},
                                   {"program_hash", answer.program_hash},
                                   {"recorded_status", stored.status},
                                   {"recorded_cycles", nullptr}};
    if (stored.status == "executed") json["recorded_cycles"] = recorded;
    fmt::print("{}\n", json.dump(1));
  } else {
    fmt::print("candidate    {} ({})\ncycles       {} (first period {}, one period {})\nrecorded     {}{}\n",
               stored.id, to_string(candidate.level), cycles, answer.price.latency_cycles,
               answer.price.period_cycles, stored.status,
               stored.status == "executed" ? fmt::format(", {} cycles", recorded) : "");
  }
  return kOk;
}

int run(const RunCommand& options) {
  if (!options.placement.placement.empty()) {
    if (!(options.plan + options.program + options.config + options.candidate).empty())
      refuse("--placement", "a placement names its server and model itself",
             "leave out --plan, --program, --config and --candidate");
    return run_placement(options.placement, options);
  }
  if (options.plan.empty() == options.program.empty())
    refuse("run", "give one of --plan, --program and --placement");
  if (!options.program.empty()) {
    if (!options.candidate.empty()) refuse("--candidate", "a candidate belongs to a plan", "use --plan");
    if (options.config.empty()) refuse("--config", "a program needs the hardware that it runs on");
    return run_program(options.program, options.config, options);
  }
  if (!options.config.empty())
    refuse("--config", "a plan names its hardware itself", "use --set to change it");
  return options.candidate.empty() ? run_plan(options) : run_candidate(options);
}

}  // namespace

void add_run_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<RunCommand>();
  CLI::App* command = app.add_subcommand(
      "run", "run a plan, one of its candidates, a program, or requests through a placement");
  command->add_option("--plan", options->plan, "plan.yaml");
  command->add_option("--candidate", options->candidate, "id in the candidates.csv beside the plan");
  command->add_option("--program", options->program, "program.json");
  command->add_option("--config", options->config, "hardware of the program");
  add_placement_options(*command, options->placement);
  add_run_options(*command, *options);
  command->callback([options, &exit_code] { exit_code = run(*options); });
}

}  // namespace dfsim
