#include <fmt/format.h>

#include <algorithm>

#include "planner/report/html/axis.h"
#include "planner/report/html/sections.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

constexpr double kLeft = 110, kWidth = 560, kRow = 34, kTop = 26, kBottom = 30;

std::string operators_text(const StageData& stage) {
  if (stage.operators.empty()) return "";
  if (stage.operators.size() == 1) return stage.operators.front();
  return fmt::format("{} .. {} ({})", stage.operators.front(), stage.operators.back(),
                     stage.operators.size());
}

std::string boxes_text(const StageData& stage) {
  std::string text;
  for (const Submesh& box : stage.group) text += (text.empty() ? "" : " ") + box.to_string();
  return text;
}

}  // namespace

std::string prices_section(const ReportData& data) {
  std::uint64_t most = 1;
  for (const StageData& stage : data.stages) most = std::max({most, stage.measured, stage.price.value_or(0)});
  const double height = kTop + kRow * static_cast<double>(data.stages.size()) + kBottom;
  const Axis axis(0, static_cast<double>(most), kLeft, kLeft + kWidth);
  Svg svg("prices-p", kLeft + kWidth + 110, height, "Price of each stage alone and in the plan",
          "Two bars per stage: the length of its last period when it ran alone, and in the run of the whole "
          "plan.");
  svg.rect(kLeft, 4, 12, 12, series_colour(0), {}, "#333");
  svg.text(kLeft + 16, 14, "alone");
  svg.rect(kLeft + 70, 4, 12, 12, series_colour(1), {}, "#333");
  svg.text(kLeft + 86, 14, "in the whole plan");
  for (const double tick : axis.ticks(6)) {
    svg.line(axis.at(tick), kTop, axis.at(tick), height - kBottom, "#ddd");
    svg.text(axis.at(tick), height - kBottom + 14, short_number(tick), Anchor::middle, 10);
  }
  svg.text(kLeft + kWidth + 100, height - kBottom + 14, "cycles a period", Anchor::end, 10);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t s = 0; s < data.stages.size(); ++s) {
    const StageData& stage = data.stages[s];
    const double y = kTop + kRow * static_cast<double>(s);
    svg.text(kLeft - 6, y + 18, stage.name.substr(0, 18), Anchor::end);
    if (stage.price)
      svg.rect(kLeft, y + 3, axis.at(static_cast<double>(*stage.price)) - kLeft, 12, series_colour(0),
               fmt::format("{} alone: {} cycles", stage.name, grouped(*stage.price)), "#333");
    svg.rect(kLeft, y + 16, axis.at(static_cast<double>(stage.measured)) - kLeft, 12, series_colour(1),
             fmt::format("{} in the plan: {} cycles", stage.name, grouped(stage.measured)), "#333");
    rows.push_back({stage.name, operators_text(stage), boxes_text(stage),
                    stage.price ? grouped(*stage.price) : "-", grouped(stage.measured),
                    stage.price
                        ? percent_text(static_cast<double>(stage.measured), static_cast<double>(*stage.price))
                        : "-"});
  }
  std::string body =
      "<p>A stage is priced by a run of its own, without its neighbours' traffic. In the whole plan it "
      "shares "
      "links and DRAM, and stages on one group take turns.</p>\n";
  body += svg.finish();
  body += table("Stages",
                {"stage", "operators", "PE group", "alone (cycles)", "in the plan (cycles)", "ratio"}, rows);
  return section("prices", "Stages: price alone, and in the whole plan", body);
}

}  // namespace dfsim::html
