// planner/report/run_report.h: everything known at the end of a run, and the files and the text made of it.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/loop/loop.h"
#include "planner/plan/plan.h"
#include "sim/api/hardware.h"
#include "sim/api/measurement.h"
#include "sim/api/program.h"

namespace dfsim {

/// How much of the DRAM tensors of one role was read at least once.
struct RoleCoverage {
  DramTensorRole role = DramTensorRole::weight;
  std::uint64_t tensors = 0, bytes = 0, read_bytes = 0;
};
std::vector<RoleCoverage> coverage_by_role(const Program& program, const Measurement& measurement);

/// What the PEs did in the cycles [from, until): as many periods as the interval is taken from, while all PE
/// groups are at work (docs/outputs.md).
struct SteadyState {
  std::uint64_t from = 0, until = 0;
  std::vector<std::array<std::uint64_t, kStallCauses>> stall_cycles;  ///< by PeId; the other cycles are busy
};

/// The whole-plan run of the plan that is reported.
struct MeasuredPlan {
  std::uint32_t fill_periods = 0;                  ///< F
  std::uint32_t periods = 3;                       ///< P
  Measurement measurement;                         ///< of F + P periods
  std::uint64_t total_cycles = 0;                  ///< of a run of exactly one period from a cold start
  std::vector<std::uint64_t> stage_period_cycles;  ///< per stage: length of its last period
  std::vector<RoleCoverage> coverage;
  std::optional<SteadyState> steady;
  std::string program_hash;

  std::uint64_t latency_cycles() const;
  double period_cycles() const;  ///< mean length of the periods after the fill
};

/// What was asked for and on what. Pointers are never null and outlive the report.
struct ReportContext {
  const HardwareSpec* hardware = nullptr;
  const Graph* graph = nullptr;
  const Plan* plan = nullptr;
  Goal goal;
  std::string optimizer;                     ///< empty: the plan was given
  const PlanningResult* planning = nullptr;  ///< null: the plan was given
  std::string version;
};

/// measurement.json (docs/schemas/measurement.schema.json): depends on the inputs and the sources alone,
/// never on cache, workers or clock.
std::string measurement_json(const ReportContext& context, const MeasuredPlan& run);

/// The planner's part of it alone: `dfsim plan --json`.
std::string planning_json(const ReportContext& context);

/// The simulator's part of it alone: `dfsim run --program`.
std::string program_measurement_json(const HardwareSpec& hardware, const Program& program,
                                     const Measurement& measurement);

/// What depends on them: for run.json and the last lines of the summary.
struct RunCircumstances {
  std::vector<std::string> config_files, model_files;  ///< as read, the main file first
  std::string output_folder;
  std::string cache_file;  ///< empty: none
  std::string simulator_hash;
  std::uint32_t workers = 0;
  double plan_seconds = 0, run_seconds = 0;
  std::uint64_t reused = 0;  ///< prices that were known before
  bool time_budget = false;
};
std::string run_json(const ReportContext& context, const RunCircumstances& circumstances);

/// The short text on stdout. `run` may be null: the plan was not measured whole.
std::string summary_text(const ReportContext& context, const MeasuredPlan* run,
                         const RunCircumstances& circumstances);

/// Candidates by status over all rounds, each id counted once (its first line).
std::map<std::string, std::uint64_t> candidates_by_status(const PlanningResult& planning);

}  // namespace dfsim
