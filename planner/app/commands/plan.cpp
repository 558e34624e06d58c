#include "planner/app/commands/plan.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "planner/app/exit_codes.h"
#include "planner/app/hardware_goal.h"
#include "planner/app/inputs.h"
#include "planner/app/interrupt.h"
#include "planner/app/measured_output.h"
#include "planner/app/pricing_session.h"
#include "planner/app/version.h"
#include "planner/inter_stage/optimizer.h"
#include "planner/intra_stage/optimizer.h"
#include "planner/report/candidates_csv.h"
#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr const char* kIntraStage = "two_level";

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

void print_round(const RoundRecord& round) {
  std::string candidates;
  for (const auto& [status, count] : round.candidates) candidates += fmt::format(", {} {}", count, status);
  fmt::print(stderr, "round {}: {} stage{}, cost {:.0f} -> {:.0f} cycles, bound {:.0f}{}{}\n", round.round,
             round.stages.size(), round.stages.size() == 1 ? "" : "s", round.cost_in, round.cost_out,
             round.bound, candidates, round.reused > 0 ? fmt::format("; {} reused", round.reused) : "");
}

void print_inputs(const Inputs& inputs) {
  fmt::print("# {}\n{}\n# {}\n{}", inputs.config_path, inputs.config.annotated_text, inputs.model_path,
             inputs.model.resolved_text);
}

void check_names(const PlanOptions& options) {
  Diagnostics missing;
  if (options.config.empty())
    missing.error({"--config", 0, 0}, "a hardware description is needed",
                  "for example --config mesh8x8.yaml");
  if (options.model.empty())
    missing.error({"--model", 0, 0}, "a model is needed", "for example --model bert.yaml");
  missing.throw_if_any<InputError>();
}

std::string default_folder(const Inputs& inputs) {
  const auto stem = [](const std::string& path) { return std::filesystem::path(path).stem().string(); };
  return "out/" + stem(inputs.config_path) + "-" + stem(inputs.model_path);
}

PlanningResult search(const Inputs& inputs, const PlanOptions& options, const LoopOptions& loop,
                      PricingSession& session) {
  const auto inter = InterStageRegistry::instance().make(options.optimizer);
  const auto intra = IntraStageRegistry::instance().make(kIntraStage);
  LoopEvents events;
  events.round_ended = print_round;
  events.note = [](const std::string& text) { fmt::print(stderr, "{}\n", text); };
  events.interrupted = interrupted;
  auto result = plan(inputs.model.graph, inputs.config.spec, *inter, *intra, session.cached(), loop, events);
  if (!result || result->plan.stages.empty()) {
    if (interrupted()) throw CommandFailure(kInterrupted, "interrupted before there was a plan");
    throw CommandFailure(kNothingFits, "no plan fits: " + result.reason().to_string());
  }
  return std::move(result.value());
}

std::uint64_t reused_prices(const PlanningResult& planning) {
  std::uint64_t reused = 0;
  for (const RoundRecord& round : planning.rounds) reused += round.reused;
  return reused;
}

/// The winner's run here must be the one that the planner saw: the simulator is deterministic.
void check_repeated(const PlanAnswer& seen, const MeasuredPlan& run) {
  if (seen.period_done_cycles != run.measurement.period_done_cycles)
    throw SimulationError("the plan's run in this process differs from the one that was priced");
}

}  // namespace

int plan_and_measure(const PlanOptions& options) {
  if (!options.price_table.empty()) return plan_from_table(options);
  check_names(options);
  return wants_curve(options) ? plan_hardware(options) : plan_and_run(options, true);
}

int plan_and_run(const PlanOptions& options, bool measure) {
  check_names(options);
  const Inputs inputs = load_inputs(options.config, options.model, options.overrides);
  const LoopOptions loop = loop_options(options, inputs.config.spec);
  check_trace_arguments(options.trace, inputs.config.spec);
  if (options.print_config) {
    print_inputs(inputs);
    return kOk;
  }
  const auto begin = std::chrono::steady_clock::now();
  catch_interrupts();
  const PricingOptions pricing{options.samples, options.periods, options.seed};
  auto session = std::make_unique<PricingSession>(inputs.model.graph, inputs.config.spec, pricing,
                                                  worker_count(options), cache_file(options));
  const PlanningResult planning = search(inputs, options, loop, *session);
  session.reset();
  save_policy(options, planning.policy);

  RunCircumstances circumstances;
  circumstances.config_files = inputs.config.files;
  circumstances.model_files = inputs.model.files;
  circumstances.output_folder = options.out.empty() ? default_folder(inputs) : options.out;
  circumstances.cache_file = cache_file(options).value_or("");
  circumstances.simulator_hash = simulator_hash();
  circumstances.workers = worker_count(options);
  circumstances.reused = reused_prices(planning);
  circumstances.time_budget = loop.time_budget_seconds.has_value();
  circumstances.plan_seconds = seconds_since(begin);

  ReportContext context;
  context.hardware = &inputs.config.spec;
  context.graph = &inputs.model.graph;
  context.plan = &planning.plan;
  context.goal = loop.goal;
  context.optimizer = options.optimizer;
  context.planning = &planning;
  context.version = version();

  const bool partial = planning.stopped == StopReason::interrupted;
  MeasuredOutput output(inputs, context, circumstances.output_folder);
  output.set_plan(options.seed, partial);
  output.add("candidates.csv", candidates_csv(inputs.model.graph,
                                              {options.samples, loop.goal.objective, planning.two_level,
                                               planning.flat_size, planning.formed_size},
                                              planning.candidates));
  const std::uint32_t fill = planning.winner.answer.fill_periods;
  output.lower(fill, options.periods);
  const MeasuredPlan* run = nullptr;
  if (measure && !partial) {
    const auto run_begin = std::chrono::steady_clock::now();
    run = &output.run(options, planning.winner.answer);
    circumstances.run_seconds = seconds_since(run_begin);
    check_repeated(planning.winner.answer, *run);
  }
  output.add("run.json", run_json(context, circumstances));
  output.write();
  std::fputs((options.json ? output.json() : summary_text(context, run, circumstances)).c_str(), stdout);
  if (planning.bound_violations > 0)
    throw SimulationError(
        fmt::format("{} audited candidates measured less than their lower bound", planning.bound_violations));
  return partial ? kInterrupted : kOk;
}

void add_plan_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* command =
      app.add_subcommand("plan", "search for the best plan and write it, without the last run");
  add_plan_options(*command, *options);
  command->callback([options, &exit_code] {
    const bool last_run = !options->price_table.empty() || wants_curve(*options);
    exit_code = last_run ? plan_and_measure(*options) : plan_and_run(*options, false);
  });
}

}  // namespace dfsim
