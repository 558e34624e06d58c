// planner/plan/text_stream.h: plain values as one line of text and back, exactly. For messages between
// processes and keys; files that people read are written by planner/report.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace dfsim {

/// Tokens separated by blanks: whole numbers, and texts with their length in front.
class TextWriter {
 public:
  TextWriter& number(std::uint64_t value);
  TextWriter& text(const std::string& value);
  template <class T>
  TextWriter& numbers(const std::vector<T>& values) {
    number(values.size());
    for (const T& value : values) number(value);
    return *this;
  }
  const std::string& str() const { return text_; }

 private:
  std::string text_;
};

/// Reads what a TextWriter wrote. Throws std::runtime_error if the text does not hold what is asked for.
class TextReader {
 public:
  explicit TextReader(const std::string& text) : text_(text) {}
  explicit TextReader(std::string&&) = delete;

  std::uint64_t number();
  std::uint32_t small();  ///< below 2^32
  std::string text();
  std::vector<std::uint32_t> smalls();
  std::vector<std::uint64_t> numbers();
  /// Number of elements of a list that follows: at most as many as characters are left.
  std::size_t count();
  void end();  ///< nothing must be left

 private:
  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace dfsim
