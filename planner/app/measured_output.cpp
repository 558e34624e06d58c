#include "planner/app/measured_output.h"

#include "planner/app/measure_plan.h"
#include "planner/report/plan_yaml.h"
#include "sim/base/hash.h"
#include "sim/system/system.h"

namespace dfsim {

namespace {

constexpr const char* kConfigFile = "config.resolved.yaml";
constexpr const char* kModelFile = "model.resolved.yaml";

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

const MeasuredPlan& MeasuredOutput::run(const std::string&) {
  const auto runner = make_program_runner(*context_.hardware);
  run_ = measure_program(*runner, program_, fill_, nullptr);
  folder_.add("measurement.json", measurement_json(context_, *run_));
  return *run_;
}

void MeasuredOutput::write() {
  if (!has_folder_) return;
  PlanFile file;
  file.config = {kConfigFile, content_hash(inputs_.config.resolved_text), {}};
  file.model = {kModelFile, content_hash(inputs_.model.resolved_text), {}};
  file.seed = seed_;
  file.objective = context_.goal.objective;
  file.partial = partial_;
  file.plan = *context_.plan;
  folder_.add("plan.yaml", plan_yaml(file, *context_.graph, *context_.hardware, &program_));
  folder_.write();
}

std::string MeasuredOutput::json() const {
  return run_ ? measurement_json(context_, *run_) : planning_json(context_);
}

}  // namespace dfsim
