#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <set>

#include "planner/ops/operator.h"
#include "planner/report/bounds.h"
#include "planner/report/candidate_text.h"
#include "planner/report/html/text.h"
#include "planner/report/run_report.h"

namespace dfsim {

namespace {

using html::grouped;

constexpr std::size_t kMostStages = 16;  ///< listed one by one

/// "12.3 ms" of so many cycles.
std::string time_text(double cycles, std::uint64_t clock_period_ps) {
  const double ns = cycles * static_cast<double>(clock_period_ps) / 1000.0;
  if (ns >= 1e9) return fmt::format("{:.3f} s", ns / 1e9);
  if (ns >= 1e6) return fmt::format("{:.3f} ms", ns / 1e6);
  if (ns >= 1e3) return fmt::format("{:.3f} us", ns / 1e3);
  return fmt::format("{:.0f} ns", ns);
}

class Summary {
 public:
  Summary(const ReportContext& context, const RunCircumstances& circumstances)
      : context_(context), circumstances_(circumstances) {}

  void paths() {
    if (!circumstances_.config_files.empty()) field("config", circumstances_.config_files.front());
    if (!circumstances_.model_files.empty()) field("model", circumstances_.model_files.front());
  }

  void stages(const MeasuredPlan* run) {
    const Plan& plan = *context_.plan;
    field("plan", fmt::format("{} stage{} on {} PE group{}, {} samples a period", plan.stages.size(),
                              plan.stages.size() == 1 ? "" : "s", plan.distinct_groups(),
                              plan.distinct_groups() == 1 ? "" : "s", plan.samples));
    for (std::size_t s = 0; s < std::min(plan.stages.size(), kMostStages); ++s) {
      const Stage& stage = plan.stages[s];
      std::string text = fmt::format("  {:<8} {:<22} {}", stage.name, stage.group.to_string(),
                                     operators_text(*context_.graph, stage.operators));
      if (context_.planning && s < context_.planning->prices.size())
        text += fmt::format("; alone {} cycles", grouped(context_.planning->prices[s].period_cycles));
      if (run && s < run->stage_period_cycles.size())
        text += fmt::format(", in the plan {}", grouped(run->stage_period_cycles[s]));
      out_ += text + "\n";
    }
    if (plan.stages.size() > kMostStages)
      out_ += fmt::format("  and {} more (plan.yaml has them all)\n", plan.stages.size() - kMostStages);
  }

  void measured(const MeasuredPlan& run) {
    const Measurement& m = run.measurement;
    const HardwareSpec& hardware = *context_.hardware;
    const std::uint32_t samples = context_.plan->samples;
    const double period = run.period_cycles();
    const PeriodBound bound = period_bound(*context_.graph, hardware, samples);
    field("interval", fmt::format("{:.1f} cycles a sample ({}): {} cycles a period", period / samples,
                                  time_text(period / samples, hardware.clock_period_ps),
                                  grouped(static_cast<std::uint64_t>(period + 0.5))));
    if (bound.cycles() > 0)
      field("bound", fmt::format("{} cycles a period ({}); measured is {:.3f} times it",
                                 grouped(static_cast<std::uint64_t>(bound.cycles() + 0.5)),
                                 bound.compute_cycles >= bound.dram_cycles ? "matrix units" : "DRAM",
                                 period / bound.cycles()));
    field("latency",
          fmt::format("{} cycles ({}) for the first period", grouped(run.latency_cycles()),
                      time_text(static_cast<double>(run.latency_cycles()), hardware.clock_period_ps)));
    field("run", fmt::format("{} cycles for {} periods ({} of them fill); one period from cold {}",
                             grouped(m.cycles), run.fill_periods + run.periods, run.fill_periods,
                             grouped(run.total_cycles)));
    const double peak =
        static_cast<double>(hardware.peak_macs_per_pe()) * static_cast<double>(hardware.pes.size());
    if (period > 0 && peak > 0)
      field("utilisation",
            fmt::format(
                "{:.1f} % of the peak of all matrix units",
                100.0 * samples * static_cast<double>(macs_per_sample(*context_.graph)) / (period * peak)));
    field("bottleneck", bottleneck(m));
    const auto energy = m.energy_pj.find("total");
    if (energy != m.energy_pj.end())
      field("energy", fmt::format("{:.3f} mJ for the run", energy->second / 1e9));
  }

  void search() {
    if (!context_.planning) return;
    const PlanningResult& planning = *context_.planning;
    std::string why = fmt::format("{} rounds, {}", planning.rounds.size(), reason(planning.stopped));
    if (planning.optimal)
      why += "; no other plan of the candidates formed has a better estimate";
    else if (planning.gap > 0)  // none without a plan that was run whole
      why += fmt::format("; gap {:.2f} %", 100 * planning.gap);
    field("search", why);
    field("plans run", whole_runs(planning));
    std::string candidates;
    for (const auto& [status, count] : candidates_by_status(planning))
      candidates += fmt::format("{}{} {}", candidates.empty() ? "" : ", ", grouped(count), status);
    field("candidates",
          fmt::format("{}; {} of the prices reused; {} search, flat space {}", candidates,
                      grouped(circumstances_.reused), planning.two_level ? "two-level" : "flat",
                      planning.flat_size == UINT64_MAX ? "over 1.8e19" : grouped(planning.flat_size)));
    if (circumstances_.time_budget) field("note", "with --time-budget another run may give another plan");
  }

