// planner/app/version.h: which dfsim this is.
#pragma once

#include <string>

namespace dfsim {

std::string version();         ///< "0.1.0"
std::string simulator_hash();  ///< of all sources that can move a measurement; part of every cache key
}  // namespace dfsim
