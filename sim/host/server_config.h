// sim/host/server_config.h: from the server's YAML (docs/placement.md) to a ServerSpec.
#pragma once

#include "sim/api/server.h"
#include "sim/base/yaml.h"

namespace dfsim {

/// Reads `processors` and `root_complex` of the mapping `server`; reports every mistake at its place. The
/// other keys are left to others. `name` is that of the top module, with _ for what a module's name may not
/// hold.
ServerSpec read_server(const YamlValue& server, const std::string& name);

}  // namespace dfsim