  void end() {
    field("time", fmt::format("{:.1f} s to plan, {:.1f} s for the last run, {} worker{}",
                              circumstances_.plan_seconds, circumstances_.run_seconds, circumstances_.workers,
                              circumstances_.workers == 1 ? "" : "s"));
    if (!circumstances_.output_folder.empty()) field("written to", circumstances_.output_folder);
  }

  const std::string& text() const { return out_; }

 private:
  void field(const char* name, const std::string& value) { out_ += fmt::format("{:<12} {}\n", name, value); }

  static std::string reason(StopReason stopped) {
    switch (stopped) {
      case StopReason::converged:
        return "stopped because the cost converged";
      case StopReason::below_target:
        return "stopped below the target";
      case StopReason::max_rounds:
        return "stopped at the most rounds (--max-rounds)";
      case StopReason::time_budget:
        return "stopped at the time budget";
      case StopReason::interrupted:
        return "interrupted: the plan is partial";
    }
    return "stopped";
  }

  std::string whole_runs(const PlanningResult& planning) const {
    std::string text;
    for (const WholePlanRun& run : planning.whole_runs) {
      const double cycles = context_.goal.objective == Objective::latency
                                ? static_cast<double>(run.answer.latency_cycles())
                                : run.answer.period_cycles();
      text += fmt::format("{}{} stage{}: {}", text.empty() ? "" : ", ", run.plan.stages.size(),
                          run.plan.stages.size() == 1 ? "" : "s",
                          run.answer.status == PriceStatus::executed
                              ? grouped(static_cast<std::uint64_t>(cycles + 0.5))
                              : "failed");
    }
    return text.empty() ? "none" : text + " cycles";
  }

  /// The busiest unit, and what the PEs waited for.
  static std::string bottleneck(const Measurement& m) {
    std::uint64_t busy = 0, all = 0;
    std::array<std::uint64_t, kStallCauses> stalls{};
    for (const PeMeasurement& pe : m.pes) {
      busy += pe.busy_cycles;
      for (std::size_t cause = 0; cause < kStallCauses; ++cause) stalls[cause] += pe.stall_cycles[cause];
    }
    all = std::accumulate(stalls.begin(), stalls.end(), busy);
    const auto percent = [](std::uint64_t part, std::uint64_t whole) {
      return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    };
    std::string text = fmt::format("{} busy {:.0f} % of the run; PEs: {:.0f} % busy", m.busiest_unit,
                                   percent(m.busiest_unit_cycles, m.cycles), percent(busy, all));
    std::vector<std::size_t> causes(kStallCauses);
    std::iota(causes.begin(), causes.end(), std::size_t{0});
    std::stable_sort(causes.begin(), causes.end(),
                     [&](std::size_t a, std::size_t b) { return stalls[a] > stalls[b]; });
    for (std::size_t i = 0; i < 3; ++i)
      if (stalls[causes[i]] > 0)
        text += fmt::format(", {:.0f} % {}", percent(stalls[causes[i]], all),
                            to_string(static_cast<StallCause>(causes[i])));
    return text;
  }

  const ReportContext& context_;
  const RunCircumstances& circumstances_;
  std::string out_;
};

}  // namespace

std::map<std::string, std::uint64_t> candidates_by_status(const PlanningResult& planning) {
  std::map<std::string, std::uint64_t> counts;
  std::set<std::string> seen;
  for (const LoggedCandidate& logged : planning.candidates)
    if (seen.insert(logged.record.id).second) ++counts[to_string(logged.record.status)];
  return counts;
}

std::string summary_text(const ReportContext& context, const MeasuredPlan* run,
                         const RunCircumstances& circumstances) {
  Summary summary(context, circumstances);
  summary.paths();
  summary.stages(run);
  if (run) summary.measured(*run);
  summary.search();
  summary.end();
  return summary.text();
}

std::string run_json(const ReportContext& context, const RunCircumstances& circumstances) {
  nlohmann::ordered_json json = {{"version", 1},
                                 {"dfsim_version", context.version},
                                 {"simulator_hash", circumstances.simulator_hash},
                                 {"config_files", circumstances.config_files},
                                 {"model_files", circumstances.model_files},
                                 {"cache_file", circumstances.cache_file},
                                 {"workers", circumstances.workers},
                                 {"plan_seconds", circumstances.plan_seconds},
                                 {"run_seconds", circumstances.run_seconds},
                                 {"reused_prices", circumstances.reused}};
  if (context.planning) {
    auto rounds = nlohmann::ordered_json::array();
    for (const RoundRecord& round : context.planning->rounds)
      rounds.push_back({{"round", round.round}, {"reused", round.reused}});
    json["rounds"] = rounds;
  }
  return json.dump(1) + "\n";
}

}  // namespace dfsim
