#include "sim/trace/text_sink.h"

#include <zlib.h>

#include <stdexcept>

namespace dfsim {
namespace {

constexpr int kGzipHeader = 16;  // added to the window bits: gzip instead of a zlib header

/// Length of the UTF-8 sequence at the start of `text` (RFC 3629, table in section 4); 0 if there is none.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xc2 && first <= 0xdf   ? 2
                             : (first & 0xf0) == 0xe0         ? 3
                             : first >= 0xf0 && first <= 0xf4 ? 4
                                                              : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second > 0x9f;
  const bool too_large = first == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

}  // namespace

struct TextSink::Gzip {
  z_stream stream{};
  Gzip() {
    if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + kGzipHeader, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::runtime_error("zlib cannot be started");
  }
  ~Gzip() { deflateEnd(&stream); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;
};

TextSink::TextSink(Format format) : gzip_(format == Format::gzip ? std::make_unique<Gzip>() : nullptr) {}
TextSink::~TextSink() = default;

std::string TextSink::finish() {
  if (!gzip_) return std::move(text_);
  deflate_text(true);
  return std::move(compressed_);
}

void TextSink::deflate_text(bool last) {
  z_stream& stream = gzip_->stream;
  stream.next_in = reinterpret_cast<Bytef*>(text_.data());
  stream.avail_in = static_cast<uInt>(text_.size());
  char block[kBlock];
  do {  // until deflate leaves room in the block: then it has taken all input
    stream.next_out = reinterpret_cast<Bytef*>(block);
    stream.avail_out = sizeof block;
    deflate(&stream, last ? Z_FINISH : Z_NO_FLUSH);
    compressed_.append(block, sizeof block - stream.avail_out);
  } while (stream.avail_out == 0);
  text_.clear();
}

std::string json_string(std::string_view text) {
  std::string json = "\"";
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const char c = text[0];
    if (length == 0) {
      json += "\\ufffd";
    } else if (length > 1) {
      json += text.substr(0, length);
    } else if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '<') {
      json += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      json += c;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return json + '"';
}

std::string microseconds(std::uint64_t picoseconds) {
  return fmt::format("{}.{:06}", picoseconds / 1'000'000, picoseconds % 1'000'000);
}

}  // namespace dfsim
