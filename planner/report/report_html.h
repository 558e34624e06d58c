// planner/report/report_html.h: report.html: one page, without requests or scripts (docs/report.md).
#pragma once

#include <string>

#include "sim/api/hardware.h"

namespace dfsim {

/// The page made of measurement.json, pe_traffic.csv and activity.json (their texts; the latter two may be
/// empty). Depends on
/// them and on the hardware alone, so a page made later from the files of a run is the same. Names are data:
/// none can become markup. Throws std::runtime_error if a text is not of the expected form.
std::string report_html(const HardwareSpec& hardware, const std::string& measurement_json,
                        const std::string& traffic_csv, const std::string& activity_json);

}  // namespace dfsim
