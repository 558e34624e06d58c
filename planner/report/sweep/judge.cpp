#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "planner/report/html/text.h"
#include "planner/report/sweep.h"

namespace dfsim {

namespace {

/// What a chip is judged by; less is better.
std::array<double, 4> criteria(const Sweep& sweep, const SweepPoint& point) {
  return {sweep.time_us(point), static_cast<double>(point.pes), point.figures.energy_pj_per_sample,
          point.area_mm2};
}

/// At least as good everywhere and better somewhere.
bool dominates(const std::array<double, 4>& a, const std::array<double, 4>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] > b[i]) return false;
    better = better || a[i] < b[i];
  }
  return better;
}

/// Whether the number of PEs depends on key `k`: two points that differ in nothing else have other numbers.
bool changes_pes(const Sweep& sweep, std::size_t k) {
  for (const SweepPoint& a : sweep.points)
    for (const SweepPoint& b : sweep.points) {
      std::vector<std::string> values = b.values;
      values[k] = a.values[k];
      if (values == a.values && a.pes != b.pes) return true;
    }
  return false;
}

std::vector<std::size_t> measured(const Sweep& sweep) {
  std::vector<std::size_t> list;
  for (std::size_t i = 0; i < sweep.points.size(); ++i)
    if (sweep.points[i].status == SweepStatus::measured) list.push_back(i);
  return list;
}

template <class Value>
std::size_t least(const std::vector<std::size_t>& list, const Value& value) {
  return *std::min_element(list.begin(), list.end(),
                           [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
}

/// The values of a point: "8x8", or "8x8, 2" of two keys.
std::string label(const SweepPoint& point) {
  std::string text;
  for (const std::string& value : point.values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

}  // namespace

std::string to_string(SweepStatus status) {
  switch (status) {
    case SweepStatus::measured:
      return "measured";
    case SweepStatus::no_plan:
      return "no_plan";
    case SweepStatus::failed:
      break;
  }
  return "failed";
}

double Sweep::time_us(const SweepPoint& point) const {
  const double cycles = objective == Objective::latency ? static_cast<double>(point.figures.latency_cycles)
                                                        : point.figures.interval_cycles;
  return cycles * static_cast<double>(point.figures.clock_period_ps) / 1e6;
}

std::optional<std::size_t> sweep_baseline(const Sweep& sweep, std::size_t point) {
  std::vector<bool> shape;
  for (std::size_t k = 0; k < sweep.keys.size(); ++k) shape.push_back(changes_pes(sweep, k));
  std::optional<std::size_t> best;
  for (const std::size_t i : measured(sweep)) {
    bool same = true;
    for (std::size_t k = 0; k < sweep.keys.size(); ++k)
      same = same && (shape[k] || sweep.points[i].values[k] == sweep.points[point].values[k]);
    if (same && (!best || sweep.points[i].pes < sweep.points[*best].pes)) best = i;
  }
  return best;
}

std::vector<SweepJudgement> judge(const Sweep& sweep) {
  std::vector<SweepJudgement> list(sweep.points.size());
  const std::vector<std::size_t> all = measured(sweep);
  for (const std::size_t i : all) {
    const SweepPoint& point = sweep.points[i];
    for (const std::size_t j : all)
      if (!list[i].dominated_by && dominates(criteria(sweep, sweep.points[j]), criteria(sweep, point)))
        list[i].dominated_by = j;
    list[i].pareto = !list[i].dominated_by;
    const SweepPoint& base = sweep.points[*sweep_baseline(sweep, i)];
    list[i].speedup = sweep.time_us(base) / sweep.time_us(point);
    list[i].efficiency = list[i].speedup * static_cast<double>(base.pes) / static_cast<double>(point.pes);
  }
  return list;
}

std::string sweep_answer(const Sweep& sweep) {
  std::string question;
  for (const SweepKey& key : sweep.keys) question += (question.empty() ? "" : ", ") + key.name;
  const std::vector<std::size_t> all = measured(sweep);
  if (all.empty()) return fmt::format("which {}? none: no point has a plan that fits", question);
  const auto time = [&](std::size_t i) { return sweep.time_us(sweep.points[i]); };
  const auto energy = [&](std::size_t i) { return sweep.points[i].figures.energy_pj_per_sample; };
  const auto product = [&](std::size_t i) { return time(i) * sweep.points[i].area_mm2; };
  const std::size_t fastest = least(all, time), thrifty = least(all, energy), balanced = least(all, product);
  const std::vector<SweepJudgement> judgements = judge(sweep);
  return fmt::format(
      "which {}? {} has the least time x area ({:.1f} us x {:.1f} mm2, scaling efficiency {:.0f} %); {} is "
      "fastest "
      "({:.1f} us, {:.0f} %); {} takes the least energy ({} a sample)",
      question, label(sweep.points[balanced]), time(balanced), sweep.points[balanced].area_mm2,
      100 * judgements[balanced].efficiency, label(sweep.points[fastest]), time(fastest),
      100 * judgements[fastest].efficiency, label(sweep.points[thrifty]), html::energy_text(energy(thrifty)));
}

}  // namespace dfsim
