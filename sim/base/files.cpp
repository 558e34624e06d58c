#include "sim/base/files.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <system_error>

namespace dfsim {
namespace {

namespace fs = std::filesystem;

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

FileError system_error(const std::string& action, const std::string& path) {
  return FileError(fmt::format("cannot {} {}: {}", action, path, std::strerror(errno)));
}

std::string running_program() {
  std::error_code error;
  const fs::path path = fs::read_symlink("/proc/self/exe", error);
  return error ? std::string() : path.string();
}

bool is_yaml_name(const std::string& name) {
  const std::string extension = fs::path(name).extension().string();
  return extension == ".yaml" || extension == ".yml";
}

}  // namespace

std::string read_file(const std::string& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) throw FileError(fmt::format("cannot read {}: is a folder", path));
  const File file(std::fopen(path.c_str(), "rb"));
  if (!file) throw system_error("read", path);
  std::string content;
  char buffer[65536];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;) content.append(buffer, n);
  if (std::ferror(file.get())) throw system_error("read", path);
  return content;
}

void write_file_atomically(const std::string& path, const std::string& content) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code error;
  if (!folder.empty()) fs::create_directories(folder, error);
  // The process id keeps two runs apart that write the same file; the last rename wins.
  const std::string temporary = fmt::format("{}.tmp{}", path, ::getpid());
  File file(std::fopen(temporary.c_str(), "wb"));
  if (!file) throw system_error("write", temporary);
  const bool written = std::fwrite(content.data(), 1, content.size(), file.get()) == content.size();
  const bool closed = std::fclose(file.release()) == 0;
  if (!written || !closed || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const FileError failure = system_error("write", path);
    std::remove(temporary.c_str());
    throw failure;
  }
}

std::vector<std::string> input_file_candidates(const std::string& name, const std::string& folder,
                                               const std::string& executable) {
  std::vector<fs::path> places{name};
  if (!fs::path(name).has_parent_path()) {
    places.push_back(fs::path(folder) / name);
    if (const char* variable = std::getenv("DFSIM_PATH")) {
      const std::string list = variable;
      for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(':', begin), list.size());
        if (end > begin) {
          const fs::path entry = list.substr(begin, end - begin);
          places.push_back(entry / name);
          places.push_back(entry / folder / name);
        }
        begin = end + 1;
      }
    }
    const std::string program = executable.empty() ? running_program() : executable;
    if (!program.empty()) {
      std::error_code error;
      fs::path real = fs::canonical(program, error);
      if (error) real = program;
      places.push_back(real.parent_path().parent_path() / "share" / "dfsim" / folder / name);
    }
  }
  std::vector<std::string> result;
  for (const fs::path& place : places) {
    result.push_back(place.string());
    if (!is_yaml_name(name)) result.push_back(place.string() + ".yaml");
  }
  return result;
}

std::optional<std::string> find_input_file(const std::string& name, const std::string& folder,
                                           const std::string& executable) {
  for (const std::string& candidate : input_file_candidates(name, folder, executable)) {
    std::error_code error;
    // Whatever exists and is no folder: a pipe or /dev/stdin is a fine input too.
    if (fs::exists(candidate, error) && !fs::is_directory(candidate, error)) return candidate;
  }
  return std::nullopt;
}

}  // namespace dfsim
