#include "planner/cost/simulated.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/cost/program_hash.h"
#include "planner/lower/lower.h"
#include "sim/api/program_runner.h"
#include "sim/base/units.h"

namespace dfsim {

namespace {

/// Periods of a priced stage or transfer: the first gives the latency, the last the length of a period.
constexpr std::uint32_t kPricePeriods = 3;
/// Measured lengths of the periods after the fill may differ by this much; else more periods are filled.
constexpr double kSteadyRatio = 1.05;

/// Answers requests inside a worker process.
class PricingWorker {
 public:
  PricingWorker(const Graph& graph, const HardwareSpec& hardware, std::unique_ptr<ProgramRunner> runner,
                const PricingOptions& options)
      : graph_(graph), hardware_(hardware), runner_(std::move(runner)), options_(options) {}

  std::string answer(const std::string& text) {
    const PriceRequest request = price_request_from(text);
    if (request.kind == PriceRequest::Kind::plan) return to_text(measure_plan(request));
    return to_text(price(request));
  }

 private:
  LowerOptions lower_options(const PriceRequest& request, std::uint32_t periods) const {
    LowerOptions options;
    options.samples = request.samples;
    options.periods = periods;
    options.seed = options_.seed;
    return options;
  }

  PriceAnswer price(const PriceRequest& request) {
    const LowerOptions options = lower_options(request, kPricePeriods);
    const Result<Program, Infeasible> program =
        request.kind == PriceRequest::Kind::stage
            ? lower_stage(graph_, hardware_, request.stages.at(0), options)
            : lower_transfer(graph_, hardware_, request.stages.at(0), request.stages.at(1), options);
    PriceAnswer answer;
    if (!program.ok()) {
      answer.status = PriceStatus::infeasible;
      answer.reason = program.reason().to_string();
      return answer;
    }
    answer.program_hash = program_hash(*program, hardware_);
    if (program->pes.empty()) return answer;  // nothing to do takes no time
    RunLimit limit;
    limit.check_order = false;
    limit.first_period_cycles = request.limit.latency_cycles;
    limit.last_period_cycles = request.limit.period_cycles;
    const RunOutcome outcome = runner_->run(*program, limit);
    if (outcome.status == RunStatus::limit_reached) {
      answer.status = PriceStatus::stopped;
    } else if (outcome.status != RunStatus::finished) {
      answer.status = PriceStatus::failed;
      answer.reason = fmt::format("{}: {}", to_string(outcome.status), outcome.reason);
    } else {
      answer.price = price_of(outcome.measurement);
      if (exceeds(answer.price, request.limit)) answer.status = PriceStatus::stopped, answer.price = {};
    }
    return answer;
  }

  static StagePrice price_of(const Measurement& measurement) {
    const std::vector<std::uint64_t>& done = measurement.period_done_cycles;
    if (done.empty()) return {};
    const std::uint64_t last = done.size() > 1 ? done.back() - done[done.size() - 2] : done.back();
    return {done.front(),
            std::max(last, ceil_div<std::uint64_t>(measurement.busiest_unit_cycles, done.size()))};
  }

  /// F starts at the number of different PE groups minus 1 and grows while the measured lengths differ.
  PlanAnswer measure_plan(const PriceRequest& request) {
    Plan plan;
    plan.samples = request.samples;
    plan.stages = request.stages;
    const std::uint32_t least = std::max<std::uint32_t>(1, plan.distinct_groups()) - 1;
    const std::uint32_t most = 4 * least + 4;
    for (std::uint32_t fill = least;;) {
      PlanAnswer answer = run_plan(plan, fill);
      if (answer.status != PriceStatus::executed || fill == most || steady(answer)) return answer;
      fill = std::min(most, 2 * fill + 1);
    }
  }

  PlanAnswer run_plan(const Plan& plan, std::uint32_t fill) {
    PlanAnswer answer;
    answer.fill_periods = fill;
    LowerOptions options;
    options.samples = plan.samples;
    options.periods = fill + std::max<std::uint32_t>(2, options_.periods);
    options.seed = options_.seed;
    const Result<Program, Infeasible> program = lower_plan(graph_, hardware_, plan, options);
    if (!program.ok()) {
      answer.status = PriceStatus::infeasible;
      answer.reason = program.reason().to_string();
      return answer;
    }
    answer.program_hash = program_hash(*program, hardware_);
    RunLimit limit;
    limit.check_order = false;
    const RunOutcome outcome = runner_->run(*program, limit);
    if (outcome.status != RunStatus::finished) {
      answer.status = PriceStatus::failed;
      answer.reason = fmt::format("{}: {}", to_string(outcome.status), outcome.reason);
      return answer;
    }
    answer.period_done_cycles = outcome.measurement.period_done_cycles;
    for (std::size_t stage = 0; stage < outcome.measurement.stage_period_done_cycles.size(); ++stage)
      answer.stage_period_cycles.push_back(last_period_of_stage(outcome.measurement, stage));
    return answer;
  }

