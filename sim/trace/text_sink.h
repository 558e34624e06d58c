// sim/trace/text_sink.h: long text, plain or compressed on the way, and strings in JSON.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace dfsim {

/// Collects text; with gzip only the compressed bytes are held. The gzip header carries no time and no file
/// name, so equal text gives equal bytes (with one version of zlib).
class TextSink {
 public:
  enum class Format : std::uint8_t { plain, gzip };
  explicit TextSink(Format format);
  ~TextSink();
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  template <class... Args>
  void print(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    if (gzip_ && text_.size() >= kBlock) deflate_text(false);
  }
  /// All bytes; the sink is done.
  std::string finish();

 private:
  static constexpr std::size_t kBlock = 1 << 16;
  struct Gzip;
  void deflate_text(bool last);

  std::string text_;  ///< gzip: what is still to be compressed
  std::unique_ptr<Gzip> gzip_;
  std::string compressed_;
};

/// A JSON string with its quotes. `<` is escaped as well, so that the text may stand inside HTML; bytes that
/// are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);

/// Microseconds with six decimals: exact to the picosecond.
std::string microseconds(std::uint64_t picoseconds);

}  // namespace dfsim
