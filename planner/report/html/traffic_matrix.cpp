#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <tuple>

#include "planner/report/html/sections.h"
#include "planner/report/html/svg.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

constexpr std::size_t kListed = 20;  ///< ways in the table; the page's data has all
constexpr int kLevels = 8;  ///< of colour: cells of one level are one path, which keeps the page small
constexpr double kSide = 560;

/// Endpoints in the order of HardwareSpec, as pe_traffic.csv names them: those that send or receive.
std::vector<std::string> endpoints_of(const ReportData& data) {
  std::vector<std::string> names;
  for (const TrafficData& row : data.traffic)
    for (const std::string* name : {&row.source, &row.destination})
      if (std::find(names.begin(), names.end(), *name) == names.end()) names.push_back(*name);
  // "chip0 pe 10,2" after "chip0 pe 9,2": PEs by row, then ports.
  const auto key = [](const std::string& name) {
    std::vector<std::uint64_t> numbers;
    std::string words;
    for (std::size_t i = 0; i < name.size();) {
      if (std::isdigit(static_cast<unsigned char>(name[i])) == 0) {
        words += name[i++];
        continue;
      }
      std::uint64_t value = 0;
      for (; i < name.size() && std::isdigit(static_cast<unsigned char>(name[i])) != 0; ++i)
        value = value * 10 + static_cast<std::uint64_t>(name[i] - '0');
      numbers.push_back(value);
    }
    std::reverse(numbers.begin() + (numbers.empty() ? 0 : 1), numbers.end());  // rows before columns
    return std::tuple(words.find(" pe ") == std::string::npos, words, numbers);
  };
  std::sort(names.begin(), names.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return names;
}

std::string matrix(const ReportData& data) {
  const std::vector<std::string> names = endpoints_of(data);
  std::map<std::string, std::size_t> index;
  for (std::size_t i = 0; i < names.size(); ++i) index[names[i]] = i;
  std::uint64_t most = 1;
  for (const TrafficData& row : data.traffic) most = std::max(most, row.bytes);
  const double cell = std::clamp(kSide / static_cast<double>(names.size()), 3.0, 28.0);
  const bool labelled = cell >= 9;
  const double left = labelled ? 120 : 20, top = labelled ? 20 : 20;
  const double side = cell * static_cast<double>(names.size());
  Svg svg("traffic-p", left + side + 20, top + side + 26, "Who sends to whom",
          "Rows are sources, columns destinations, in the same order: PEs row by row, then ports. Darker is "
          "more "
          "bytes, on a logarithmic scale. The largest are in the table Largest ways.");
  svg.rect(left, top, side, side, "#fff", {}, "#999");
  std::map<int, std::string> paths;
  for (const TrafficData& row : data.traffic) {
    if (row.bytes == 0) continue;
    const double share = std::log1p(static_cast<double>(row.bytes)) / std::log1p(static_cast<double>(most));
    const int level = std::min(kLevels - 1, static_cast<int>(share * kLevels));
    paths[level] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h-{:.1f}z",
                                left + cell * static_cast<double>(index[row.destination]),
                                top + cell * static_cast<double>(index[row.source]), cell, cell, cell);
  }
  for (const auto& [level, path] : paths) svg.path(path, shade(1 - (level + 0.5) / kLevels));
  if (labelled)
    for (std::size_t i = 0; i < names.size(); ++i)
      svg.text(left - 4, top + cell * (static_cast<double>(i) + 0.5) + 3, names[i], Anchor::end,
               std::min(10.0, cell));
  svg.text(left, top - 6, "from (rows) to (columns, same order)", Anchor::start, 10);
  return svg.finish();
}

}  // namespace

std::string traffic_section(const ReportData& data) {
  if (data.traffic.empty())
    return section("traffic", "Who sends to whom",
                   "<p>There is no pe_traffic.csv beside the measurement.</p>\n");
  std::vector<const TrafficData*> largest;
  for (const TrafficData& row : data.traffic) largest.push_back(&row);
  std::stable_sort(largest.begin(), largest.end(),
                   [](const TrafficData* a, const TrafficData* b) { return a->bytes > b->bytes; });
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < std::min(kListed, largest.size()); ++i)
    rows.push_back({largest[i]->source, largest[i]->destination, grouped(largest[i]->bytes),
                    grouped(largest[i]->messages), fmt::format("{:.1f}", largest[i]->mean_wait)});
  std::string body = fmt::format(
      "<p>Payload delivered by the NoCs in the whole run, {} in all; what goes to an Ethernet port is "
      "counted "
      "again where it arrives. A packet's wait is its time beyond that of a lone packet on the same "
      "way.</p>\n",
      escaped(bytes_text(static_cast<double>(data.payload))));
  body += matrix(data);
  body += table("Largest ways", {"from", "to", "bytes", "messages", "mean wait (cycles)"}, rows);
  return section("traffic", "Who sends to whom", body);
}

}  // namespace dfsim::html
