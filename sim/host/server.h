// sim/host/server.h: a server built from its description, behind the door of sim/api/server.h.
#pragma once

#include <memory>
#include <string>

#include "sim/api/server.h"

namespace dfsim {

/// Builds the modules and leaves elaboration to whoever starts the kernel; run() may follow that.
std::unique_ptr<ServerRunner> build_server(const ServerSpec& spec);

/// Elaborates processors, links and dispatcher; once per process. The modules are named after `spec.name`.
std::unique_ptr<ServerRunner> make_server_runner(const ServerSpec& spec);

}  // namespace dfsim