  /// A stage that takes turns with others on its group is at work from its start to its end; one that has its
  /// group to itself may start the next period before the last has ended: then what counts is the distance.
  static std::uint64_t last_period_of_stage(const Measurement& measurement, std::size_t stage) {
    const std::vector<std::uint64_t>& done = measurement.stage_period_done_cycles[stage];
    const std::vector<std::uint64_t>& start = measurement.stage_period_start_cycles[stage];
    if (done.empty()) return 0;
    const std::uint64_t distance = done.size() > 1 ? done.back() - done[done.size() - 2] : done.back();
    return start.size() == done.size() ? std::min(distance, done.back() - start.back()) : distance;
  }

  static bool steady(const PlanAnswer& answer) {
    const std::vector<std::uint64_t>& done = answer.period_done_cycles;
    std::uint64_t shortest = 0, longest = 0;
    for (std::size_t p = answer.fill_periods + 1; p < done.size(); ++p) {
      const std::uint64_t length = done[p] - done[p - 1];
      shortest = shortest == 0 ? length : std::min(shortest, length);
      longest = std::max(longest, length);
    }
    return static_cast<double>(longest) <= kSteadyRatio * static_cast<double>(shortest);
  }

  const Graph& graph_;
  const HardwareSpec& hardware_;
  std::unique_ptr<ProgramRunner> runner_;
  PricingOptions options_;
};

}  // namespace

WorkerPool::HandlerFactory make_pricing_handler(const Graph& graph, const HardwareSpec& hardware,
                                                RunnerFactory make_runner, const PricingOptions& options) {
  return [&graph, &hardware, make_runner = std::move(make_runner), options]() -> WorkerPool::Handler {
    // A std::function is copied: the worker's state is shared by the copies.
    const auto worker = std::make_shared<PricingWorker>(graph, hardware, make_runner(), options);
    return [worker](const std::string& request) { return worker->answer(request); };
  };
}

SimulatedOracle::SimulatedOracle(WorkerPool& pool, const PricingOptions& options,
                                 std::function<bool()> interrupted)
    : pool_(pool), options_(options), interrupted_(std::move(interrupted)) {}

std::vector<PriceAnswer> SimulatedOracle::prices(const std::vector<PriceRequest>& requests,
                                                 const PriceDone& done) {
  std::vector<std::string> texts;
  for (const PriceRequest& request : requests) texts.push_back(to_text(request));
  std::vector<PriceAnswer> answers(requests.size());
  for (PriceAnswer& answer : answers) answer.status = PriceStatus::failed, answer.reason = kInterrupted;
  pool_.run(
      texts,
      [&](std::size_t index, const std::string& text) {
        answers[index] = price_answer_from(text);
        if (done) done(index, answers[index]);
      },
      interrupted_);
  return answers;
}

std::vector<PriceAnswer> SimulatedOracle::stream_stages(const std::vector<Stage>& stages,
                                                        const PriceLimit& limit, const PriceDone& done) {
  std::vector<PriceRequest> requests;
  for (const Stage& stage : stages)
    requests.push_back({PriceRequest::Kind::stage, {stage}, options_.samples, limit});
  return prices(requests, done);
}

std::vector<PriceAnswer> SimulatedOracle::stream_transfers(const std::vector<std::pair<Stage, Stage>>& pairs,
                                                           const PriceDone& done) {
  std::vector<PriceRequest> requests;
  for (const auto& [producer, consumer] : pairs)
    requests.push_back({PriceRequest::Kind::transfer, {producer, consumer}, options_.samples, {}});
  return prices(requests, done);
}

std::vector<PlanAnswer> SimulatedOracle::stream_plans(const std::vector<Plan>& plans, const PlanDone& done) {
  std::vector<std::string> texts;
  for (const Plan& plan : plans)
    texts.push_back(to_text(PriceRequest{PriceRequest::Kind::plan, plan.stages, plan.samples, {}}));
  std::vector<PlanAnswer> answers(plans.size());
  for (PlanAnswer& answer : answers) answer.status = PriceStatus::failed, answer.reason = kInterrupted;
  pool_.run(
      texts,
      [&](std::size_t index, const std::string& text) {
        answers[index] = plan_answer_from(text);
        if (done) done(index, answers[index]);
      },
      interrupted_);
  return answers;
}

}  // namespace dfsim
