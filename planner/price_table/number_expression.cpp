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

#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr int kMaxDepth = 50;  ///< of parentheses: the input decides how deep the recursion goes

struct Wrong {
  std::string what;
};

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

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

/// Throws Wrong, which stays inside this file.
class Parser {
 public:
  Parser(const std::string& text, const ExpressionNames& names) : text_(text), names_(names) {}

  double whole() {
    const double value = sum();
    if (peek() != '\0') fail(fmt::format("unexpected '{}'", text_.substr(at_)));
    if (!std::isfinite(value)) fail("the value is not finite");
    return value;
  }

 private:
  /// sum: product { ('+' | '-') product }
  double sum() {
    double value = product();
    while (peek() == '+' || peek() == '-') {
      const bool add = text_[at_++] == '+';
      const double right = product();
      value = add ? value + right : value - right;
    }
    return value;
  }

  /// product: sign { ('*' | '/') sign }
  double product() {
    double value = sign();
    while (peek() == '*' || peek() == '/') {
      const bool multiply = text_[at_++] == '*';
      const double right = sign();
      if (!multiply && right == 0) fail("division by zero");
      value = multiply ? value * right : value / right;
    }
    return value;
  }

  /// sign: '-' sign | power
  double sign() {
    if (peek() != '-') return power();
    ++at_;
    deeper();
    const double value = -sign();
    --depth_;
    return value;
  }

  /// power: factor [ '^' sign ]
  double power() {
    const double value = factor();
    if (peek() != '^') return value;
    ++at_;
    deeper();
    const double exponent = sign();
    --depth_;
    return std::pow(value, exponent);
  }

  /// factor: number | name | name '(' arguments ')' | '(' sum ')'
  double factor() {
    deeper();
    const char c = peek();
    double value = 0;
    if (c == '(') {
      ++at_;
      value = sum();
      close();
    } else if (starts_name(c)) {
      value = named();
    } else {
      value = number();
    }
    --depth_;
    return value;
  }

  double named() {
    const std::string name = word();
    if (peek() == '(') {
      ++at_;
      const std::vector<double> values = arguments();
      if (const auto value = apply(name, values)) return *value;
      fail(fmt::format("'{}' of {} value{} is no function", name, values.size(),
                       values.size() == 1 ? "" : "s"));
    }
    if (const auto found = names_.numbers.find(name); found != names_.numbers.end()) return found->second;
    if (names_.lists.contains(name))
      fail(fmt::format("'{0}' is a list: write sum({0}), max({0}) or min({0})", name));
    unknown(name);
  }

  /// arguments: ( list | sum ) { ',' ( list | sum ) } ')'
  std::vector<double> arguments() {
    std::vector<double> values;
    for (;;) {
      const std::size_t begin = at_;
      const std::string name = starts_name(peek()) ? word() : "";
      const auto list = names_.lists.find(name);
      if (list != names_.lists.end() && (peek() == ',' || peek() == ')')) {
        values.insert(values.end(), list->second.begin(), list->second.end());
      } else {
        at_ = begin;
        values.push_back(sum());
      }
      if (peek() != ',') break;
      ++at_;
    }
    close();
    return values;
  }

  void close() {
    if (peek() != ')') fail("')' is missing");
    ++at_;
  }
  std::string word() {
    peek();
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  [[noreturn]] void unknown(const std::string& name) const {
    std::vector<std::string> known;
    for (const auto& [key, value] : names_.numbers) known.push_back(key);
    for (const auto& [key, value] : names_.lists) known.push_back(key);
    const std::string nearest = nearest_name(name, known);
    fail(nearest.empty() ? fmt::format("unknown name '{}'", name)
                         : fmt::format("unknown name '{}'; did you mean '{}'?", name, nearest));
  }
  double number() {
    peek();
    double value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc() || !(std::isdigit(static_cast<unsigned char>(*begin)) || *begin == '.'))
      fail(at_ < text_.size() ? fmt::format("expected a number or a name before '{}'", text_.substr(at_))
                              : "expected a number or a name at the end");
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }
  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  void deeper() {
    if (++depth_ > kMaxDepth) fail("nested too deeply");
  }
  [[noreturn]] static void fail(std::string what) { throw Wrong{std::move(what)}; }

  const std::string& text_;
  const ExpressionNames& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<double, std::string> evaluate_number(const std::string& text, const ExpressionNames& names) {
  try {
    return Parser(text, names).whole();
  } catch (const Wrong& wrong) {
    return fmt::format("'{}': {}", text, wrong.what);
  }
}

}  // namespace dfsim
