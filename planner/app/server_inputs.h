// planner/app/server_inputs.h: the description of a server, with the chips of its cards.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "planner/placement/constraints.h"
#include "sim/api/hardware.h"
#include "sim/api/server.h"
#include "sim/hw/hardware_config.h"

namespace dfsim {

struct ServerInputs {
  std::string path;
  HardwareConfig config;  ///< the whole file; its chip is that of the cards without one of their own
  ServerSpec server;
  CutConstraints constraints;
  std::map<std::uint32_t, HardwareSpec> chips;  ///< by processor, of cards
};

/// Reads the file `config` (looked up in configs/), with overrides for everything but the model; `cut_file`,
/// if given, goes before its section `server.cut`. Throws InputError with every mistake.
ServerInputs load_server(const std::string& config, const std::vector<std::string>& overrides,
                         const std::string& cut_file);

/// True if the file has a section `server`.
bool describes_server(const HardwareConfig& config);

}  // namespace dfsim
