// planner/app/commands/noc_output.h: what `dfsim noc` prints.
#pragma once

#include <string>

#include "sim/noc/experiment.h"
#include "sim/noc/multicast_experiment.h"

namespace dfsim {

/// docs/schemas/noc.schema.json. With `detail` every link and every virtual channel is listed.
std::string noc_json(const NocExperiment& experiment, const NocExperimentResult& result, bool detail);
std::string noc_text(const NocExperiment& experiment, const NocExperimentResult& result, bool detail);

std::string noc_json(const MulticastResult& result);
std::string noc_text(const MulticastExperiment& experiment, const MulticastResult& result);

}  // namespace dfsim
