// planner/price_table/number_expression.h: a formula over numbers and lists, as in "sum(work)/p + 2*(p-1)".
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/base/result.h"

namespace dfsim {

/// What names stand for.
struct ExpressionNames {
  std::map<std::string, double> numbers;
  std::map<std::string, std::vector<double>> lists;
};

/// The value of + - * / ^ and parentheses over numbers and names; sum, max and min of a list or of several
/// values, ceil, floor, sqrt and log2 of one, count of a list. The reason if the text is wrong, a name is
/// unknown, or the value is not finite.
Result<double, std::string> evaluate_number(const std::string& text, const ExpressionNames& names);

}  // namespace dfsim
