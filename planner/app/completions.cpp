#include <fmt/format.h>
#include <fmt/ranges.h>

#include <stdexcept>

#include "planner/app/command_tree.h"

namespace dfsim {

namespace {

std::vector<std::string> option_names(const CommandInfo& command) {
  std::vector<std::string> names;
  for (const OptionInfo& option : command.options)
    if (!option.positional) names.insert(names.end(), option.names.begin(), option.names.end());
  return names;
}

std::vector<std::string> command_names(const CommandInfo& tree) {
  std::vector<std::string> names;
  for (const CommandInfo& command : tree.commands) names.push_back(command.name);
  return names;
}

// ---- bash

std::string bash_values(const CommandInfo& command) {
  std::string cases;
  for (const OptionInfo& option : command.options) {
    if (option.positional || !option.takes_value) continue;
    const std::string words = fmt::format("{}", fmt::join(option.choices, " "));
    cases += fmt::format("        {}) {} ;;\n", fmt::join(option.names, "|"),
                         option.choices.empty() ? "_dfsim_files" : "_dfsim_words '" + words + "'");
  }
  return cases;
}

std::string bash_command(const std::string& pattern, const CommandInfo& command) {
  std::string positional = "_dfsim_files";
  for (const OptionInfo& option : command.options)
    if (option.positional && !option.choices.empty())
      positional = fmt::format("_dfsim_words '{}'", fmt::join(option.choices, " "));
  if (!command.commands.empty())
    positional = fmt::format("_dfsim_words '{}'", fmt::join(command_names(command), " "));
  return fmt::format(
      "    {})\n      case $previous in\n{}        *) case $word in\n            -*) _dfsim_words '{}' ;;\n"
      "            *) {} ;;\n          esac ;;\n      esac ;;\n",
      pattern, bash_values(command), fmt::join(option_names(command), " "), positional);
}

std::string bash(const CommandInfo& tree) {
  std::string out =
      "# bash completion of dfsim; made by: dfsim completion bash\n"
      "_dfsim_words() { mapfile -t COMPREPLY < <(compgen -W \"$1\" -- \"$word\"); }\n"
      "_dfsim_files() { compopt -o filenames 2>/dev/null; mapfile -t COMPREPLY < <(compgen -f -- \"$word\"); "
      "}\n"
      "_dfsim() {\n  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command='' i\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n    case ${COMP_WORDS[i]} in\n";
  out += fmt::format("      {}) command=${{COMP_WORDS[i]}}; break ;;\n", fmt::join(command_names(tree), "|"));
  out += "    esac\n  done\n  case $command in\n";
  for (const CommandInfo& command : tree.commands) out += bash_command(command.name, command);
  out += bash_command("*", tree);
  return out + "  esac\n}\ncomplete -F _dfsim dfsim\n";
}

// ---- zsh

/// Inside of [...] of an _arguments specification, in single quotes.
std::string zsh_text(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') out += '\\';
      out += c;
    }
  }
  return out;
}

std::string zsh_options(const CommandInfo& command, const std::string& indent) {
  std::string out;
  for (const OptionInfo& option : command.options) {
    const std::string action =
        option.choices.empty() ? "_files" : fmt::format("({})", fmt::join(option.choices, " "));
    if (option.positional) {
      out += fmt::format("{}'*:{}:{}' \\\n", indent, zsh_text(option.description), action);
      continue;
    }
    for (const std::string& name : option.names)
      out += fmt::format("{}'*{}[{}]{}' \\\n", indent, name, zsh_text(option.description),
                         option.takes_value ? ":value:" + action : "");
  }
  return out;
}

std::string zsh(const CommandInfo& tree) {
  std::string out = "#compdef dfsim\n# zsh completion of dfsim; made by: dfsim completion zsh\n_dfsim() {\n";
  out +=
      "  local context state line\n  typeset -A opt_args\n  _arguments -C \\\n" + zsh_options(tree, "    ");
  out +=
      "    '1: :->command' '*:: :->arguments'\n  case $state in\n    command)\n      local -a commands=(\n";
  for (const CommandInfo& command : tree.commands)
    out += fmt::format("        '{}:{}'\n", command.name, zsh_text(command.description));
  out += "      )\n      _describe command commands ;;\n    arguments)\n      case $line[1] in\n";
  for (const CommandInfo& command : tree.commands) {
    std::string options = zsh_options(command, "            ");
    options.resize(options.size() - 3);  // the last line goes on no further
    out += fmt::format("        {})\n          _arguments \\\n{} ;;\n", command.name, options);
  }
  return out + "      esac ;;\n  esac\n}\n_dfsim \"$@\"\n";
}

// ---- fish

std::string fish_quoted(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return "'" + out + "'";
}

std::string fish_options(const CommandInfo& command, const std::string& condition) {
  std::string out;
  for (const OptionInfo& option : command.options) {
    std::string line = "complete -c dfsim -n " + fish_quoted(condition);
    if (!option.positional)
      for (const std::string& name : option.names)
        line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (option.positional && option.choices.empty()) continue;
    if (!option.choices.empty())
      line += fmt::format(" {} -a '{}'", option.positional ? "-f" : "-x", fmt::join(option.choices, " "));
    else if (option.takes_value)
      line += " -r";
    out += line + " -d " + fish_quoted(option.description) + "\n";
  }
  return out;
}

std::string fish(const CommandInfo& tree) {
  std::string out = "# fish completion of dfsim; made by: dfsim completion fish\n";
  const std::string none =
      fmt::format("not __fish_seen_subcommand_from {}", fmt::join(command_names(tree), " "));
  for (const CommandInfo& command : tree.commands)
    out += fmt::format("complete -c dfsim -f -n {} -a {} -d {}\n", fish_quoted(none), command.name,
                       fish_quoted(command.description));
  out += fish_options(tree, none);
  for (const CommandInfo& command : tree.commands)
    out += fish_options(command, "__fish_seen_subcommand_from " + command.name);
  return out;
}

}  // namespace

std::string completion_script(const CommandInfo& tree, const std::string& shell) {
  if (shell == "bash") return bash(tree);
  if (shell == "zsh") return zsh(tree);
  if (shell == "fish") return fish(tree);
  throw std::invalid_argument("no completions for the shell '" + shell + "'");
}

}  // namespace dfsim
