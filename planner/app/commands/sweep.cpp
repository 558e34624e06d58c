#include "planner/app/commands/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <numeric>

#include "planner/app/commands/plan.h"
#include "planner/app/exit_codes.h"
#include "planner/app/guarded.h"
#include "planner/app/interrupt.h"
#include "planner/app/output_folder.h"
#include "planner/app/processes.h"
#include "planner/app/progress.h"
#include "planner/app/sweep_points.h"
#include "planner/report/sweep.h"
#include "sim/base/errors.h"
#include "sim/base/files.h"
#include "sim/base/job_tokens.h"

namespace dfsim {

namespace {

constexpr const char* kPointFile = "point.json";

class SweepRun {
 public:
  SweepRun(const SweepOptions& options, std::vector<SweepTask> tasks, Sweep& sweep)
      : tasks_(std::move(tasks)),
        sweep_(sweep),
        workers_(worker_count(options)),
        tokens_(workers_),
        progress_(options.verbosity()) {
    sweep_.points.resize(tasks_.size());
  }

  /// True if every point has ended.
  bool run() {
    take_finished();
    std::vector<ProcessJob> jobs;
    for (const std::size_t index : todo_) jobs.push_back(job(index));
    run_processes(
        jobs, workers_, [this](std::size_t i, const ProcessEnd& end) { take(todo_[i], end); },
        [this](std::size_t running) { draw(running); }, interrupted);
    return ended_ == tasks_.size();
  }

  std::size_t ended() const { return ended_; }

