// planner/app/number_range.h: checks of numbers on the command line.
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>

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

}  // namespace dfsim
