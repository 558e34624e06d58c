// planner/report/html/time_slider.h: the map at a time: the one script of the page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "planner/report/html/report_data.h"

namespace dfsim::html {

/// The control; empty without activity. It does nothing until the script runs, and is hidden until then.
std::string time_slider(const ReportData& data);

/// What the script reads: activity.json, and how colours and the peak of a port are to be computed.
nlohmann::ordered_json time_slider_data(const ReportData& data);

/// Recolours the first view of the map (elements data-pe, data-link, data-port) for the chosen window.
extern const char* const kTimeSliderScript;

}  // namespace dfsim::html
