#include "planner/app/command_tree.h"

#include <utility>

namespace dfsim {

namespace {

/// The names in "TEXT:{a,b}", which CLI11 shows for CLI::IsMember.
std::vector<std::string> choices_of(const std::string& type) {
  const std::size_t open = type.find('{'), close = type.rfind('}');
  std::vector<std::string> choices;
  if (open == std::string::npos || close == std::string::npos) return choices;
  std::string name;
  for (std::size_t i = open + 1; i <= close; ++i) {
    if (type[i] != ',' && i != close) {
      name += type[i];
      continue;
    }
    choices.push_back(name);
    name.clear();
  }
  return choices;
}

OptionInfo info_of(const CLI::Option& option) {
  OptionInfo info;
  for (const std::string& name : option.get_lnames()) info.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) info.names.push_back("-" + name);
  info.positional = info.names.empty();
  if (info.positional) info.names.push_back(option.get_name(true));
  info.group = option.get_group();
  info.description = option.get_description();
  info.takes_value = option.get_items_expected_max() > 0;
  if (info.takes_value) {
    info.fallback = option.get_default_str();
    info.choices = choices_of(option.get_type_name());
  }
  info.required = option.get_required();
  return info;
}

}  // namespace

CommandInfo command_tree(const CLI::App& app) {
  CommandInfo info;
  info.name = app.get_name();
  info.description = app.get_description();
  info.group = app.get_group();
  info.footer = app.get_footer();
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty()) info.options.push_back(info_of(*option));
  // No filter: all of them, in the order in which they were added.
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (command->get_group().empty()) continue;
    CommandInfo part = command_tree(*command);
    if (part.name.empty())  // not a command, but options of which one is wanted
      info.options.insert(info.options.end(), part.options.begin(), part.options.end());
    else
      info.commands.push_back(std::move(part));
  }
  return info;
}

}  // namespace dfsim
