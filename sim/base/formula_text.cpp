#include "sim/base/formula_text.h"

#include <fmt/format.h>

#include <cctype>

#include "sim/base/errors.h"

namespace dfsim {

namespace {

constexpr int kMaxDepth = 50;

}  // namespace

char FormulaText::peek() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool FormulaText::starts_word(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }

std::string FormulaText::word() {
  if (!starts_word(peek())) return "";
  const std::size_t begin = at_;
  while (at_ < text_.size() &&
         (starts_word(text_[at_]) || std::isdigit(static_cast<unsigned char>(text_[at_]))))
    ++at_;
  return text_.substr(begin, at_ - begin);
}

void FormulaText::close(char closing) {
  if (peek() != closing) fail(fmt::format("'{}' is missing", closing));
  ++at_;
}

void FormulaText::expect_end() {
  if (peek() != '\0') fail(fmt::format("unexpected '{}'", rest()));
}

FormulaText::Nested::Nested(FormulaText& text) : text_(text) {
  if (text.depth_ == kMaxDepth) fail("nested too deeply");
  ++text.depth_;
}

void FormulaText::unknown(std::string_view kind, const std::string& name,
                          const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  fail(fmt::format("unknown {} '{}'{}", kind, name,
                   nearest.empty() ? "" : fmt::format("; did you mean '{}'?", nearest)));
}

void FormulaText::no_value(std::string_view kind) const {
  fail(at_ < text_.size() ? fmt::format("expected a number or a {} before '{}'", kind, rest())
                          : fmt::format("expected a number or a {} at the end", kind));
}

}  // namespace dfsim
