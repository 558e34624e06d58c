// sim/trace/output_file.h: a file written piece by piece, plain or compressed, whose bytes depend on its
// content alone.
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace dfsim {

/// Where a trace is written to.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  virtual void write(std::string_view bytes) = 0;
};

/// gzip if `name` ends in ".gz"; the header then carries neither time nor name. Bytes go to `path`, which may
/// be a temporary name for it. Throws FileError if the file cannot be written; close() tells of the last
/// errors.
class OutputFile : public ByteSink {
 public:
  OutputFile(const std::string& path, const std::string& name);
  ~OutputFile() override;
  void write(std::string_view bytes) override;
  void close();

 private:
  class Target;
  class PlainTarget;
  class GzipTarget;
  std::unique_ptr<Target> target_;
};

/// The content of a gzip file, for tests and `traces/`. Throws FileError.
std::string read_gzip(const std::string& path);

}  // namespace dfsim
