// planner/frontend/expression.h: integer arithmetic on named dimensions, as in `3 * hidden` or "x_${i + 1}".
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "sim/base/result.h"

namespace dfsim {

using DimensionNames = std::map<std::string, std::int64_t>;

struct ExpressionError {
  std::string what;
};

/// The value of + - * / and parentheses over integers and names; `${...}` is another pair of parentheses.
/// Divisions must leave no remainder. Wrong syntax, unknown names, overflow of 64 bits are errors.
Result<std::int64_t, ExpressionError> evaluate(const std::string& text, const DimensionNames& names);

/// `text` with the value of each `${expression}` in its place.
Result<std::string, ExpressionError> interpolate(const std::string& text, const DimensionNames& names);

}  // namespace dfsim
