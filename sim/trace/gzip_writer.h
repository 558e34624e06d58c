// sim/trace/gzip_writer.h: a gzip stream whose bytes depend on its content alone.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <string_view>

namespace dfsim {

/// Writes `path` compressed; the header carries neither time nor name. Throws std::runtime_error if the file
/// cannot be written. Call close() to learn of the last errors.
class GzipWriter {
 public:
  explicit GzipWriter(const std::string& path);
  ~GzipWriter();
  void write(std::string_view text);
  void close();

 private:
  struct Stream;
  void deflate_all(int flush);

  std::string path_;
  std::ofstream file_;
  std::unique_ptr<Stream> stream_;
};

/// The content of a gzip file, for tests and `traces/`.
std::string read_gzip(const std::string& path);

}  // namespace dfsim
