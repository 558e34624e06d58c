// sim/host/server_config.h: from the server's YAML (docs/placement.md) to a ServerSpec.
#pragma once

#include "sim/api/server.h"
#include "sim/base/yaml.h"

namespace dfsim {

/// Reads `name`, `processors` and `root_complex` of the root mapping; reports every mistake at its place.
/// `default_name` is used where there is none. The other keys are left to others.
ServerSpec read_server(const YamlValue& root, const std::string& default_name);

}  // namespace dfsim
