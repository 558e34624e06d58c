// planner/price_table/number_expression.cpp: recursive descent; the grammar is in the comments of the
// members.
#include "planner/price_table/number_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <numeric>
#include <optional>
#include <string_view>

#include "sim/base/formula_text.h"

namespace dfsim {

namespace {

double sum_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

/// The value of a function of a list; nothing if there is no such function.
std::optional<double> apply(const std::string& name, const std::vector<double>& values) {
  if (name == "sum") return sum_of(values);
  if (name == "count") return static_cast<double>(values.size());
  if (values.empty()) return std::nullopt;
  if (name == "max") return *std::max_element(values.begin(), values.end());
  if (name == "min") return *std::min_element(values.begin(), values.end());
  if (values.size() != 1) return std::nullopt;
  if (name == "ceil") return std::ceil(values.front());
  if (name == "floor") return std::floor(values.front());
  if (name == "sqrt") return std::sqrt(values.front());
  if (name == "log2") return std::log2(values.front());
  return std::nullopt;
}

class Parser {
 public:
  Parser(const std::string& text, const ExpressionNames& names) : text_(text), names_(names) {}

  double whole() {
    const double value = sum();
    text_.expect_end();
    if (!std::isfinite(value)) text_.fail("the value is not finite");
    return value;
  }

 private:
  /// sum: product { ('+' | '-') product }
  double sum() {
    double value = product();
    while (text_.peek() == '+' || text_.peek() == '-') {
      const bool add = text_.peek() == '+';
      text_.skip();
      const double right = product();
      value = add ? value + right : value - right;
    }
    return value;
  }

  /// product: sign { ('*' | '/') sign }
  double product() {
    double value = sign();
    while (text_.peek() == '*' || text_.peek() == '/') {
      const bool multiply = text_.peek() == '*';
      text_.skip();
      const double right = sign();
      if (!multiply && right == 0) text_.fail("division by zero");
      value = multiply ? value * right : value / right;
    }
    return value;
  }

  /// sign: '-' sign | power
  double sign() {
    if (text_.peek() != '-') return power();
    text_.skip();
    const FormulaText::Nested nested(text_);
    return -sign();
  }

  /// power: factor [ '^' sign ]
  double power() {
    const double value = factor();
    if (text_.peek() != '^') return value;
    text_.skip();
    const FormulaText::Nested nested(text_);
    return std::pow(value, sign());
  }

  /// factor: number | name | name '(' arguments ')' | '(' sum ')'
  double factor() {
    const FormulaText::Nested nested(text_);
    const char c = text_.peek();
    if (FormulaText::starts_word(c)) return named();
    if (c != '(') return number();
    text_.skip();
    const double value = sum();
    text_.close(')');
    return value;
  }

  double named() {
    const std::string name = text_.word();
    if (text_.peek() == '(') {
      text_.skip();
      const std::vector<double> values = arguments();
      if (const auto value = apply(name, values)) return *value;
      text_.fail(fmt::format("'{}' of {} value{} is no function", name, values.size(),
                             values.size() == 1 ? "" : "s"));
    }
    if (const auto found = names_.numbers.find(name); found != names_.numbers.end()) return found->second;
    if (names_.lists.contains(name))
      text_.fail(fmt::format("'{0}' is a list: write sum({0}), max({0}) or min({0})", name));
    std::vector<std::string> known;
    for (const auto& [key, value] : names_.numbers) known.push_back(key);
    for (const auto& [key, value] : names_.lists) known.push_back(key);
    text_.unknown("name", name, known);
  }

  /// arguments: ( list | sum ) { ',' ( list | sum ) } ')'
  std::vector<double> arguments() {
    std::vector<double> values;
    for (;;) {
      const std::size_t begin = text_.position();
      const auto list = names_.lists.find(text_.word());
      if (list != names_.lists.end() && (text_.peek() == ',' || text_.peek() == ')')) {
        values.insert(values.end(), list->second.begin(), list->second.end());
      } else {
        text_.go_back(begin);
        values.push_back(sum());
      }
      if (text_.peek() != ',') break;
      text_.skip();
    }
    text_.close(')');
    return values;
  }

  double number() {
    double value = 0;
    const std::string_view rest = text_.rest();
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc() ||
        !(std::isdigit(static_cast<unsigned char>(rest.front())) || rest.front() == '.'))
      text_.no_value("name");
    text_.skip(static_cast<std::size_t>(end - rest.data()));
    return value;
  }

  FormulaText text_;
  const ExpressionNames& names_;
};

}  // namespace

Result<double, std::string> evaluate_number(const std::string& text, const ExpressionNames& names) {
  try {
    return Parser(text, names).whole();
  } catch (const FormulaError& wrong) {
    return fmt::format("'{}': {}", text, wrong.what);
  }
}

}  // namespace dfsim
