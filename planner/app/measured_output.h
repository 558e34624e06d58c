// planner/app/measured_output.h: from a plan to the files of a run: lowered, run here with its trace, written
// down.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "planner/app/inputs.h"
#include "planner/app/options.h"
#include "planner/app/output_folder.h"
#include "planner/cost/cost_oracle.h"
#include "planner/report/run_report.h"
#include "sim/api/program.h"
#include "sim/trace/activity.h"
#include "sim/trace/events.h"
#include "sim/trace/latency.h"
#include "sim/trace/recorder.h"
#include "sim/trace/traffic.h"
#include "sim/trace/window_stalls.h"

namespace dfsim {

/// Collects the files of one run. Nothing is written before write(). No SystemC is elaborated before run().
class MeasuredOutput {
 public:
  /// `folder` empty: nothing will be written. References outlive this.
  MeasuredOutput(const Inputs& inputs, const ReportContext& context, const std::string& folder);

  /// Seed of the lowering, and whether the search was cut short.
  void set_plan(std::uint64_t seed, bool partial);
  /// The plan over `fill` + `periods` periods. Throws CommandFailure if it does not fit.
  void lower(std::uint32_t fill, std::uint32_t periods);
  /// Runs it. `options` say what is traced; `seen` is an earlier run of the same plan, from which the traced
  /// period is known. Throws CommandFailure after a deadlock.
  const MeasuredPlan& run(const RunOptions& options, const PlanAnswer& seen);
  void add(const std::string& name, std::string content) { folder_.add(name, std::move(content)); }
  /// Writes everything, if there is a folder.
  void write();
  /// measurement.json of the run, or what is known of the plan without one.
  std::string json() const;

  const Program& program() const { return program_; }

 private:
  const Inputs& inputs_;
  const ReportContext& context_;
  WindowStalls steady_window(const PlanAnswer& seen) const;
  /// measurement.json and what is made of it.
  void add_results();
  void write_trace();
  /// What the head of the trace says of where it comes from.
  TraceHead trace_origin(const RunOptions& options) const;

  bool has_folder_;
  OutputFolder folder_;
  std::uint64_t seed_ = 1;
  bool partial_ = false;
  std::uint32_t fill_ = 0;
  Program program_;
  std::optional<MeasuredPlan> run_;
  std::string trace_path_;  ///< empty: none
  TraceHead trace_origin_;
  std::unique_ptr<TraceRecorder> recorder_;
  std::unique_ptr<TrafficCounter> traffic_;
  std::unique_ptr<ActivityCounter> activity_;
  LatencyHistogram latency_;
};

}  // namespace dfsim
