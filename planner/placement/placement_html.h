// planner/placement/placement_html.h: the report page of a placement.
#pragma once

#include <string>

#include "planner/placement/settle.h"
#include "planner/placement/structure.h"

namespace dfsim {

/// One offline page: how the value went over the execution cycles, where each sub-graph was in each of them,
/// its mutation factors, and the table of visits. Times are in nanoseconds.
std::string placement_html(const HeterogeneousStructure& structure, const Settled& settled,
                           const std::string& title, const std::string& summary);

}  // namespace dfsim
