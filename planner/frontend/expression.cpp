// planner/frontend/expression.cpp: recursive descent; the grammar is in the member functions' comments.
#include "planner/frontend/expression.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <string_view>
#include <vector>

#include "sim/base/formula_text.h"

namespace dfsim {

namespace {

class Parser {
 public:
  Parser(const std::string& text, const DimensionNames& names) : text_(text), names_(names) {}

  std::int64_t whole() {
    const std::int64_t value = sum();
    text_.expect_end();
    return value;
  }

 private:
  /// sum: product { ('+' | '-') product }
  std::int64_t sum() {
    std::int64_t value = product();
    while (text_.peek() == '+' || text_.peek() == '-') {
      const bool add = text_.peek() == '+';
      text_.skip();
      const std::int64_t right = product();
      if (add ? __builtin_add_overflow(value, right, &value) : __builtin_sub_overflow(value, right, &value))
        too_large();
    }
    return value;
  }

  /// product: factor { ('*' | '/') factor }
  std::int64_t product() {
    std::int64_t value = factor();
    while (text_.peek() == '*' || text_.peek() == '/') {
      const bool multiply = text_.peek() == '*';
      text_.skip();
      const std::int64_t right = factor();
      if (multiply) {
        if (__builtin_mul_overflow(value, right, &value)) too_large();
      } else {
        if (right <= 0 || value < 0) text_.fail(fmt::format("cannot divide {} by {}", value, right));
        if (value % right != 0) text_.fail(fmt::format("{} / {} leaves a remainder", value, right));
        value /= right;
      }
    }
    return value;
  }

  /// factor: number | name | '-' factor | '(' sum ')' | '${' sum '}'
  std::int64_t factor() {
    const FormulaText::Nested nested(text_);
    const char c = text_.peek();
    if (c == '-') {
      text_.skip();
      std::int64_t value = factor();
      if (__builtin_sub_overflow(std::int64_t{0}, value, &value)) too_large();
      return value;
    }
    if (c == '(') return enclosed(1, ')');
    if (text_.rest().starts_with("${")) return enclosed(2, '}');
    return FormulaText::starts_word(c) ? name() : number();
  }

  std::int64_t enclosed(std::size_t opening, char closing) {
    text_.skip(opening);
    const std::int64_t value = sum();
    text_.close(closing);
    return value;
  }

  std::int64_t name() {
    const std::string found = text_.word();
    const auto it = names_.find(found);
    if (it != names_.end()) return it->second;
    std::vector<std::string> known;
    for (const auto& [key, value] : names_) known.push_back(key);
    text_.unknown("dimension", found, known);
  }

  std::int64_t number() {
    std::int64_t value = 0;
    const std::string_view rest = text_.rest();
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error == std::errc::result_out_of_range) too_large();
    if (error != std::errc() || !std::isdigit(static_cast<unsigned char>(rest.front())))
      text_.no_value("dimension");
    text_.skip(static_cast<std::size_t>(end - rest.data()));
    const std::string_view after = text_.rest();
    if (!after.empty() && (after.front() == '.' || FormulaText::starts_word(after.front())))
      text_.fail("expected an integer");
    return value;
  }

  [[noreturn]] static void too_large() { FormulaText::fail("a number of more than 63 bits"); }

  FormulaText text_;
  const DimensionNames& names_;
};

}  // namespace

Result<std::int64_t, ExpressionError> evaluate(const std::string& text, const DimensionNames& names) {
  try {
    return Parser(text, names).whole();
  } catch (const FormulaError& error) {
    return ExpressionError{fmt::format("'{}': {}", text, error.what)};
  }
}

Result<std::string, ExpressionError> interpolate(const std::string& text, const DimensionNames& names) {
  std::string result;
  std::size_t at = 0;
  for (std::size_t open; (open = text.find("${", at)) != std::string::npos;) {
    const std::size_t close = text.find('}', open);
    if (close == std::string::npos) return ExpressionError{fmt::format("'{}': '}}' is missing", text)};
    const auto value = evaluate(text.substr(open + 2, close - open - 2), names);
    if (!value) return value.reason();
    result += text.substr(at, open - at) + fmt::format("{}", *value);
    at = close + 1;
  }
  return result + text.substr(at);
}

}  // namespace dfsim
