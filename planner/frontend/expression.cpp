// planner/frontend/expression.cpp: recursive descent; the grammar is in the member functions' comments.
#include "planner/frontend/expression.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <vector>

#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr int kMaxDepth = 50;  ///< of parentheses: the input decides how deep the recursion goes

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Throws ExpressionError, which stays inside this file.
class Parser {
 public:
  Parser(const std::string& text, const DimensionNames& names) : text_(text), names_(names) {}

  std::int64_t whole() {
    const std::int64_t value = sum();
    if (peek() != '\0') fail(fmt::format("unexpected '{}'", text_.substr(at_)));
    return value;
  }

 private:
  /// sum: product { ('+' | '-') product }
  std::int64_t sum() {
    std::int64_t value = product();
    while (peek() == '+' || peek() == '-') {
      const bool add = text_[at_++] == '+';
      const std::int64_t right = product();
      const bool overflow =
          add ? __builtin_add_overflow(value, right, &value) : __builtin_sub_overflow(value, right, &value);
      if (overflow) fail("a number of more than 63 bits");
    }
    return value;
  }

  /// product: factor { ('*' | '/') factor }
  std::int64_t product() {
    std::int64_t value = factor();
    while (peek() == '*' || peek() == '/') {
      const bool multiply = text_[at_++] == '*';
      const std::int64_t right = factor();
      if (multiply) {
        if (__builtin_mul_overflow(value, right, &value)) fail("a number of more than 63 bits");
      } else {
        if (right <= 0 || value < 0) fail(fmt::format("cannot divide {} by {}", value, right));
        if (value % right != 0) fail(fmt::format("{} / {} leaves a remainder", value, right));
        value /= right;
      }
    }
    return value;
  }

  /// factor: number | name | '-' factor | '(' sum ')' | '${' sum '}'
  std::int64_t factor() {
    if (++depth_ > kMaxDepth) fail("nested too deeply");
    const char c = peek();
    std::int64_t value = 0;
    if (c == '-') {
      ++at_;
      value = factor();
      if (__builtin_sub_overflow(std::int64_t{0}, value, &value)) fail("a number of more than 63 bits");
    } else if (c == '(') {
      ++at_;
      value = closed(')');
    } else if (c == '$' && at_ + 1 < text_.size() && text_[at_ + 1] == '{') {
      at_ += 2;
      value = closed('}');
    } else if (starts_name(c)) {
      value = name();
    } else {
      value = number();
    }
    --depth_;
    return value;
  }

  std::int64_t closed(char end) {
    const std::int64_t value = sum();
    if (peek() != end) fail(fmt::format("'{}' is missing", end));
    ++at_;
    return value;
  }

  std::int64_t name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && continues_name(text_[at_])) ++at_;
    const std::string found = text_.substr(begin, at_ - begin);
    const auto it = names_.find(found);
    if (it != names_.end()) return it->second;
    std::vector<std::string> known;
    for (const auto& [key, value] : names_) known.push_back(key);
    const std::string nearest = nearest_name(found, known);
    fail(fmt::format("unknown dimension '{}'{}", found,
                     nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
  }

  std::int64_t number() {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error == std::errc::result_out_of_range) fail("a number of more than 63 bits");
    if (error != std::errc() || !std::isdigit(static_cast<unsigned char>(text_[at_])))
      fail(at_ < text_.size() ? fmt::format("expected a number or a dimension before '{}'", text_.substr(at_))
                              : "expected a number or a dimension at the end");
    at_ = static_cast<std::size_t>(end - text_.data());
    if (at_ < text_.size() && (text_[at_] == '.' || starts_name(text_[at_]))) fail("expected an integer");
    return value;
  }

  char peek() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  [[noreturn]] void fail(std::string what) const { throw ExpressionError{std::move(what)}; }

  const std::string& text_;
  const DimensionNames& names_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Result<std::int64_t, ExpressionError> evaluate(const std::string& text, const DimensionNames& names) {
  try {
    return Parser(text, names).whole();
  } catch (ExpressionError& error) {
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
