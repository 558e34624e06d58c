#include "planner/placement/placement_html.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/placement/placement_table.h"
#include "sim/base/html.h"

namespace dfsim {

namespace {

constexpr const char* kColours[] = {"#4e79a7", "#59a14f", "#f28e2b", "#b07aa1", "#e15759", "#76b7b2",
                                    "#edc948", "#9c755f", "#ff9da7", "#bab0ac", "#1f77b4", "#2ca02c",
                                    "#d62728", "#9467bd", "#8c564b", "#17becf"};
constexpr double kWidth = 900, kHeight = 220, kLeft = 80;

std::string colour(std::uint32_t processor) { return kColours[processor % std::size(kColours)]; }

/// Left edge of cycle `c` on the time axis that all charts share.
double x_of(std::size_t c, std::size_t count) {
  return kLeft +
         (kWidth - kLeft) * static_cast<double>(c) / static_cast<double>(std::max<std::size_t>(1, count));
}

/// Values as points, the best so far as a line.
std::string value_chart(const Settled& settled) {
  double least = settled.best.value, most = 0;
  for (const ExecutionCycle& cycle : settled.cycles) most = std::max(most, cycle.value);
  const double span = std::max(most - least, 1e-9 * std::max(most, 1.0));
  const auto y_of = [&](double value) { return 10 + (kHeight - 20) * (most - value) / span; };
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\">", kWidth, kHeight), line;
  double best = most;
  for (std::size_t c = 0; c < settled.cycles.size(); ++c) {
    const double value = settled.cycles[c].value, x = x_of(c, settled.cycles.size());
    best = std::min(best, value);
    line += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", x, y_of(best), x_of(c + 1, settled.cycles.size()),
                        y_of(best));
    svg += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"2.5\" fill=\"#888\"><title>cycle {}: {:.1f} "
        "us</title></circle>",
        x, y_of(value), c + 1, value / 1000);
  }
  svg += fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"#d62728\" stroke-width=\"1.5\"/>", line);
  svg += fmt::format("<text x=\"0\" y=\"15\">{:.1f} us</text><text x=\"0\" y=\"{}\">{:.1f} us</text></svg>",
                     most / 1000, kHeight - 6, least / 1000);
  return svg;
}

/// A row per sub-graph, a cell per cycle in the colour of its processor; opaque as the factor is high.
std::string assignment_chart(const HeterogeneousStructure& structure, const Settled& settled) {
  constexpr double kRow = 18;
  const std::size_t cycles = settled.cycles.size();
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\">", kWidth,
                                kRow * static_cast<double>(structure.subgraphs.size()));
  for (std::size_t i = 0; i < structure.subgraphs.size(); ++i) {
    const double y = kRow * static_cast<double>(i);
    svg += fmt::format("<text x=\"0\" y=\"{:.1f}\">{}</text>", y + 13,
                       html_escaped(structure.subgraphs[i].name));
    for (std::size_t c = 0; c < cycles; ++c) {
      const std::uint32_t p = settled.cycles[c].assignment[i];
      svg += fmt::format(
          "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"><title>cycle {}: {} on "
          "{}, {:.1f} us, "
          "factor {:.3f}</title></rect>",
          x_of(c, cycles), y + 1, x_of(1, cycles) - x_of(0, cycles), kRow - 2, colour(p), c + 1,
          html_escaped(structure.subgraphs[i].name), html_escaped(structure.processors[p]),
          settled.cycles[c].duration[i] / 1000, settled.factors[c][i]);
    }
  }
  return svg + "</svg>";
}

std::string factor_chart(const HeterogeneousStructure& structure, const Settled& settled) {
  std::string svg = fmt::format("<svg viewBox=\"0 0 {} {}\">", kWidth, kHeight);
  for (std::size_t i = 0; i < structure.subgraphs.size(); ++i) {
    std::string line;
    for (std::size_t c = 0; c < settled.factors.size(); ++c)
      line += fmt::format("{:.1f},{:.1f} ", x_of(c, settled.factors.size()),
                          10 + (kHeight - 20) * (1 - settled.factors[c][i]));
    svg +=
        fmt::format("<polyline points=\"{}\" fill=\"none\" stroke=\"{}\"><title>{}</title></polyline>", line,
                    colour(static_cast<std::uint32_t>(i)), html_escaped(structure.subgraphs[i].name));
  }
  return svg +
         fmt::format("<text x=\"0\" y=\"15\">1</text><text x=\"0\" y=\"{}\">0</text></svg>", kHeight - 6);
}

std::string visits_table(const HeterogeneousStructure& structure, const Settled& settled) {
  const auto table = visit_table(structure, settled.cycles);
  const auto reasons = settled_reasons(structure, settled.cycles, settled.best.assignment);
  std::string html = "<table><tr><th>sub-graph</th>";
  for (const std::string& processor : structure.processors)
    html += "<th>" + html_escaped(processor) + "</th>";
  html += "<th>settled on</th><th>why</th></tr>";
  for (std::size_t i = 0; i < table.size(); ++i) {
    html += "<tr><td>" + html_escaped(structure.subgraphs[i].name) + "</td>";
    for (std::size_t p = 0; p < table[i].size(); ++p) {
      const VisitRow& row = table[i][p];
      html +=
          row.visits == 0
              ? fmt::format("<td title=\"{}\">-</td>", html_escaped(structure.subgraphs[i].refused[p]))
              : fmt::format("<td{}>{:.1f} + {:.1f} us, {} times</td>", row.fastest ? " class=\"fast\"" : "",
                            row.mean_duration / 1000, row.mean_delay / 1000, row.visits);
    }
    html +=
        fmt::format("<td>{}</td><td>{}</td></tr>",
                    html_escaped(structure.processors[settled.best.assignment[i]]), html_escaped(reasons[i]));
  }
  return html + "</table>";
}

}  // namespace

std::string placement_html(const HeterogeneousStructure& structure, const Settled& settled,
                           const std::string& title, const std::string& summary) {
  std::string legend;
  for (std::uint32_t p = 0; p < structure.processors.size(); ++p)
    legend += fmt::format("<span style=\"background:{}\">&nbsp;&nbsp;&nbsp;</span> {} &nbsp; ", colour(p),
                          html_escaped(structure.processors[p]));
  return "<!DOCTYPE html>\n<html><head><meta charset=\"utf-8\"><title>" + html_escaped(title) +
         "</title>\n<style>body{font-family:sans-serif;max-width:1000px;margin:2em auto;padding:0 "
         "1em}svg{width:100%}"
         "svg text{font-size:11px}table{border-collapse:collapse;font-size:13px}td,th{border:1px solid "
         "#ccc;padding:3px "
         "8px;text-align:left}.fast{font-weight:bold}pre{background:#f4f4f4;padding:1em;overflow:auto}"
         "</style></head><body>\n<h1>" +
         html_escaped(title) + "</h1>\n<pre>" + html_escaped(summary) +
         "</pre>\n<h2>Value by execution cycle</h2><p>Points: each cycle. Line: the best so far.</p>" +
         value_chart(settled) + "\n<h2>Where each sub-graph ran</h2><p>" + legend + "</p>" +
         assignment_chart(structure, settled) + "\n<h2>Mutation factors</h2>" +
         factor_chart(structure, settled) +
         "\n<h2>Sub-graphs on processors</h2><p>Mean duration + mean delay of its outputs, cycles; bold: "
         "fastest alone.</p>" +
         visits_table(structure, settled) + "\n</body></html>\n";
}

}  // namespace dfsim
