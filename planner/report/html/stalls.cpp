#include <fmt/format.h>

#include <algorithm>

#include "planner/report/html/sections.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

constexpr double kLeft = 170, kWidth = 640, kRow = 30, kTop = 44;

/// Besides colours, parts are told apart by their order, which is that of the legend.
void draw_legend(Svg& svg) {
  double x = kLeft;
  for (std::size_t part = 0; part <= kStallCauses; ++part) {
    svg.rect(x, 8, 12, 12, series_colour(part), {}, "#333");
    svg.text(x + 16, 18, part_name(part));
    x += 26 + 6.4 * static_cast<double>(part_name(part).size());
  }
}

struct Bar {
  std::string stages, what;
  Parts parts{};
  double all = 0;  ///< PE cycles
};

void draw(Svg& svg, const Bar& bar, double y) {
  std::string label = bar.stages;
  if (label.size() > 14) label = label.substr(0, 12) + "...";
  svg.text(kLeft - 6, y + 15, label + ", " + bar.what, Anchor::end, 10);
  double x = kLeft;
  for (std::size_t part = 0; part < bar.parts.size(); ++part) {
    const auto cycles = static_cast<double>(bar.parts[part]);
    const double width = bar.all <= 0 ? 0 : kWidth * cycles / bar.all;
    if (width < 0.2) continue;
    const std::string share = percent_text(cycles, bar.all);
    svg.rect(x, y, width, kRow - 8, series_colour(part),
             fmt::format("{}, {}: {} {}", bar.stages, bar.what, part_name(part), share), "#333");
    if (width > 34) svg.text(x + width / 2, y + 15, share, Anchor::middle, 10, text_on_series(part));
    x += width;
  }
}

std::vector<std::string> row_of(const Bar& bar, std::size_t pes) {
  std::vector<std::string> row{bar.stages, std::to_string(pes), bar.what};
  for (const std::uint64_t cycles : bar.parts)
    row.push_back(percent_text(static_cast<double>(cycles), bar.all));
  return row;
}

}  // namespace

std::string stalls_section(const ReportData& data) {
  std::vector<GroupData> groups = groups_of(data);
  std::vector<bool> used(data.pes.size(), false);
  for (const GroupData& group : groups)
    for (const std::size_t i : group.pes) used[i] = true;
  GroupData idle{{}, "in no stage", {}};
  for (std::size_t i = 0; i < used.size(); ++i)
    if (!used[i]) idle.pes.push_back(i);
  if (!idle.pes.empty()) groups.push_back(idle);

  const bool steady = !data.steady_pes.empty() && data.steady_cycles() > 0;
  const double bars = (steady ? 2 : 1) * static_cast<double>(groups.size());
  Svg svg("stalls-p", kLeft + kWidth + 20, kTop + kRow * bars + 10, "What the PEs did",
          "Bars per PE group: shares of computing and of each cause of stalls.");
  draw_legend(svg);
  double y = kTop;
  std::vector<std::vector<std::string>> rows;
  for (const GroupData& group : groups)
    for (const bool whole : {false, true}) {
      if (!whole && !steady) continue;
      const auto& pes = whole ? data.pes : data.steady_pes;
      const std::uint64_t cycles = whole ? data.cycles : data.steady_cycles();
      const Bar bar{group.stages, whole ? "whole run" : "steady", parts_of(pes, group.pes),
                    static_cast<double>(cycles) * static_cast<double>(group.pes.size())};
      draw(svg, bar, y);
      rows.push_back(row_of(bar, group.pes.size()));
      y += kRow;
    }
  std::vector<std::string> columns{"stages on the PEs", "PEs", "cycles of"};
  for (std::size_t part = 0; part <= kStallCauses; ++part) columns.push_back(part_name(part));
  std::string body =
      "<p>Shares of the cycles of the PEs of each group, in the steady state (periods in which all groups "
      "are at "
      "work) and in the whole run. A cycle in which neither matrix nor vector unit computed counts under the "
      "first cause that holds, in the order of the legend.</p>\n";
  body += svg.finish();
  body +=
      "<details><summary>As a table</summary>\n" + table("What the PEs did", columns, rows) + "</details>\n";
  return section("stalls", "What the PEs waited for", body);
}

}  // namespace dfsim::html
