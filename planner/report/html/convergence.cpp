#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>

#include "planner/report/html/axis.h"
#include "planner/report/html/sections.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

constexpr double kLeft = 80, kTop = 30, kWidth = 560, kHeight = 220, kBottom = 40;

struct Line {
  const char* name;
  std::function<double(const RoundData&)> value;
};

std::string candidates_text(const RoundData& round) {
  std::string text;
  for (const auto& [status, count] : round.candidates)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, status);
  return text;
}

std::string picture(const ReportData& data) {
  const std::array<Line, 3> lines{{{"cost believed (before)", [](const RoundData& r) { return r.cost_in; }},
                                   {"cost measured (after)", [](const RoundData& r) { return r.cost_out; }},
                                   {"bound", [](const RoundData& r) { return r.bound; }}}};
  double most = 0;
  // The preset of round 1 is in a unit of its own.
  for (const RoundData& round : data.rounds)
    for (const Line& line : lines)
      if (round.round > 1 || line.name != lines[0].name) most = std::max(most, line.value(round));
  for (const WholeRunData& run : data.whole_runs)
    most = std::max({most, run.estimate, run.cycles.value_or(0)});
  if (most <= 0) most = 1;
  const double last = static_cast<double>(data.rounds.back().round);
  const Axis x(1, std::max(2.0, last + 1), kLeft, kLeft + kWidth);
  const Axis y(0, most * 1.05, kTop + kHeight, kTop);
  Svg svg(
      "convergence-p", kLeft + kWidth + 190, kTop + kHeight + kBottom, "Convergence of the planner",
      "Cycles of a period by round: what the proposal was believed to cost, what it cost when measured, and "
      "the bound; at the right the plans that were run whole.");
  for (const double tick : y.ticks(5)) {
    svg.line(kLeft, y.at(tick), kLeft + kWidth, y.at(tick), "#ddd");
    svg.text(kLeft - 6, y.at(tick) + 4, short_number(tick), Anchor::end, 10);
  }
  for (const RoundData& round : data.rounds)
    svg.text(x.at(round.round), kTop + kHeight + 16, std::to_string(round.round), Anchor::middle, 10);
  svg.text(kLeft + kWidth, kTop + kHeight + 32, "round; whole-plan runs at the right", Anchor::end);
  svg.text(kLeft - 60, 14, "cycles");
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string path;
    for (const RoundData& round : data.rounds) {
      if (l == 0 && round.round == 1) continue;
      path += fmt::format("{}{:.1f} {:.1f}", path.empty() ? "M" : "L", x.at(round.round),
                          y.at(lines[l].value(round)));
      svg.circle(
          x.at(round.round), y.at(lines[l].value(round)), 3, series_colour(l),
          fmt::format("round {}, {}: {:.0f} cycles", round.round, lines[l].name, lines[l].value(round)));
    }
    if (!path.empty()) svg.path(path, "none", series_colour(l), 2);
    const double row = kTop + 14 + 18 * static_cast<double>(l);
    svg.line(kLeft + kWidth + 12, row - 4, kLeft + kWidth + 30, row - 4, series_colour(l), 2);
    svg.text(kLeft + kWidth + 36, row, lines[l].name);
  }
  for (const WholeRunData& run : data.whole_runs) {
    if (!run.cycles) continue;
    svg.circle(x.at(last + 0.7), y.at(*run.cycles), 5, series_colour(5),
               fmt::format("{} stages run whole: {:.0f} cycles, estimated {:.0f}", run.stages, *run.cycles,
                           run.estimate));
  }
  svg.circle(kLeft + kWidth + 21, kTop + 64, 5, series_colour(5));
  svg.text(kLeft + kWidth + 36, kTop + 68, "plan run whole");
  return svg.finish();
}

}  // namespace

std::string convergence_section(const ReportData& data) {
  if (data.rounds.empty())
    return section("convergence", "How the planner got there",
                   "<p>The plan was given, not searched for.</p>\n");
  std::string body =
      "<p>Each round proposes a plan from what is believed, then measures it. In round 1 the belief is a "
      "neutral "
      "preset and is left out. No plan of the candidates formed can be estimated below the bound.</p>\n";
  body += picture(data);
  std::vector<std::vector<std::string>> rounds, runs;
  for (const RoundData& round : data.rounds)
    rounds.push_back({std::to_string(round.round), std::to_string(round.stages),
                      fmt::format("{:.0f}", round.cost_in), fmt::format("{:.0f}", round.cost_out),
                      fmt::format("{:.0f}", round.bound), candidates_text(round)});
  for (std::size_t i = 0; i < data.whole_runs.size(); ++i) {
    const WholeRunData& run = data.whole_runs[i];
    runs.push_back({std::to_string(i + 1), std::to_string(run.stages), fmt::format("{:.0f}", run.estimate),
                    run.cycles ? fmt::format("{:.0f}", *run.cycles) : "failed",
                    run.cycles ? percent_text(*run.cycles, run.estimate) : "-"});
  }
  body += table("Plans run whole",
                {"plan", "stages", "estimate (cycles)", "measured (cycles)", "of the estimate"}, runs);
  body += "<details><summary>Rounds as a table</summary>\n" +
          table("Rounds",
                {"round", "stages", "believed (cycles)", "measured (cycles)", "bound (cycles)", "candidates"},
                rounds) +
          "</details>\n";
  return section("convergence", "How the planner got there", body);
}

}  // namespace dfsim::html
