#include "planner/app/command_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace dfsim {

namespace {

constexpr std::array<const char*, 7> kWithoutEffect{"--out",  "--workers", "--cache", "--trace",
                                                    "--json", "--verbose", "--quiet"};

template <class Names>
bool names(const Names& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

}  // namespace

std::string shell_quoted(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) || std::string_view("-_./=:,+@%").find(static_cast<char>(c)) != std::string::npos;
  });
  if (plain) return text;
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string command_text(const CLI::App& command, const std::vector<std::string>& left_out) {
  std::string text = command.get_parent() ? "dfsim " + command.get_name() : "dfsim";
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || names(kWithoutEffect, name) || names(left_out, name)) continue;
    const bool flag = option->get_items_expected_max() == 0;
    if (flag) text += " " + name;
    if (!flag)
      for (const std::string& value : option->results()) text += " " + name + " " + shell_quoted(value);
  }
  return text;
}

}  // namespace dfsim
