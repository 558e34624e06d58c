#include "planner/report/curve.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "planner/report/html/axis.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"
#include "sim/base/csv.h"

namespace dfsim {

namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Minimise what) {
  return what == Minimise::pes ? "pes" : what == Minimise::sram ? "sram" : "links";
}
std::string meaning(const CurvePoint& point) {
  switch (point.status) {
    case PointStatus::measured:
      return "";
    case PointStatus::does_not_fit:
      return "no plan fits";
    case PointStatus::excluded:
      return "cannot be the answer: its bound";
    case PointStatus::open:
      break;
  }
  return "not needed";
}

}  // namespace

std::string to_string(GoalKind kind) {
  switch (kind) {
    case GoalKind::time:
      return "time";
    case GoalKind::hardware:
      return "hardware";
    case GoalKind::cost:
      return "cost";
  }
  return "unknown";
}

std::string curve_text(const HardwareCurve& curve, const CurveContext& context) {
  std::string text = fmt::format("trade-off    {:<10} {:>6} {:>10} {:>8} {:>14} {:>14} {:>16}\n", "machine",
                                 "PEs", "SRAM KiB", "links", "bound", "measured", "cost");
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& point = curve.points[i];
    const HardwareAmount& amount = point.hardware.amount;
    text += fmt::format(
        "           {} {:<10} {:>6} {:>10} {:>8} {:>14.0f} {:>14} {:>16} {}\n", curve.chosen == i ? "*" : " ",
        point.hardware.name, amount.pes, amount.sram_bytes / 1024, amount.links, point.hardware.bound_cycles,
        point.measured() ? fmt::format("{:.0f}", point.measurement.cycles) : "-",
        point.measured() ? fmt::format("{:.6g}", point.cost) : fmt::format(">= {:.6g}", point.cost),
        meaning(point));
  }
  text += fmt::format("             (cycles of {}; * is the answer)\n",
                      context.goal.objective == Objective::latency ? "the first period" : "a period");
  for (const WalkStep& step : curve.steps) {
    const CurvePoint& point = curve.points[step.point];
    text += fmt::format("walk         {}: {}{}\n", point.hardware.name,
                        point.measured() ? fmt::format("{:.0f} cycles, ", point.measurement.cycles) : "",
                        step.verdict);
  }
  return text;
}

std::string curve_csv(const HardwareCurve& curve) {
  std::string text = "machine,pes,sram_bytes,links,bound_cycles,status,cycles,joules,cost,chosen\n";
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& point = curve.points[i];
    const HardwareAmount& amount = point.hardware.amount;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{}\n", csv_field(point.hardware.name), amount.pes,
                        amount.sram_bytes, amount.links, point.hardware.bound_cycles, to_string(point.status),
                        point.measured() ? fmt::format("{}", point.measurement.cycles) : "",
                        point.measured() ? fmt::format("{}", point.measurement.joules) : "",
                        point.measured() ? fmt::format("{}", point.cost) : "", curve.chosen == i ? 1 : 0);
  }
  return text;
}

std::string curve_json(const HardwareCurve& curve, const CurveContext& context) {
  Json points = Json::array(), steps = Json::array();
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& point = curve.points[i];
    Json json = {{"machine", point.hardware.name},
                 {"pes", point.hardware.amount.pes},
                 {"sram_bytes", point.hardware.amount.sram_bytes},
                 {"links", point.hardware.amount.links},
                 {"bound_cycles", point.hardware.bound_cycles},
                 {"status", to_string(point.status)},
                 {"cycles", nullptr},
                 {"joules", nullptr},
                 {"cost", nullptr}};
    if (point.measured()) {
      json["cycles"] = point.measurement.cycles;
      json["joules"] = point.measurement.joules;
      json["cost"] = point.cost;
    }
    points.push_back(std::move(json));
  }
  for (const WalkStep& step : curve.steps)
    steps.push_back({{"machine", curve.points[step.point].hardware.name}, {"verdict", step.verdict}});
  Json json = {{"version", 1},
               {"goal", to_string(context.goal.kind)},
               {"objective", context.goal.objective == Objective::latency ? "latency" : "interval"},
               {"minimise", name_of(context.minimise)},
               {"limit_cycles", context.limit_cycles > 0 ? Json(context.limit_cycles) : Json()},
               {"chosen", curve.chosen ? Json(curve.points[*curve.chosen].hardware.name) : Json()},
               {"points", points},
               {"steps", steps}};
  return json.dump(1) + "\n";
}

