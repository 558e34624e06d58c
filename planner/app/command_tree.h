// planner/app/command_tree.h: the command line as data, read off the parser: what completions and the man
// page are made of, and what a test compares with docs/commands.md.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace dfsim {

struct OptionInfo {
  std::vector<std::string> names;  ///< "--quiet", "-q"; of a positional argument its name alone
  std::string group;               ///< heading in --help
  std::string description;
  std::string fallback;              ///< default value as text; empty: none
  std::vector<std::string> choices;  ///< the only values; empty: any
  bool positional = false;
  bool takes_value = true;
  bool required = false;
};

struct CommandInfo {
  std::string name, description, group, footer;
  std::vector<OptionInfo> options;
  std::vector<CommandInfo> commands;
};

/// Everything that --help shows; hidden commands (with an empty group) are left out.
CommandInfo command_tree(const CLI::App& app);

/// Completion script of bash, zsh or fish. Throws std::invalid_argument for another shell.
std::string completion_script(const CommandInfo& tree, const std::string& shell);

/// The man page dfsim(1), in the man macros of roff.
std::string man_page(const CommandInfo& tree, const std::string& version);

}  // namespace dfsim
