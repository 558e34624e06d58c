#include "planner/plan/text_stream.h"

#include <charconv>
#include <limits>
#include <stdexcept>

namespace dfsim {

TextWriter& TextWriter::number(std::uint64_t value) {
  if (!text_.empty()) text_ += ' ';
  text_ += std::to_string(value);
  return *this;
}

TextWriter& TextWriter::text(const std::string& value) {
  number(value.size());
  text_ += ':';
  text_ += value;
  return *this;
}

std::uint64_t TextReader::number() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  std::uint64_t value = 0;
  const char* const begin = text_.data() + at_;
  const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
  if (error != std::errc{})
    throw std::runtime_error("a number is missing at position " + std::to_string(at_));
  at_ += static_cast<std::size_t>(end - begin);
  return value;
}

std::uint32_t TextReader::small() {
  const std::uint64_t value = number();
  if (value > std::numeric_limits<std::uint32_t>::max())
    throw std::runtime_error("number too large before position " + std::to_string(at_));
  return static_cast<std::uint32_t>(value);
}

std::size_t TextReader::count() {
  const std::uint64_t value = number();
  if (value > text_.size() - at_)
    throw std::runtime_error("the text ends too early after position " + std::to_string(at_));
  return static_cast<std::size_t>(value);
}

std::string TextReader::text() {
  const std::uint64_t length = number();
  if (at_ >= text_.size() || text_[at_] != ':' || length > text_.size() - at_ - 1)
    throw std::runtime_error("a text is missing at position " + std::to_string(at_));
  const std::string value = text_.substr(at_ + 1, length);
  at_ += 1 + length;
  return value;
}

std::vector<std::uint32_t> TextReader::smalls() {
  std::vector<std::uint32_t> result(count());
  for (std::uint32_t& value : result) value = small();
  return result;
}

std::vector<std::uint64_t> TextReader::numbers() {
  std::vector<std::uint64_t> result(count());
  for (std::uint64_t& value : result) value = number();
  return result;
}

void TextReader::end() {
  while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  if (at_ != text_.size()) throw std::runtime_error("unexpected text at position " + std::to_string(at_));
}

}  // namespace dfsim
