#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/report/html/axis.h"
#include "planner/report/html/sections.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

constexpr double kLeft = 110, kRight = 20, kWidth = 900, kRow = 26, kTop = 24, kBottom = 34;

/// The interval is taken from the end of period F to that of the last one.
const char* phase_of(const ReportData& data, std::size_t period) {
  if (period <= data.fill_periods) return "cold start and fill";
  return period + 1 == data.period_done.size() ? "steady state, draining" : "steady state";
}

}  // namespace

std::string gantt_section(const ReportData& data) {
  if (data.stages.empty() || data.stages.front().ends.empty())
    return section("gantt", "Stages over time",
                   "<p>measurement.json does not hold the times of the stages.</p>\n");
  const double height = kTop + kRow * static_cast<double>(data.stages.size()) + kBottom;
  Svg svg("gantt-p", kLeft + kWidth + kRight, height, "When each stage worked",
          "A row per stage, a bar per period from its first compute micro-op to its last micro-op.");
  const Axis axis(0, static_cast<double>(std::max<std::uint64_t>(data.cycles, 1)), kLeft, kLeft + kWidth);
  for (const double tick : axis.ticks(8)) {
    svg.line(axis.at(tick), kTop, axis.at(tick), height - kBottom, "#ddd");
    svg.text(axis.at(tick), height - kBottom + 14, short_number(tick), Anchor::middle, 10);
  }
  svg.text(kLeft + kWidth, height - 4, "cycles", Anchor::end, 10);
  for (std::size_t p = 0; p < data.period_done.size(); ++p) {
    const double x = axis.at(static_cast<double>(data.period_done[p]));
    svg.line(x, kTop - 6, x, height - kBottom, "#222", 1,
             fmt::format("period {} complete at cycle {}", p, grouped(data.period_done[p])), "3 3");
  }
  for (std::size_t s = 0; s < data.stages.size(); ++s) {
    const StageData& stage = data.stages[s];
    const double y = kTop + kRow * static_cast<double>(s);
    svg.text(kLeft - 6, y + 16, stage.name.substr(0, 18), Anchor::end, 11);
    for (std::size_t p = 0; p < std::min(stage.starts.size(), stage.ends.size()); ++p) {
      if (stage.ends[p] <= stage.starts[p]) continue;
      const double x1 = axis.at(static_cast<double>(stage.starts[p]));
      const double x2 = axis.at(static_cast<double>(stage.ends[p]));
      // Periods of a stage may overlap: alternate bars are drawn a little lower.
      const double low = p % 2 == 0 ? 0 : 6;
      svg.rect(x1, y + 3 + low, std::max(1.0, x2 - x1), kRow - 12, series_colour(p),
               fmt::format("{}, period {} ({}): cycles {} to {}", stage.name, p, phase_of(data, p),
                           grouped(stage.starts[p]), grouped(stage.ends[p])),
               "#333");
      if (x2 - x1 > 14)
        svg.text((x1 + x2) / 2, y + 14 + low, std::to_string(p), Anchor::middle, 10, text_on_series(p));
    }
  }
  std::string body = fmt::format(
      "<p>The dashed lines are the ends of the periods. The interval is taken between the end of period {} "
      "and "
      "that of the last: before it the weights are loaded and the pipeline fills, and with the last period "
      "it "
      "drains.</p>\n",
      data.fill_periods);
  body += svg.finish();
  std::vector<std::vector<std::string>> rows;
  for (const StageData& stage : data.stages)
    for (std::size_t p = 0; p < std::min(stage.starts.size(), stage.ends.size()); ++p)
      rows.push_back({stage.name, std::to_string(p), phase_of(data, p), grouped(stage.starts[p]),
                      grouped(stage.ends[p])});
  body +=
      "<details><summary>As a table</summary>\n" +
      table("Stages over time", {"stage", "period", "phase", "first compute (cycle)", "done (cycle)"}, rows) +
      "</details>\n";
  return section("gantt", "Stages over time", body);
}

}  // namespace dfsim::html
