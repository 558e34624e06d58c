#include "planner/app/hardware_goal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "planner/app/commands/plan.h"
#include "planner/app/exit_codes.h"
#include "planner/app/guarded.h"
#include "planner/app/hardware_points.h"
#include "planner/app/inputs.h"
#include "planner/app/interrupt.h"
#include "planner/app/output_folder.h"
#include "planner/app/processes.h"
#include "planner/report/curve.h"
#include "sim/base/errors.h"
#include "sim/base/files.h"

namespace dfsim {

namespace {

namespace fs = std::filesystem;

constexpr const char* kSummary = "summary.txt";

struct Request {
  CurveContext context;
  WalkOptions walk;
};

Request request_of(const PlanOptions& options, const Inputs& inputs) {
  Request request;
  Diagnostics mistakes;
  const HardwareSpec& hardware = inputs.config.spec;
  request.context.goal = loop_options(options, hardware).goal;
  request.context.clock_period_ps = hardware.clock_period_ps;
  request.context.minimise = options.minimise == "sram"    ? Minimise::sram
                             : options.minimise == "links" ? Minimise::links
                                                           : Minimise::pes;
  if (options.goal == "hardware" && options.time_limit.empty())
    mistakes.error({"--time-limit", 0, 0}, "the goal hardware needs a limit",
                   "for example --time-limit 500ms");
  if (options.goal != "hardware" && !options.time_limit.empty())
    mistakes.error({"--time-limit", 0, 0}, "only the goal hardware has a time limit", "use --goal hardware");
  if (options.goal != "cost" && options.cost_limit > 0)
    mistakes.error({"--cost-limit", 0, 0}, "only the goal cost has a cost limit", "use --goal cost");
  if (!options.time_limit.empty()) {
    const auto limit = cycles_from(options.time_limit, hardware.clock_period_ps);
    if (limit)
      request.context.limit_cycles = static_cast<double>(*limit);
    else
      mistakes.error({"--time-limit", 0, 0}, "'" + options.time_limit + "' is neither cycles nor a time",
                     "for example 1500000 or 1.5ms");
  }
  if (!options.trace.file.empty() && options.trace.file != "none")
    mistakes.error({"--trace", 0, 0}, "several machines are run, each with a trace of its own",
                   "leave the file out: the answer's trace is in the output folder; or --trace none");
  mistakes.throw_if_any<InputError>();
  request.walk.minimise = request.context.minimise;
  request.walk.prices = hardware.cost;
  request.walk.all = options.curve;
  return request;
}

/// Time and energy of a period, as the run in `folder` measured them.
PointMeasurement measurement_in(const std::string& folder) {
  const auto json = nlohmann::json::parse(read_file(folder + "/measurement.json"));
  PointMeasurement result;
  result.cycles = json.at("execution_cost").at("time_cycles").get<double>();
  const double periods = json.at("fill_periods").get<double>() + json.at("periods").get<double>();
  result.joules = json.at("energy_pj").at("total").get<double>() * 1e-12 / periods;
  return result;
}

/// Runs the whole job for one machine in a process of its own.
PointMeasurement measure_apart(const PlanOptions& options, const HardwareVariant& variant,
                               const std::string& folder) {
  PlanOptions one = options;
  one.overrides.insert(one.overrides.end(), variant.overrides.begin(), variant.overrides.end());
  one.out = folder;
  one.json = false;
  fs::create_directories(folder);
  const ProcessJob job{[&one](std::string& message) {
                         return exit_code_of([&one] { return plan_and_run(one, true); }, message);
                       },
                       folder + "/" + kSummary, true};
  ProcessEnd end;
  run_processes(
      {job}, 1, [&end](std::size_t, const ProcessEnd& ended) { end = ended; }, [](std::size_t) {},
      interrupted);
  if (end.code == kInterrupted || interrupted()) throw CommandFailure(kInterrupted, "interrupted");
  if (!end.message.empty()) std::fprintf(stderr, "%s\n", end.message.c_str());
  if (end.code == kNothingFits) return PointMeasurement{.fits = false};
  if (end.code != kOk)
    throw CommandFailure(end.code > 128 ? kFailed : static_cast<ExitCode>(end.code),
                         "machine " + variant.point.name + " failed");
  return measurement_in(folder);
}

void copy_answer(const std::string& from, const std::string& to) {
  for (const auto& entry : fs::directory_iterator(from))
    if (entry.is_regular_file() && entry.path().filename() != kSummary)
      fs::copy_file(entry.path(), fs::path(to) / entry.path().filename(),
                    fs::copy_options::overwrite_existing);
}

HardwareCurve walk(const PlanOptions& options, const Request& request,
                   const std::vector<HardwareVariant>& variants, const std::string& folder) {
  std::vector<HardwarePoint> points;
  for (const HardwareVariant& variant : variants) points.push_back(variant.point);
  const MeasurePoint measure = [&](const HardwarePoint& point) {
    const auto variant = std::find_if(variants.begin(), variants.end(), [&](const HardwareVariant& one) {
      return one.point.name == point.name;
    });
    std::fprintf(stderr, "machine %s: %llu PEs\n", point.name.c_str(),
                 static_cast<unsigned long long>(point.amount.pes));
    return measure_apart(options, *variant, folder + "/machines/" + point.name);
  };
  if (options.goal == "cost")
    return least_cost(points, options.cost_limit > 0 ? std::optional(options.cost_limit) : std::nullopt,
                      request.walk, measure);
  if (options.goal == "hardware")
    return least_hardware(points, request.context.limit_cycles, request.walk, measure);
  // Goal time: the described machine is the answer, the others are there for the curve.
  HardwareCurve curve = least_hardware(points, 0, request.walk, measure);
  for (std::size_t i = 0; i < curve.points.size(); ++i)
    if (curve.points[i].measured() &&
        std::any_of(variants.begin(), variants.end(), [&](const HardwareVariant& one) {
          return one.overrides.empty() && one.point.name == curve.points[i].hardware.name;
        }))
      curve.chosen = i;
  return curve;
}

}  // namespace

bool wants_curve(const PlanOptions& options) {
  return options.curve || options.goal != "time" || !options.time_limit.empty() || options.cost_limit > 0;
}

int plan_hardware(const PlanOptions& options) {
  const Inputs inputs = load_inputs(options.config, options.model, options.overrides);
  const Request request = request_of(options, inputs);
  if (options.print_config) return plan_and_run(options, true);
  catch_interrupts();
  const std::string folder =
      options.out.empty() ? default_folder(inputs.config_path, inputs.model_path) : options.out;
  const auto variants =
      hardware_variants(inputs, options.overrides, request.context.minimise, request.context.goal);
  const HardwareCurve curve = walk(options, request, variants, folder);
  const std::string table = curve_text(curve, request.context);
  write_file_atomically(folder + "/curve.csv", curve_csv(curve));
  write_file_atomically(folder + "/curve.json", curve_json(curve, request.context));
  write_file_atomically(folder + "/curve.svg", curve_svg(curve, request.context));
  if (!curve.chosen) {
    std::fputs(table.c_str(), stderr);
    throw CommandFailure(kNothingFits, options.goal == "cost"       ? "no machine costs so little"
                                       : options.goal == "hardware" ? "no machine is within the time limit"
                                                                    : "no plan fits the described machine");
  }
  const std::string answer = folder + "/machines/" + curve.points[*curve.chosen].hardware.name;
  copy_answer(answer, folder);
  if (options.json)
    std::fputs(read_file(folder + "/measurement.json").c_str(), stdout);
  else
    std::fputs((table + read_file(answer + "/" + kSummary)).c_str(), stdout);
  return kOk;
}

}  // namespace dfsim
