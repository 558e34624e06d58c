#include <fmt/format.h>

#include "planner/report/html/document.h"
#include "planner/report/html/report_data.h"
#include "planner/report/html/sections.h"
#include "planner/report/html/text.h"
#include "planner/report/html/time_slider.h"
#include "planner/report/report_html.h"
#include "sim/base/hash.h"

namespace dfsim {

namespace {

using html::ReportData;

struct Part {
  const char* id;
  const char* name;
  std::string (*make)(const ReportData&);
};
constexpr Part kParts[] = {
    {"verdict", "Verdict", html::verdict_section},         {"map", "Map", html::map_section},
    {"gantt", "Stages over time", html::gantt_section},    {"stalls", "Stalls", html::stalls_section},
    {"roofline", "Roofline", html::roofline_section},      {"prices", "Stages", html::prices_section},
    {"convergence", "Planner", html::convergence_section}, {"traffic", "Traffic", html::traffic_section},
    {"latency", "Latency", html::latency_section},         {"energy", "Energy", html::energy_section},
    {"tables", "All data", html::tables_section}};

std::string nonce_of(const char* content) { return content_hash(content); }

std::string head(const ReportData& data, const std::string& title) {
  return html::document_head(title, data.version,
                             data.activity.is_null() ? "" : nonce_of(html::kTimeSliderScript));
}

std::string json_block(const char* id, const nlohmann::ordered_json& json) {
  using Handler = nlohmann::ordered_json::error_handler_t;
  return fmt::format("<script type=\"application/json\" id=\"{}\">{}</script>\n", id,
                     html::script_safe(json.dump(-1, ' ', false, Handler::replace)));
}

nlohmann::ordered_json traffic_json(const ReportData& data) {
  auto rows = nlohmann::ordered_json::array();
  for (const html::TrafficData& row : data.traffic)
    rows.push_back({row.source, row.destination, row.bytes, row.messages, row.mean_wait});
  return {{"columns", {"source", "destination", "bytes", "messages", "mean_wait_cycles"}}, {"rows", rows}};
}

}  // namespace

std::string report_html(const HardwareSpec& hardware, const std::string& measurement_json,
                        const std::string& traffic_csv, const std::string& activity_json) {
  const ReportData data = html::read_report_data(hardware, measurement_json, traffic_csv, activity_json);
  const std::string title = fmt::format("{} on {}", data.model, data.hardware_name);
  std::string page = head(data, title + " - dfsim");
  page += "<body>\n<a class=\"skip\" href=\"#verdict\">To the verdict</a>\n<header>\n<h1>" +
          html::escaped(title) + "</h1>\n<nav aria-label=\"Parts of the report\"><ul>\n";
  for (const Part& part : kParts)
    page += fmt::format("<li><a href=\"#{}\">{}</a></li>\n", part.id, part.name);
  page += "</ul></nav>\n</header>\n<main>\n";
  for (const Part& part : kParts) page += part.make(data);
  page += "</main>\n<footer><p>" + html::escaped("Made by dfsim " + data.version) +
          " from measurement.json, pe_traffic.csv and activity.json. The timeline of the run is in "
          "trace.json.gz, the plan in "
          "plan.yaml. What the simulator leaves out is listed in docs/limits.md.</p></footer>\n";
  page += json_block("data-measurement", data.measurement);
  page += json_block("data-traffic", traffic_json(data));
  if (!data.activity.is_null())
    page += json_block("data-activity", html::time_slider_data(data)) +
            fmt::format("<script nonce=\"{}\">{}</script>\n", nonce_of(html::kTimeSliderScript),
                        html::kTimeSliderScript);
  return page + "</body>\n</html>\n";
}

}  // namespace dfsim
