// sim/base/yaml_parse.h: the text of one file to one tree; no fragments, no overrides. Part of yaml.h.
#pragma once

#include <cstddef>
#include <string>

#include "sim/base/yaml.h"

namespace dfsim {

/// Parses `text`. Reports syntax errors, duplicate and non-scalar keys, merge keys, unknown tags, recursive
/// aliases and more than `max_nodes` nodes after expanding aliases; the result is then what was built until
/// there.
YamlNode parse_yaml(const std::string& text, const std::string& file, std::size_t max_nodes,
                    Diagnostics& diagnostics);

}  // namespace dfsim
