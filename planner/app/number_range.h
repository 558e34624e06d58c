// planner/app/number_range.h: checks of numbers on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <cstdlib>

namespace dfsim {

/// CLI::Range lets `nan` pass, which compares with nothing.
inline CLI::Validator finite_range(double least, double most) {
  return CLI::Range(least, most) & CLI::Validator(
                                       [](std::string& text) {
                                         return std::isfinite(std::strtod(text.c_str(), nullptr))
                                                    ? std::string()
                                                    : "'" + text + "' is no number";
                                       },
                                       "");
}

/// A count or a seed, 0 .. 2^64 - 1. CLI11 reads these with strtoull, which takes -1 for 2^64 - 1 and cuts
/// what is larger; a text that is no number at all is left to CLI11's own message.
inline CLI::Validator whole_number() {
  return CLI::Validator(
      [](std::string& text) {
        if (!text.empty() && text.front() == '-') return "'" + text + "' is negative; give 0 or more";
        errno = 0;
        std::strtoull(text.c_str(), nullptr, 0);
        return errno == ERANGE ? "'" + text + "' is more than 18446744073709551615" : std::string();
      },
      "");
}

/// Puts whole_number() before every unsigned option of `command` and of the commands and groups in it.
inline void check_unsigned_options(CLI::App& command) {
  for (CLI::Option* option : command.get_options())
    if (option->get_type_name().rfind("UINT", 0) == 0) option->check(whole_number());
  for (CLI::App* part : command.get_subcommands([](CLI::App*) { return true; }))
    check_unsigned_options(*part);
}

}  // namespace dfsim
