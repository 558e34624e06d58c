// planner/app/inputs.h: the two files that everything starts from.
#pragma once

#include <string>
#include <vector>

#include "planner/frontend/frontend.h"
#include "sim/base/errors.h"
#include "sim/hw/hardware_config.h"

namespace dfsim {

/// A hardware description and a model, read and checked.
struct Inputs {
  std::string config_path, model_path;
  HardwareConfig config;
  Model model;
};

/// Where the file `name` is; reports, at the option `option`, that there is none and where it was looked for.
/// `folder` is configs or models.
std::string locate(const std::string& name, const std::string& folder, const std::string& option,
                   Diagnostics& diagnostics);

/// Reads both, with the overrides of --set: those that start with "model." are for the model. Throws
/// InputError with the mistakes of both files.
Inputs load_inputs(const std::string& config, const std::string& model,
                   const std::vector<std::string>& overrides);

/// The hardware alone. Overrides for the model are ignored.
HardwareConfig load_config(const std::string& path, const std::vector<std::string>& overrides);

}  // namespace dfsim
