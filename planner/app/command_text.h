// planner/app/command_text.h: a command line, put together again from what was parsed.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dfsim {

/// "dfsim run --plan p.yaml --samples 4": the options of `command` that were given, without those that cannot
/// move a result (--out, --workers, --cache, --trace, --json, --verbose, --quiet) and those of `left_out`.
std::string command_text(const CLI::App& command, const std::vector<std::string>& left_out = {});

/// As one word of a shell.
std::string shell_quoted(const std::string& text);

}  // namespace dfsim
