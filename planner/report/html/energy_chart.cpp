#include <fmt/format.h>

#include <algorithm>

#include "planner/report/html/sections.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

std::string energy_section(const ReportData& data) {
  std::vector<std::pair<std::string, double>> parts(data.energy_pj.begin(), data.energy_pj.end());
  std::stable_sort(parts.begin(), parts.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, picojoules] : parts)
    rows.push_back(
        {name, fmt::format("{:.6f}", picojoules / 1e9), percent_text(picojoules, data.energy_total_pj)});
  rows.push_back({"total", fmt::format("{:.6f}", data.energy_total_pj / 1e9), "100 %"});
  return section("energy", "Energy",
                 "<p>Counted events times the energy of each class in the hardware description.</p>\n" +
                     table("Energy of the run", {"event class", "mJ", "share"}, rows));
}

}  // namespace dfsim::html
