#include "sim/trace/gzip_writer.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <stdexcept>

namespace dfsim {

namespace {

constexpr int kGzipWindow = 15 + 16;  // 32 KiB window, gzip instead of zlib framing
constexpr int kLevel = 6;
constexpr int kMemory = 8;

}  // namespace

struct GzipWriter::Stream {
  z_stream z{};
  std::array<unsigned char, 1 << 16> out{};
};

GzipWriter::GzipWriter(const std::string& path)
    : path_(path), file_(path, std::ios::binary | std::ios::trunc), stream_(std::make_unique<Stream>()) {
  if (!file_) throw std::runtime_error(fmt::format("cannot write {}", path));
  if (deflateInit2(&stream_->z, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::runtime_error("zlib cannot start");
}

GzipWriter::~GzipWriter() {
  if (stream_) deflateEnd(&stream_->z);
}

void GzipWriter::write(std::string_view text) {
  stream_->z.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(text.data()));
  stream_->z.avail_in = static_cast<unsigned>(text.size());
  deflate_all(Z_NO_FLUSH);
}

void GzipWriter::deflate_all(int flush) {
  int result = Z_OK;
  do {
    stream_->z.next_out = stream_->out.data();
    stream_->z.avail_out = static_cast<unsigned>(stream_->out.size());
    result = deflate(&stream_->z, flush);
    file_.write(reinterpret_cast<const char*>(stream_->out.data()),
                static_cast<std::streamsize>(stream_->out.size() - stream_->z.avail_out));
  } while (stream_->z.avail_in > 0 || (flush == Z_FINISH && result != Z_STREAM_END));
}

void GzipWriter::close() {
  stream_->z.avail_in = 0;
  deflate_all(Z_FINISH);
  deflateEnd(&stream_->z);
  stream_.reset();
  file_.close();
  if (!file_) throw std::runtime_error(fmt::format("cannot write {}", path_));
}

std::string read_gzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error(fmt::format("cannot read {}", path));
  std::string text;
  std::array<char, 1 << 16> buffer{};
  int n = 0;
  while ((n = gzread(file, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  gzclose(file);
  if (n < 0) throw std::runtime_error(fmt::format("{} is damaged", path));
  return text;
}

}  // namespace dfsim
