#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "planner/report/sweep.h"
#include "sim/base/csv.h"

namespace dfsim {

namespace {

using Json = nlohmann::ordered_json;

constexpr int kVersion = 1;

std::string text_of(const Json& json) {
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Json figures_json(const Sweep& sweep, const SweepPoint& point) {
  const SweepFigures& f = point.figures;
  return {{"clock_period_ps", f.clock_period_ps},
          {"time_us", sweep.time_us(point)},
          {"interval_cycles", f.interval_cycles},
          {"latency_cycles", f.latency_cycles},
          {"period_over_bound", f.period_over_bound},
          {"utilisation", f.utilisation},
          {"energy_pj_per_sample", f.energy_pj_per_sample},
          {"stages", f.stages},
          {"busiest_unit", f.busiest_unit},
          {"busiest_share", f.busiest_share}};
}

Json point_json(const Sweep& sweep, const SweepPoint& point) {
  Json json = {{"name", point.name},
               {"folder", point.folder},
               {"values", point.values},
               {"pes", point.pes},
               {"memory_ports", point.memory_ports},
               {"area_mm2", point.area_mm2},
               {"status", to_string(point.status)},
               {"reason", point.reason},
               {"figures", nullptr}};
  if (point.status == SweepStatus::measured) json["figures"] = figures_json(sweep, point);
  return json;
}

SweepFigures figures_from(const Json& json) {
  SweepFigures f;
  f.clock_period_ps = json.at("clock_period_ps");
  f.interval_cycles = json.at("interval_cycles");
  f.latency_cycles = json.at("latency_cycles");
  f.period_over_bound = json.at("period_over_bound");
  f.utilisation = json.at("utilisation");
  f.energy_pj_per_sample = json.at("energy_pj_per_sample");
  f.stages = json.at("stages");
  f.busiest_unit = json.at("busiest_unit");
  f.busiest_share = json.at("busiest_share");
  return f;
}

std::string objective_name(const Sweep& sweep) {
  return sweep.objective == Objective::latency ? "latency" : "interval";
}

}  // namespace

SweepFigures sweep_figures(const std::string& measurement_json, double peak_macs) {
  const Json m = Json::parse(measurement_json);
  SweepFigures f;
  f.clock_period_ps = m.at("clock_period_ps");
  f.interval_cycles = m.at("interval_cycles");
  f.latency_cycles = m.at("latency_cycles");
  f.stages = m.at("stages").size();
  f.busiest_unit = m.at("busiest_unit");
  const double cycles = m.at("cycles"), samples = m.at("samples"), bound = m.at("lower_bound_cycles");
  const double periods = m.at("periods").get<double>() + m.at("fill_periods").get<double>();
  f.busiest_share = m.at("busiest_unit_cycles").get<double>() / cycles;
  f.utilisation = m.at("macs_per_sample").get<double>() / (f.interval_cycles * peak_macs);
  f.period_over_bound = bound > 0 ? f.interval_cycles * samples / bound : 0;
  f.energy_pj_per_sample = m.at("energy_pj").at("total").get<double>() / (periods * samples);
  return f;
}

std::string sweep_point_json(const Sweep& sweep, const SweepPoint& point, const std::string& identity) {
  return text_of({{"version", kVersion}, {"identity", identity}, {"point", point_json(sweep, point)}});
}

std::optional<SweepPoint> read_sweep_point(const std::string& text, const std::string& identity) try {
  const Json json = Json::parse(text);
  if (json.at("version") != kVersion || json.at("identity") != identity) return std::nullopt;
  const Json& p = json.at("point");
  SweepPoint point;
  point.name = p.at("name");
  point.folder = p.at("folder");
  point.values = p.at("values").get<std::vector<std::string>>();
  point.pes = p.at("pes");
  point.memory_ports = p.at("memory_ports");
  point.area_mm2 = p.at("area_mm2");
  point.status = SweepStatus::no_plan;
  point.reason = p.at("reason");
  if (!p.at("figures").is_null()) {
    point.status = SweepStatus::measured;
    point.figures = figures_from(p.at("figures"));
  }
  return point;
} catch (const nlohmann::json::exception&) {
  return std::nullopt;  // cut or edited: measured anew
}

std::string sweep_json(const Sweep& sweep) {
  Json keys = Json::array(), points = Json::array(), pareto = Json::array();
  for (const SweepKey& key : sweep.keys) keys.push_back({{"key", key.name}, {"values", key.values}});
  const std::vector<SweepJudgement> judgements = judge(sweep);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    Json point = point_json(sweep, sweep.points[i]);
    const SweepJudgement& judgement = judgements[i];
    if (!point["figures"].is_null()) {
      point["pareto"] = judgement.pareto;
      point["dominated_by"] =
          judgement.dominated_by ? Json(sweep.points[*judgement.dominated_by].name) : Json(nullptr);
      point["speedup"] = judgement.speedup;
      point["scaling_efficiency"] = judgement.efficiency;
    }
    if (judgement.pareto) pareto.push_back(sweep.points[i].name);
    points.push_back(std::move(point));
  }
  return text_of({{"version", kVersion},
                  {"dfsim_version", sweep.version},
                  {"hardware", sweep.hardware},
                  {"model", sweep.model},
                  {"objective", objective_name(sweep)},
                  {"samples", sweep.samples},
                  {"vary", keys},
                  {"answer", sweep_answer(sweep)},
                  {"pareto", pareto},
                  {"points", points}});
}

std::string sweep_csv(const Sweep& sweep) {
  std::string out;
  for (const SweepKey& key : sweep.keys) out += csv_field(key.name) + ",";
  out +=
      "status,pes,memory_ports,area_mm2,time_us,interval_cycles,latency_cycles,period_over_bound,utilisation,"
      "energy_pj_per_sample,speedup,scaling_efficiency,pareto,stages,busiest_unit,busiest_share,folder,"
      "reason\n";
  const std::vector<SweepJudgement> judgements = judge(sweep);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    const SweepFigures& f = point.figures;
    for (const std::string& value : point.values) out += csv_field(value) + ",";
    out +=
        fmt::format("{},{},{},{},", to_string(point.status), point.pes, point.memory_ports, point.area_mm2);
    if (point.status == SweepStatus::measured)
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}", sweep.time_us(point), f.interval_cycles,
                         f.latency_cycles, f.period_over_bound, f.utilisation, f.energy_pj_per_sample,
                         judgements[i].speedup, judgements[i].efficiency, judgements[i].pareto ? 1 : 0,
                         f.stages, csv_field(f.busiest_unit), f.busiest_share);
    else
      out += ",,,,,,,,,,,";
    out += "," + csv_field(point.folder) + "," + csv_field(point.reason) + "\n";
  }
  return out;
}

std::string sweep_text(const Sweep& sweep) {
  std::size_t width = 5;
  for (const SweepPoint& point : sweep.points) width = std::max(width, point.name.size());
  std::string out = fmt::format("{:<{}} {:>6} {:>12} {:>14} {:>10} {:>8} {:>11}  {}\n", "point", width, "PEs",
                                "time us", "uJ a sample", "area mm2", "speedup", "efficiency", "Pareto");
  const std::vector<SweepJudgement> judgements = judge(sweep);
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& point = sweep.points[i];
    if (point.status == SweepStatus::measured)
      out += fmt::format(
          "{:<{}} {:>6} {:>12.2f} {:>14.3f} {:>10.1f} {:>8.2f} {:>9.0f} %  {}\n", point.name, width,
          point.pes, sweep.time_us(point), point.figures.energy_pj_per_sample / 1e6, point.area_mm2,
          judgements[i].speedup, 100 * judgements[i].efficiency,
          judgements[i].pareto ? "*" : "behind " + sweep.points[*judgements[i].dominated_by].name);
    else
      out += fmt::format("{:<{}} {:>6} {}\n", point.name, width, point.pes, point.reason);
  }
  return out + sweep_answer(sweep) + "\n";
}

}  // namespace dfsim
