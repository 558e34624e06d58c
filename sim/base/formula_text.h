// sim/base/formula_text.h: what parsers of formulas have in common: reading on, nesting, and what is wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dfsim {

/// Thrown by FormulaText and the parsers on top of it; their entry points turn it into a Result.
struct FormulaError {
  std::string what;
};

/// A formula from the left to the right. `text` must live as long as this.
class FormulaText {
 public:
  explicit FormulaText(const std::string& text) : text_(text) {}

  /// The next character that is no blank; '\0' at the end.
  char peek();
  void skip(std::size_t characters = 1) { at_ += characters; }
  std::size_t position() const { return at_; }
  void go_back(std::size_t position) { at_ = position; }
  std::string_view rest() const { return std::string_view(text_).substr(at_); }

  static bool starts_word(char c);
  /// A letter or '_', then letters, digits and '_'; empty if there is none.
  std::string word();
  /// Goes past `closing`; throws if something else comes.
  void close(char closing);
  void expect_end();

  /// One level deeper while it lives; throws at the 51st: the input decides how deep the recursion goes.
  class Nested {
   public:
    explicit Nested(FormulaText& text);
    ~Nested() { --text_.depth_; }
    Nested(const Nested&) = delete;
    Nested& operator=(const Nested&) = delete;

   private:
    FormulaText& text_;
  };

  [[noreturn]] static void fail(std::string what) { throw FormulaError{std::move(what)}; }
  /// `kind`: what names are called, "dimension".
  [[noreturn]] static void unknown(std::string_view kind, const std::string& name,
                                   const std::vector<std::string>& known);
  /// Nothing that begins a value stands here.
  [[noreturn]] void no_value(std::string_view kind) const;

 private:
  const std::string& text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace dfsim
