// sim/hw/hardware_config.h: from hardware YAML (docs/hardware.md) to the HardwareSpec that planner and
// simulator see.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/errors.h"

namespace dfsim {

/// Routing functions, and what they say of a network. Without names nothing is checked.
struct KnownRoutings {
  std::vector<std::string> names;
  /// Why the routing cannot be used on this graph, which may lack links; empty if it can.
  std::function<std::string(const std::string& routing, const LinkGraph& graph)> refuse;
  /// Groups of virtual channels that it needs for each message class.
  std::function<std::uint32_t(const std::string& routing, const LinkGraph& graph)> classes;
};

/// Names of parts that live in rooms which this one does not see; the caller takes them from their
/// registries. An empty list is not checked.
struct KnownParts {
  std::vector<std::string> address_maps;
  std::vector<std::string> schedulers;
  std::vector<std::string> page_policies;
  KnownRoutings routings;
};

struct HardwareConfig {
  HardwareSpec spec;
  std::string resolved_text;   ///< config.resolved.yaml: loads again, without other files, to an equal spec
  std::string annotated_text;  ///< the same with the origin of every value, for --print-config
  std::vector<std::string> files;  ///< read: the file itself, then its fragments
};

/// Reads `path` (a file, see find_input_file) with `overrides` (`key.path=value`, see YamlOptions). Adds
/// every mistake to `diagnostics`, located, and gives nothing if there is any.
std::optional<HardwareConfig> load_hardware_config(const std::string& path,
                                                   const std::vector<std::string>& overrides,
                                                   Diagnostics& diagnostics, const KnownParts& known = {});
/// The same for a text; `file` is its name in messages and fragments are relative to its folder.
std::optional<HardwareConfig> load_hardware_text(const std::string& text, const std::string& file,
                                                 const std::vector<std::string>& overrides,
                                                 Diagnostics& diagnostics, const KnownParts& known = {});

/// The spec alone. Throws ConfigError with all mistakes.
HardwareSpec load_hardware(const std::string& path, const std::vector<std::string>& overrides = {});

}  // namespace dfsim
