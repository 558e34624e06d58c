#include "planner/app/commands/plan.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "planner/app/exit_codes.h"
#include "planner/app/hardware_goal.h"
#include "planner/app/inputs.h"
#include "planner/app/interrupt.h"
#include "planner/app/measured_output.h"
#include "planner/app/output_folder.h"
#include "planner/app/pricing_session.h"
#include "planner/app/progress.h"
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

std::string round_text(const RoundRecord& round) {
  std::string candidates;
  for (const auto& [status, count] : round.candidates) candidates += fmt::format(", {} {}", count, status);
  return fmt::format("round {}: {} stage{}, cost {:.0f} -> {:.0f} cycles, bound {:.0f}{}{}", round.round,
                     round.stages.size(), round.stages.size() == 1 ? "" : "s", round.cost_in, round.cost_out,
                     round.bound, candidates,
                     round.reused > 0 ? fmt::format("; {} reused", round.reused) : "");
}

/// What the search says of itself while it works.
class SearchProgress {
 public:
  explicit SearchProgress(Verbosity verbosity) : progress_(verbosity) {}

  void round_ended(const RoundRecord& round) {
    progress_.line(round_text(round));
    round_ = round.round;
    cost_ = round.cost_out;
  }
  void note(const std::string& text) { progress_.line(text); }

  /// A batch of `asked` runs has `done` behind it.
  void runs(std::size_t done, std::size_t asked) {
    if (done == 0) begin_ = progress_.seconds();
    if (done > 0) ++runs_;
    const double seconds = progress_.seconds();
    std::string text = fmt::format("round {}, ", round_ + 1);
    if (cost_) text += fmt::format("cost {:.0f} cycles, ", *cost_);
    text += fmt::format("{} of {} runs, {:.1f} runs/s", done, asked,
                        seconds > 0 ? static_cast<double>(runs_) / seconds : 0);
    if (done > 0 && done < asked)
      text +=
          ", about " +
          duration_text((seconds - begin_) * static_cast<double>(asked - done) / static_cast<double>(done)) +
          " left of this batch";
    progress_.bar(asked > 0 ? static_cast<double>(done) / static_cast<double>(asked) : 1, text);
    if (done == asked)
      progress_.detail(fmt::format("  {} runs, {} in all after {}", asked, runs_, duration_text(seconds)));
  }

 private:
  Progress progress_;
  std::uint32_t round_ = 0;
  std::optional<double> cost_;
  std::uint64_t runs_ = 0;
  double begin_ = 0;
};

void print_inputs(const Inputs& inputs) {
  fmt::print("# {}\n{}\n# {}\n{}", inputs.config_path, inputs.config.annotated_text, inputs.model_path,
             inputs.model.resolved_text);
}

PlanningResult search(const Inputs& inputs, const PlanOptions& options, const LoopOptions& loop,
                      PricingSession& session, SearchProgress& progress) {
  const auto inter = InterStageRegistry::instance().make(options.optimizer);
  const auto intra = IntraStageRegistry::instance().make(kIntraStage);
  LoopEvents events;
  events.round_ended = [&](const RoundRecord& round) { progress.round_ended(round); };
  events.note = [&](const std::string& text) { progress.note(text); };
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
  check_input_names(options);
  return wants_curve(options) ? plan_hardware(options) : plan_and_run(options, true);
}

void check_input_names(const PlanOptions& options) {
  Diagnostics missing;
  if (options.config.empty())
    missing.error({"--config", 0, 0}, "a hardware description is needed",
                  "for example --config mesh8x8.yaml");
  if (options.model.empty())
    missing.error({"--model", 0, 0}, "a model is needed", "for example --model bert.yaml");
  missing.throw_if_any<InputError>();
}

int plan_and_run(const PlanOptions& options, bool measure) {
  check_input_names(options);
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
  auto progress = std::make_unique<SearchProgress>(options.verbosity());
  auto session = std::make_unique<PricingSession>(
      inputs.model.graph, inputs.config.spec, pricing, worker_count(options), cache_file(options),
      options.tokens, [&progress](std::size_t done, std::size_t asked) { progress->runs(done, asked); });
  const PlanningResult planning = search(inputs, options, loop, *session, *progress);
  session.reset();
  save_policy(options, planning.policy);
  progress.reset();  // the bar goes before the summary comes

  RunCircumstances circumstances;
  circumstances.config_files = inputs.config.files;
  circumstances.model_files = inputs.model.files;
  circumstances.output_folder =
      options.out.empty() ? default_folder(inputs.config_path, inputs.model_path) : options.out;
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
    const JobPlace place(options.tokens);
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
