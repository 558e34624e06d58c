#include "planner/app/version.h"

#include "generated/simulator_version.h"

namespace dfsim {

std::string version() { return DFSIM_VERSION; }
std::string simulator_hash() { return DFSIM_SIMULATOR_HASH; }

}  // namespace dfsim
