#include "planner/app/measured_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "planner/app/command_text.h"
#include "planner/app/measure_plan.h"
#include "planner/report/plan_yaml.h"
#include "planner/report/report_html.h"
#include "sim/api/program_json.h"
#include "sim/base/hash.h"
#include "sim/system/system.h"
#include "sim/trace/observer_list.h"
#include "sim/trace/trace_file.h"

namespace dfsim {

namespace {

constexpr const char* kConfigFile = "config.resolved.yaml";
constexpr const char* kModelFile = "model.resolved.yaml";
constexpr const char* kTraceFile = "trace.json.gz";
constexpr std::uint64_t kActivityWindows = 48;  ///< of activity.json

std::string command_of(const RunOptions& options) {
  if (!options.command_line.empty()) return options.command_line;
  return options.command ? command_text(*options.command) : "";
}

}  // namespace

MeasuredOutput::MeasuredOutput(const Inputs& inputs, const ReportContext& context, const std::string& folder)
    : inputs_(inputs), context_(context), has_folder_(!folder.empty()), folder_(folder) {
  folder_.add(kConfigFile, inputs.config.resolved_text);
  folder_.add(kModelFile, inputs.model.resolved_text);
}

void MeasuredOutput::set_plan(std::uint64_t seed, bool partial) {
  seed_ = seed;
  partial_ = partial;
}

void MeasuredOutput::lower(std::uint32_t fill, std::uint32_t periods) {
  fill_ = fill;
  program_ = lower_whole(*context_.graph, *context_.hardware, *context_.plan, fill + periods, seed_);
}

const MeasuredPlan& MeasuredOutput::run(const RunOptions& options, const PlanAnswer& seen) {
  const std::string& trace = options.trace.file;
  if (trace != "none" && !trace.empty()) trace_path_ = trace;
  if (trace.empty() && has_folder_) trace_path_ = folder_.file(kTraceFile);
  ObserverList observers;
  WindowStalls steady = steady_window(seen);
  observers.add(steady);
  if (!trace_path_.empty()) {
    Measurement earlier;
    earlier.period_done_cycles = seen.period_done_cycles;
    recorder_ =
        std::make_unique<TraceRecorder>(trace_options(options.trace, *context_.hardware, earlier, fill_));
    trace_origin_ = trace_origin(options);
    observers.add(*recorder_);
  }
  if (has_folder_) {
    traffic_ = std::make_unique<TrafficCounter>(*context_.hardware);
    observers.add(*traffic_);
    const std::uint64_t end = seen.period_done_cycles.empty() ? 0 : seen.period_done_cycles.back();
    activity_ = std::make_unique<ActivityCounter>(*context_.hardware, ceil_div(end, kActivityWindows));
    observers.add(*activity_);
    observers.add(latency_);
  }
  const auto runner = make_program_runner(*context_.hardware);
  run_ = measure_program(*runner, program_, fill_, &observers);
  run_->steady = SteadyState{steady.from(), steady.until(), steady.stalls()};
  run_->stage_period_cycles = seen.stage_period_cycles;
  if (has_folder_) add_results();
  return *run_;
}

/// As many periods as the interval is taken from, but before the first PE group drains: that one is done with
/// its last period when the others, one after another, still work on theirs.
WindowStalls MeasuredOutput::steady_window(const PlanAnswer& seen) const {
  const std::vector<std::uint64_t>& done = seen.period_done_cycles;
  const std::uint32_t behind = std::min(fill_, std::max(1u, context_.plan->distinct_groups()) - 1);
  const bool known = done.size() > fill_;
  return {context_.hardware->pes.size(), known ? done[fill_ - behind] : 0,
          known ? done[done.size() - 1 - behind] : 0};
}

void MeasuredOutput::add_results() {
  const std::string measurement = measurement_json(context_, *run_);
  const std::string traffic = traffic_csv(*context_.hardware, traffic_->rows());
  const std::string activity = activity_json(*context_.hardware, *activity_, latency_);
  folder_.add("report.html", report_html(*context_.hardware, measurement, traffic, activity));
  folder_.add("activity.json", activity);
  folder_.add("measurement.json", measurement);
  folder_.add("pe_traffic.csv", traffic);
}

TraceHead MeasuredOutput::trace_origin(const RunOptions& options) const {
  return {trace_text("dfsim_version", context_.version),
          trace_text("config_hash", content_hash(inputs_.config.resolved_text)),
          trace_text("model_hash", content_hash(inputs_.model.resolved_text)), trace_number("seed", seed_),
          trace_text("command_line", command_of(options))};
}

void MeasuredOutput::write_trace() {
  const TraceSource source{*recorder_, program_, *context_.hardware, run_->measurement, trace_origin_};
  const TraceSummary summary = write_trace_file(source, trace_path_);
  if (summary.dropped > 0) fmt::print(stderr, "trace {}\n", summary.note);
}

void MeasuredOutput::write() {
  if (recorder_) write_trace();
  if (!has_folder_) return;
  if (recorder_ && trace_path_ == folder_.file(kTraceFile)) folder_.keep(kTraceFile);
  PlanFile file;
  file.config = {kConfigFile, content_hash(inputs_.config.resolved_text), {}};
  file.model = {kModelFile, content_hash(inputs_.model.resolved_text), {}};
  file.seed = seed_;
  file.objective = context_.goal.objective;
  file.partial = partial_;
  file.plan = *context_.plan;
  folder_.add("plan.yaml", plan_yaml(file, *context_.graph, *context_.hardware, &program_));
  folder_.add("program.json", program_to_json(program_));
  folder_.write();
}

std::string MeasuredOutput::json() const {
  return run_ ? measurement_json(context_, *run_) : planning_json(context_);
}

}  // namespace dfsim
