// planner/report/html/sections.h: the parts of the page, one file each. Every function gives a whole
// <section>.
#pragma once

#include <string>

#include "planner/report/html/report_data.h"

namespace dfsim::html {

/// What the plan costs and what holds it up.
std::string verdict_section(const ReportData& data);
/// PEs, links and ports of every NoC, with a switch between utilisation, stalls and bytes.
std::string map_section(const ReportData& data);
/// When each stage worked on each period.
std::string gantt_section(const ReportData& data);
/// MACs per cycle against MACs per DRAM byte, under the roof of the hardware.
std::string roofline_section(const ReportData& data);
/// What the PEs of each group did with their cycles.
std::string stalls_section(const ReportData& data);
/// Cost and bound by round, and the plans that were run whole.
std::string convergence_section(const ReportData& data);
/// Each stage's price alone against its length in the whole-plan run.
std::string prices_section(const ReportData& data);
/// Who sent how much to whom.
std::string traffic_section(const ReportData& data);
/// How long packets took.
std::string latency_section(const ReportData& data);
/// Energy by event class.
std::string energy_section(const ReportData& data);
/// Everything as tables.
std::string tables_section(const ReportData& data);

/// "<section id=... aria-labelledby=...><h2>...</h2>" + body + "</section>"
std::string section(const std::string& id, const std::string& heading, const std::string& body);
/// A table; the first column holds the names of the rows. Cells are text and get escaped.
std::string table(const std::string& caption, const std::vector<std::string>& columns,
                  const std::vector<std::vector<std::string>>& rows);

}  // namespace dfsim::html
