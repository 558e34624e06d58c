#include <fmt/format.h>

#include <algorithm>

#include "planner/report/html/sections.h"
#include "planner/report/html/text.h"

namespace dfsim::html {

namespace {

std::string pes_table(const ReportData& data) {
  std::vector<std::string> columns{"PE", "id", "busy (cycles)"};
  for (std::size_t c = 0; c < kStallCauses; ++c) columns.push_back(to_string(static_cast<StallCause>(c)));
  for (const char* more : {"MACs", "sent (bytes)", "received", "loaded", "stored", "scratchpad (bytes)"})
    columns.push_back(more);
  std::vector<std::vector<std::string>> rows;
  for (const PeData& pe : data.pes) {
    std::vector<std::string> row{fmt::format("chip{} {},{},{}", pe.noc, pe.x, pe.y, pe.z),
                                 std::to_string(pe.id), std::to_string(pe.busy)};
    for (const std::uint64_t stalled : pe.stalls) row.push_back(std::to_string(stalled));
    for (const std::uint64_t value : {pe.macs, pe.sent, pe.received, pe.loaded, pe.stored, pe.scratchpad})
      row.push_back(std::to_string(value));
    rows.push_back(std::move(row));
  }
  return table("PEs", columns, rows);
}

std::string links_table(const ReportData& data) {
  std::vector<std::vector<std::string>> rows;
  std::vector<LinkData> links = data.links;
  std::stable_sort(links.begin(), links.end(),
                   [](const LinkData& a, const LinkData& b) { return a.flits > b.flits; });
  for (const LinkData& link : links) {
    const NocSpec& noc = data.hardware->nocs[link.noc];
    const auto from = noc.graph.coordinates(RouterId(link.from)),
               to = noc.graph.coordinates(RouterId(link.to));
    rows.push_back(
        {fmt::format("chip{} {},{},{} > {},{},{}", link.noc, from[0], from[1], from[2], to[0], to[1], to[2]),
         std::to_string(link.flits), std::to_string(link.flits * noc.link_width_bytes),
         percent_text(static_cast<double>(link.flits), static_cast<double>(data.cycles))});
  }
  return table("Links, busiest first", {"link", "flits", "bytes in flits", "busy"}, rows);
}

std::string ports_table(const ReportData& data) {
  std::vector<std::vector<std::string>> rows;
  for (const PortData& port : data.ports)
    rows.push_back(
        {std::to_string(port.port), std::to_string(port.read), std::to_string(port.write),
         std::to_string(port.busy),
         percent_text(static_cast<double>(port.busy), static_cast<double>(data.cycles)),
         percent_text(static_cast<double>(port.hits), static_cast<double>(port.hits + port.misses))});
  return table("Memory ports",
               {"port", "read (bytes)", "written (bytes)", "busy (cycles)", "busy", "row hits"}, rows);
}

std::string folded(const std::string& name, const std::string& content) {
  return "<details><summary>" + name + "</summary>\n" + content + "</details>\n";
}

}  // namespace

std::string tables_section(const ReportData& data) {
  return section("tables", "All data",
                 "<p>What the pictures above show, and more. The same numbers, and the whole of "
                 "measurement.json, stand in this page as JSON (elements <code>#data-measurement</code> and "
                 "<code>#data-traffic</code>).</p>\n" +
                     folded("PEs", pes_table(data)) + folded("Links", links_table(data)) +
                     folded("Memory ports", ports_table(data)));
}

}  // namespace dfsim::html
