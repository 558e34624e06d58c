#include "sim/trace/output_file.h"

#include <fmt/format.h>
#include <zlib.h>

#include <array>
#include <fstream>

#include "sim/base/files.h"

namespace dfsim {

namespace {

constexpr int kGzipWindow = 15 + 16;  // 32 KiB window, gzip instead of zlib framing
constexpr int kLevel = 6;
constexpr int kMemory = 8;

bool ends_with_gz(const std::string& name) { return name.ends_with(".gz"); }

}  // namespace

class OutputFile::Target {
 public:
  explicit Target(const std::string& path) : path_(path), file_(path, std::ios::binary | std::ios::trunc) {
    if (!file_) throw FileError(fmt::format("cannot write {}", path));
  }
  virtual ~Target() = default;
  virtual void write(std::string_view bytes) = 0;
  virtual void close() {
    file_.close();
    if (!file_) throw FileError(fmt::format("cannot write {}", path_));
  }

 protected:
  void put(const char* bytes, std::size_t count) { file_.write(bytes, static_cast<std::streamsize>(count)); }

 private:
  std::string path_;
  std::ofstream file_;
};

class OutputFile::PlainTarget : public Target {
 public:
  using Target::Target;
  void write(std::string_view bytes) override { put(bytes.data(), bytes.size()); }
};

class OutputFile::GzipTarget : public Target {
 public:
  explicit GzipTarget(const std::string& path) : Target(path) {
    if (deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw FileError("zlib cannot start");
  }
  ~GzipTarget() override { deflateEnd(&stream_); }
  void write(std::string_view bytes) override {
    stream_.next_in = reinterpret_cast<unsigned char*>(const_cast<char*>(bytes.data()));
    stream_.avail_in = static_cast<unsigned>(bytes.size());
    deflate_all(Z_NO_FLUSH);
  }
  void close() override {
    stream_.avail_in = 0;
    deflate_all(Z_FINISH);
    Target::close();
  }

 private:
  void deflate_all(int flush) {
    int result = Z_OK;
    do {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<unsigned>(out_.size());
      result = deflate(&stream_, flush);
      put(reinterpret_cast<const char*>(out_.data()), out_.size() - stream_.avail_out);
    } while (stream_.avail_in > 0 || (flush == Z_FINISH && result != Z_STREAM_END));
  }

  z_stream stream_{};
  std::array<unsigned char, 1 << 16> out_{};
};

OutputFile::OutputFile(const std::string& path, const std::string& name) {
  if (ends_with_gz(name))
    target_ = std::make_unique<GzipTarget>(path);
  else
    target_ = std::make_unique<PlainTarget>(path);
}

OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view bytes) { target_->write(bytes); }

void OutputFile::close() {
  target_->close();
  target_.reset();
}

std::string read_gzip(const std::string& path) {
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw FileError(fmt::format("cannot read {}", path));
  std::string text;
  std::array<char, 1 << 16> buffer{};
  int n = 0;
  while ((n = gzread(file, buffer.data(), buffer.size())) > 0)
    text.append(buffer.data(), static_cast<std::size_t>(n));
  gzclose(file);
  if (n < 0) throw FileError(fmt::format("{} is damaged", path));
  return text;
}

}  // namespace dfsim