std::string curve_svg(const HardwareCurve& curve, const CurveContext& context) {
  using namespace html;
  constexpr double kLeft = 80, kTop = 30, kWidth = 560, kHeight = 300, kBottom = 46;
  double most_pes = 1, most = context.limit_cycles;
  for (const CurvePoint& point : curve.points) {
    most_pes = std::max(most_pes, static_cast<double>(point.hardware.amount.pes));
    if (point.measured()) most = std::max(most, point.measurement.cycles);
  }
  if (most <= 0) most = 1;
  const Axis x(0, most_pes * 1.05, kLeft, kLeft + kWidth), y(0, most * 1.05, kTop + kHeight, kTop);
  Svg svg("curve", kLeft + kWidth + 170, kTop + kHeight + kBottom, "Hardware against time",
          "Cycles measured and bounds by number of PEs; the answer is marked.");
  for (const double tick : y.ticks(5)) {
    svg.line(kLeft, y.at(tick), kLeft + kWidth, y.at(tick), "#ddd");
    svg.text(kLeft - 6, y.at(tick) + 4, short_number(tick), Anchor::end, 10);
  }
  for (const double tick : x.ticks(8))
    svg.text(x.at(tick), kTop + kHeight + 16, short_number(tick), Anchor::middle, 10);
  svg.text(kLeft + kWidth, kTop + kHeight + 34, "PEs", Anchor::end);
  svg.text(kLeft - 60, 14, "cycles");
  if (context.limit_cycles > 0)
    svg.line(kLeft, y.at(context.limit_cycles), kLeft + kWidth, y.at(context.limit_cycles), series_colour(4),
             1, fmt::format("limit: {:.0f} cycles", context.limit_cycles), "6 4");
  std::string bounds;
  for (const CurvePoint& point : curve.points) {
    const double at = x.at(static_cast<double>(point.hardware.amount.pes));
    if (point.hardware.bound_cycles <= most * 1.05)
      bounds +=
          fmt::format("{}{:.1f} {:.1f}", bounds.empty() ? "M" : "L", at, y.at(point.hardware.bound_cycles));
  }
  if (!bounds.empty()) svg.path(bounds, "none", series_colour(2), 1);
  for (std::size_t i = 0; i < curve.points.size(); ++i) {
    const CurvePoint& point = curve.points[i];
    if (!point.measured()) continue;
    svg.circle(x.at(static_cast<double>(point.hardware.amount.pes)), y.at(point.measurement.cycles),
               curve.chosen == i ? 7 : 4, series_colour(curve.chosen == i ? 5 : 0),
               fmt::format("{}: {} PEs, {:.0f} cycles", point.hardware.name, point.hardware.amount.pes,
                           point.measurement.cycles));
  }
  const double row = kLeft + kWidth + 14;
  svg.circle(row + 8, kTop + 10, 4, series_colour(0));
  svg.text(row + 24, kTop + 14, "measured");
  svg.circle(row + 8, kTop + 30, 7, series_colour(5));
  svg.text(row + 24, kTop + 34, "the answer");
  svg.line(row, kTop + 50, row + 18, kTop + 50, series_colour(2), 1);
  svg.text(row + 24, kTop + 54, "bound");
  svg.line(row, kTop + 70, row + 18, kTop + 70, series_colour(4), 1, {}, "6 4");
  svg.text(row + 24, kTop + 74, "limit");
  std::string text = svg.finish() + "\n";
  return text.insert(text.find(' '), " xmlns=\"http://www.w3.org/2000/svg\"");  // a file of its own
}

}  // namespace dfsim
