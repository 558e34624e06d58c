#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "planner/report/html/axis.h"
#include "planner/report/html/document.h"
#include "planner/report/html/sections.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"
#include "planner/report/sweep.h"

namespace dfsim {

namespace {

using html::Anchor;
using html::Axis;
using html::Svg;

constexpr double kLeft = 80, kTop = 24, kWidth = 620, kHeight = 300, kBottom = 44;

using Value = std::function<double(const SweepPoint&)>;

struct Quantity {
  std::string name;  ///< with its unit
  Value value;
};

struct Picture {
  std::string id, title, description;
  Quantity x, y;
};

/// Logarithmic, from the power of ten below the least value to the one above the largest.
Axis axis_of(const std::vector<const SweepPoint*>& points, const Value& value, double from, double to) {
  double low = value(*points.front()), high = low;
  for (const SweepPoint* point : points) {
    low = std::min(low, value(*point));
    high = std::max(high, value(*point));
  }
  const double bottom = std::pow(10, std::floor(std::log10(low) + 1e-9));
  const double top = std::pow(10, std::ceil(std::log10(high) - 1e-9));
  return {bottom, std::max(top, bottom * 10), from, to, true};
}

/// Steps through the points that no other beats in these two quantities.
std::string front_path(std::vector<const SweepPoint*> points, const Picture& picture, const Axis& x,
                       const Axis& y) {
  std::sort(points.begin(), points.end(), [&](const SweepPoint* a, const SweepPoint* b) {
    return std::pair(picture.x.value(*a), picture.y.value(*a)) <
           std::pair(picture.x.value(*b), picture.y.value(*b));
  });
  std::string path;
  double best = INFINITY;
  for (const SweepPoint* point : points) {
    const double value = picture.y.value(*point);
    if (value >= best) continue;
    const double across = x.at(picture.x.value(*point));
    path += path.empty() ? fmt::format("M{:.1f} {:.1f}", across, y.at(value))
                         : fmt::format("H{:.1f}V{:.1f}", across, y.at(value));
    best = value;
  }
  return path;
}

std::string label(const SweepPoint& point) {
  std::string text;
  for (const std::string& value : point.values) text += (text.empty() ? "" : ", ") + value;
  return text;
}

std::string scatter(const std::vector<const SweepPoint*>& points, const Picture& picture) {
  const Axis x = axis_of(points, picture.x.value, kLeft, kLeft + kWidth);
  const Axis y = axis_of(points, picture.y.value, kTop + kHeight, kTop);
  Svg svg(picture.id, kLeft + kWidth + 120, kTop + kHeight + kBottom, picture.title, picture.description);
  for (const double tick : y.ticks(5)) {
    svg.line(kLeft, y.at(tick), kLeft + kWidth, y.at(tick), "#ddd");
    svg.text(kLeft - 6, y.at(tick) + 4, html::short_number(tick), Anchor::end, 10);
  }
  for (const double tick : x.ticks(5)) {
    svg.line(x.at(tick), kTop, x.at(tick), kTop + kHeight, "#ddd");
    svg.text(x.at(tick), kTop + kHeight + 16, html::short_number(tick), Anchor::middle, 10);
  }
  svg.text(kLeft + kWidth, kTop + kHeight + 34, picture.x.name, Anchor::end);
  svg.text(kLeft - 60, 14, picture.y.name);
  svg.path(front_path(points, picture, x, y), "none", html::series_colour(0), 2);
  for (const SweepPoint* point : points) {
    const double across = x.at(picture.x.value(*point)), up = y.at(picture.y.value(*point));
    svg.circle(across, up, 5, html::series_colour(1),
               fmt::format("{}: {:.4g} {}, {:.4g} {}", point->name, picture.x.value(*point), picture.x.name,
                           picture.y.value(*point), picture.y.name));
    svg.text(across + 8, up - 6, label(*point).substr(0, 40), Anchor::start, 10);
  }
  return svg.finish();
}

std::vector<Picture> pictures(const Sweep& sweep) {
  const std::string per = sweep.objective == Objective::latency ? "us of the first period" : "us a sample";
  const Quantity time{per, [&sweep](const SweepPoint& p) { return sweep.time_us(p); }};
  const Quantity pes{"PEs", [](const SweepPoint& p) { return static_cast<double>(p.pes); }};
  const Quantity area{"mm2 (area proxy)", [](const SweepPoint& p) { return p.area_mm2; }};
  const Quantity energy{"uJ a sample",
                        [](const SweepPoint& p) { return p.figures.energy_pj_per_sample / 1e6; }};
  return {
      {"front-pes", "Time against PEs", "Every measured point; the line steps along the front.", pes, time},
      {"front-area", "Time against area", "Every measured point; the line steps along the front.", area,
       time},
      {"front-energy", "Energy against time", "Every measured point; the line steps along the front.", time,
       energy}};
}

std::string scaling_section(const Sweep& sweep, const std::vector<SweepJudgement>& judgements) {
  constexpr double kRow = 24, kBarLeft = 190, kBarWidth = 460;
  std::size_t bars = 0;
  double most = 1;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (sweep.points[i].status != SweepStatus::measured) continue;
    ++bars;
    most = std::max(most, judgements[i].efficiency);
  }
  const Axis x(0, most, kBarLeft, kBarLeft + kBarWidth);
  Svg svg("scaling-p", kBarLeft + kBarWidth + 130, 30 + kRow * static_cast<double>(bars),
          "Scaling efficiency",
          "A bar per point: its speed-up over the smallest chip, divided by how many times more PEs it has.");
  double y = 10;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    if (sweep.points[i].status != SweepStatus::measured) continue;
    const SweepJudgement& judgement = judgements[i];
    svg.text(kBarLeft - 6, y + 13, label(sweep.points[i]).substr(0, 28), Anchor::end);
    svg.rect(kBarLeft, y, x.at(judgement.efficiency) - kBarLeft, 16, html::series_colour(0),
             fmt::format("{}: {:.0f} % ({:.2f} times as fast)", sweep.points[i].name,
                         100 * judgement.efficiency, judgement.speedup),
             "#333");
    svg.text(x.at(judgement.efficiency) + 6, y + 13,
             fmt::format("{:.0f} % ({:.2f}x)", 100 * judgement.efficiency, judgement.speedup));
    y += kRow;
  }
  svg.line(x.at(1), 4, x.at(1), y, "#333", 1, "as many times faster as it has more PEs", "4 3");
  return html::section(
      "scaling", "Scaling efficiency",
      "<p>Speed-up over the smallest chip that was measured (with equal values of the keys that do "
      "not change the number of PEs), divided by the ratio of PEs. The dashed line is 100 %.</p>\n" +
          svg.finish());
}