 private:
  /// Points that an earlier sweep has measured are kept; the others are run, the largest chips first, since
  /// they take longest.
  void take_finished() {
    for (std::size_t i = 0; i < tasks_.size(); ++i) {
      const SweepTask& task = tasks_[i];
      sweep_.points[i] = task.point;
      const std::string path = task.options.out + "/" + kPointFile;
      const bool there = std::filesystem::is_regular_file(path);
      const auto known = there ? read_sweep_point(read_file(path), task.identity) : std::nullopt;
      if (!known) {
        todo_.push_back(i);
        weight_ += weight(i);
        continue;
      }
      sweep_.points[i] = *known;
      ++ended_;
    }
    if (ended_ > 0)
      progress_.line(fmt::format("{} of {} points are kept from an earlier sweep", ended_, tasks_.size()));
    std::stable_sort(todo_.begin(), todo_.end(),
                     [this](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  }

  /// Of the work of a point, for the order and the estimate of the time left.
  double weight(std::size_t index) const { return static_cast<double>(tasks_[index].point.pes); }

  ProcessJob job(std::size_t index) {
    SweepTask& task = tasks_[index];
    std::filesystem::create_directories(task.options.out);
    std::error_code ignored;
    std::filesystem::remove(task.options.out + "/" + kPointFile, ignored);
    task.options.tokens = &tokens_;
    task.options.workers = workers_;
    const auto work = [&task](std::string& message) {
      const int code = exit_code_of([&task] { return plan_and_run(task.options, true); }, message);
      if (!message.empty()) fmt::print(stderr, "{}\n", message);
      return code;
    };
    return {work, task.options.out + "/log.txt"};
  }

  void take(std::size_t index, const ProcessEnd& end) {
    const SweepTask& task = tasks_[index];
    SweepPoint& point = sweep_.points[index];
    point.reason = end.message.rfind("error: ", 0) == 0 ? end.message.substr(7) : end.message;
    if (end.code == kOk) {
      point.figures = sweep_figures(read_file(task.options.out + "/measurement.json"), task.peak_macs);
      point.status = SweepStatus::measured;
    } else if (end.code == kNothingFits) {
      point.status = SweepStatus::no_plan;
    } else {
      if (point.reason.empty()) point.reason = fmt::format("ended with code {}", end.code);
      // A killed process and its simulators may have held places.
      for (std::uint32_t i = 0; end.code > 128 && i < workers_; ++i) tokens_.give();
    }
    if (point.status != SweepStatus::failed)
      write_file_atomically(task.options.out + "/" + kPointFile,
                            sweep_point_json(sweep_, point, task.identity));
    ++ended_;
    done_weight_ += weight(index);
    progress_.line(
        fmt::format("{} of {}: {}: {}{}", ended_, tasks_.size(), point.name, outcome(point), eta(", ")));
  }

  std::string outcome(const SweepPoint& point) const {
    if (point.status != SweepStatus::measured) return point.reason;
    return fmt::format("{:.2f} us, {} PEs", sweep_.time_us(point), point.pes);
  }

  /// From the PEs of the points that have ended and of those that have not.
  std::string eta(const std::string& before) const {
    if (done_weight_ <= 0 || done_weight_ >= weight_) return {};
    const double left = progress_.seconds() * (weight_ - done_weight_) / done_weight_;
    return before + "about " + duration_text(left) + " left";
  }

  void draw(std::size_t running) {
    progress_.bar(weight_ > 0 ? done_weight_ / weight_ : 1,
                  fmt::format("{} of {} points, {} running, {}{}", ended_, tasks_.size(), running,
                              duration_text(progress_.seconds()), eta(", ")));
  }

  std::vector<SweepTask> tasks_;
  Sweep& sweep_;
  std::uint32_t workers_;
  JobTokens tokens_;
  Progress progress_;
  std::vector<std::size_t> todo_;
  std::size_t ended_ = 0;
  double weight_ = 0, done_weight_ = 0;
};

void check_options(const SweepOptions& options) {
  check_input_names(options);
  const std::string& trace = options.trace.file;
  if (!trace.empty() && trace != "none")
    throw InputError({{{"--trace", 0, 0},
                       "one file cannot take the traces of all points",
                       "leave it out (each point has its own in its folder), or --trace none"}});
}

int run_sweep(const SweepOptions& options) {
  check_options(options);
  const std::string out =
      options.out.empty() ? default_folder(options.config, options.model) + "-sweep" : options.out;
  Sweep sweep;
  std::vector<SweepTask> tasks = sweep_tasks(options, sweep_keys(options.vary), out, sweep);
  if (options.print_config) {
    for (const SweepTask& task : tasks) plan_and_run(task.options, true);
    return kOk;
  }
  catch_interrupts();
  const std::size_t count = tasks.size();
  SweepRun run(options, std::move(tasks), sweep);
  if (!run.run())
    throw CommandFailure(
        kInterrupted,
        fmt::format("interrupted: {} of {} points are finished and kept; the same command goes on "
                    "from there",
                    run.ended(), count));
  write_file_atomically(out + "/sweep.csv", sweep_csv(sweep));
  write_file_atomically(out + "/sweep.json", sweep_json(sweep));
  write_file_atomically(out + "/sweep.html", sweep_html(sweep));
  if (options.json)
    std::fputs(sweep_json(sweep).c_str(), stdout);
  else
    fmt::print("{}written to   {} (sweep.csv, sweep.json, sweep.html, points/)\n", sweep_text(sweep), out);
  const auto has = [&](SweepStatus status) {
    return std::any_of(sweep.points.begin(), sweep.points.end(),
                       [&](const SweepPoint& point) { return point.status == status; });
  };
  if (has(SweepStatus::failed)) throw CommandFailure(kFailed, "some points failed; their log.txt says more");
  return has(SweepStatus::measured) ? kOk : kNothingFits;
}

}  // namespace

void add_sweep_command(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand("sweep", "plan and measure a model on many variants of a chip");
  command
      ->add_option("--vary", options->vary,
                   "key.path=value,value,... of the config, or model.key=...; repeatable: all combinations")
      ->allow_extra_args(false);
  add_plan_options(*command, *options);
  command->callback([options, &exit_code] { exit_code = run_sweep(*options); });
}

}  // namespace dfsim
