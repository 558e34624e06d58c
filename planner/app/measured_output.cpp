#include "planner/app/measured_output.h"

#include <filesystem>

#include "planner/app/measure_plan.h"
#include "planner/report/plan_yaml.h"
#include "sim/api/program_json.h"
#include "sim/base/hash.h"
#include "sim/system/system.h"
#include "sim/trace/chrome_trace.h"

namespace dfsim {

namespace {

constexpr const char* kConfigFile = "config.resolved.yaml";
constexpr const char* kModelFile = "model.resolved.yaml";
constexpr const char* kTraceFile = "trace.json.gz";

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

const MeasuredPlan& MeasuredOutput::run(const std::string& trace, const PlanAnswer& seen) {
  if (trace != "none" && !trace.empty()) trace_path_ = trace;
  if (trace.empty() && has_folder_) trace_path_ = folder_.file(kTraceFile);
  if (!trace_path_.empty()) {
    Measurement earlier;
    earlier.period_done_cycles = seen.period_done_cycles;
    recorder_ = std::make_unique<TraceRecorder>(one_period_after_fill(earlier, fill_));
  }
  const auto runner = make_program_runner(*context_.hardware);
  run_ = measure_program(*runner, program_, fill_, recorder_.get());
  run_->stage_period_cycles = seen.stage_period_cycles;
  folder_.add("measurement.json", measurement_json(context_, *run_));
  return *run_;
}

/// Under a temporary name first: a killed run leaves no half file.
void MeasuredOutput::write_trace() const {
  const std::filesystem::path path(trace_path_);
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path());
  const std::string part = trace_path_ + ".part";
  write_chrome_trace_file(*recorder_, program_, *context_.hardware, run_->measurement, part);
  std::filesystem::rename(part, path);
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
