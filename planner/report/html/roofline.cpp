#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/report/html/axis.h"
#include "planner/report/html/sections.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

constexpr double kLeft = 70, kTop = 20, kWidth = 620, kHeight = 320, kBottom = 44;

struct Point {
  std::string name;
  double intensity = 0;  ///< MACs per byte loaded or stored
  double rate = 0;       ///< MACs per cycle
  std::size_t pes = 0;
};

/// The PEs of each group over the whole run, and all of them.
std::vector<Point> points_of(const ReportData& data) {
  std::vector<Point> points;
  const auto add = [&](const std::string& name, const std::vector<std::size_t>& pes) {
    double macs = 0, bytes = 0;
    for (const std::size_t i : pes) {
      macs += static_cast<double>(data.pes[i].macs);
      bytes += static_cast<double>(data.pes[i].loaded + data.pes[i].stored);
    }
    if (macs > 0 && bytes > 0)
      points.push_back({name, macs / bytes, macs / static_cast<double>(data.cycles), pes.size()});
  };
  std::vector<std::size_t> all(data.pes.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  add("all PEs", all);
  const std::vector<GroupData> groups = groups_of(data);
  if (groups.size() > 1)
    for (const GroupData& group : groups) add(group.stages, group.pes);
  return points;
}

}  // namespace

std::string roofline_section(const ReportData& data) {
  const HardwareSpec& hardware = *data.hardware;
  const double peak = static_cast<double>(hardware.peak_macs_per_pe()) * static_cast<double>(data.pes.size());
  const double bandwidth = hardware.peak_dram_bytes_per_cycle();
  const std::vector<Point> points = points_of(data);
  if (points.empty() || peak <= 0 || bandwidth <= 0)
    return section("roofline", "Roofline", "<p>No PE has both computed and used DRAM.</p>\n");
  const double knee = peak / bandwidth;
  double low_x = knee / 10, high_x = knee * 10, low_y = peak / 100;
  for (const Point& point : points) {
    low_x = std::min(low_x, point.intensity / 2);
    high_x = std::max(high_x, point.intensity * 2);
    low_y = std::min(low_y, point.rate / 2);
  }
  low_x = std::pow(10, std::floor(std::log10(low_x)));
  high_x = std::pow(10, std::ceil(std::log10(high_x)));
  low_y = std::pow(10, std::floor(std::log10(low_y)));
  const double high_y = std::pow(10, std::ceil(std::log10(peak * 1.1)));
  const Axis x(low_x, high_x, kLeft, kLeft + kWidth, true), y(low_y, high_y, kTop + kHeight, kTop, true);
  Svg svg(
      "roofline-p", kLeft + kWidth + 150, kTop + kHeight + kBottom, "Roofline",
      "MACs per cycle over MACs per byte that PEs load or store, both logarithmic. The roof is the peak of "
      "all matrix units and the peak DRAM bandwidth.");
  for (const double tick : x.ticks(0)) {
    svg.line(x.at(tick), kTop, x.at(tick), kTop + kHeight, "#ddd");
    svg.text(x.at(tick), kTop + kHeight + 14, short_number(tick), Anchor::middle, 10);
  }
  for (const double tick : y.ticks(0)) {
    svg.line(kLeft, y.at(tick), kLeft + kWidth, y.at(tick), "#ddd");
    svg.text(kLeft - 6, y.at(tick) + 4, short_number(tick), Anchor::end, 10);
  }
  svg.text(kLeft + kWidth, kTop + kHeight + 34, "MACs per byte loaded or stored", Anchor::end, 11);
  svg.text(kLeft, 12, "MACs per cycle", Anchor::start, 11);
  const double start = std::max(low_x, low_y / bandwidth);
  svg.line(x.at(start), y.at(start * bandwidth), x.at(knee), y.at(peak), "#222", 2,
           fmt::format("DRAM: {:.1f} bytes per cycle", bandwidth));
  svg.line(x.at(knee), y.at(peak), x.at(high_x), y.at(peak), "#222", 2,
           fmt::format("matrix units: {} MACs per cycle", grouped(static_cast<std::uint64_t>(peak))));
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Point& point = points[i];
    const double own_roof = std::min(peak, point.intensity * bandwidth);
    svg.circle(x.at(point.intensity), y.at(point.rate), 5, series_colour(i),
               fmt::format("{}: {:.2f} MACs per byte, {:.0f} MACs per cycle, {} of the roof", point.name,
                           point.intensity, point.rate, percent_text(point.rate, own_roof)));
    svg.circle(kLeft + kWidth + 16, kTop + 14 + 18 * static_cast<double>(i), 5, series_colour(i));
    svg.text(kLeft + kWidth + 26, kTop + 18 + 18 * static_cast<double>(i), point.name.substr(0, 18));
    rows.push_back({point.name, std::to_string(point.pes), fmt::format("{:.2f}", point.intensity),
                    fmt::format("{:.1f}", point.rate), percent_text(point.rate, own_roof)});
  }
  std::string body = fmt::format(
      "<p>Over the whole run, fill included. Left of the knee, {:.1f} MACs per byte, DRAM bandwidth is the "
      "limit, right of it the matrix units. Operands that PEs hand on to each other count as one load.</p>\n",
      knee);
  body += svg.finish();
  body += "<details><summary>As a table</summary>\n" +
          table("Roofline", {"PEs of", "PEs", "MACs per byte", "MACs per cycle", "of the roof"}, rows) +
          "</details>\n";
  return section("roofline", "Roofline", body);
}

}  // namespace dfsim::html