std::string table_section(const Sweep& sweep, const std::vector<SweepJudgement>& judgements) {
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < sweep.points.size(); ++i) {
    const SweepPoint& p = sweep.points[i];
    std::vector<std::string> row{p.name, std::to_string(p.pes), std::to_string(p.memory_ports),
                                 fmt::format("{:.1f}", p.area_mm2)};
    if (p.status != SweepStatus::measured) {
      row.insert(row.end(), {to_string(p.status), "-", "-", "-", "-", "-", p.reason});
    } else {
      const std::string behind =
          judgements[i].pareto ? "on the front" : "behind " + sweep.points[*judgements[i].dominated_by].name;
      row.insert(
          row.end(),
          {fmt::format("{:.2f}", sweep.time_us(p)),
           fmt::format("{:.3f}", p.figures.energy_pj_per_sample / 1e6),
           html::percent_text(p.figures.utilisation, 1), fmt::format("{:.2f}", p.figures.period_over_bound),
           std::to_string(p.figures.stages),
           fmt::format("{} ({})", p.figures.busiest_unit, html::percent_text(p.figures.busiest_share, 1)),
           behind});
    }
    rows.push_back(row);
  }
  return html::section(
      "points", "All points",
      html::table("Points of the sweep",
                  {"point", "PEs", "memory ports", "area (mm2)", "time (us)", "energy a sample (uJ)",
                   "of the peak", "times the bound", "stages", "busiest unit", "Pareto"},
                  rows) +
          "<p>The folder of each point, with its plan, trace and report, lies in "
          "<code>points/</code>.</p>\n");
}

}  // namespace

std::string sweep_html(const Sweep& sweep) {
  const std::vector<SweepJudgement> judgements = judge(sweep);
  std::vector<const SweepPoint*> measured;
  for (const SweepPoint& point : sweep.points)
    if (point.status == SweepStatus::measured) measured.push_back(&point);
  const std::string title = fmt::format("{} on variants of {}", sweep.model, sweep.hardware);
  std::string page = html::document_head(title + " - dfsim sweep", sweep.version, "");
  page += "<body>\n<a class=\"skip\" href=\"#answer\">To the answer</a>\n<header>\n<h1>" +
          html::escaped(title) + "</h1>\n</header>\n<main>\n";
  page += html::section("answer", "Answer",
                        "<p class=\"verdict\">" + html::escaped(sweep_answer(sweep)) + ".</p>\n");
  if (!measured.empty()) {
    std::string body =
        "<p>A point is on the Pareto front if no other is at least as good in time, PEs, energy and area "
        "together. "
        "Each picture shows two of them, on logarithmic axes; down and left is better.</p>\n";
    for (const Picture& picture : pictures(sweep))
      body += "<h3>" + html::escaped(picture.title) + "</h3>\n" + scatter(measured, picture);
    page += html::section("front", "Pareto front", body) + scaling_section(sweep, judgements);
  }
  page += table_section(sweep, judgements);
  page += "</main>\n<footer><p>" + html::escaped("Made by dfsim " + sweep.version) +
          "; the same data is in sweep.csv and sweep.json.</p></footer>\n</body>\n</html>\n";
  return page;
}

}  // namespace dfsim
