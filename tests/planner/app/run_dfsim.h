// Runs the built dfsim in a folder of its own and keeps what it said.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace dfsim {

struct Ended {
  int code = -1;  ///< exit code; 128 + signal if killed
  std::string out, err;
};

inline std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A temporary folder with its own price cache.
class RunDfsim : public testing::Test {
 protected:
  RunDfsim() {
    std::string name = (std::filesystem::temp_directory_path() / "dfsim_test_XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~RunDfsim() override { std::filesystem::remove_all(folder_); }

  /// `arguments` as in a shell, run in the folder.
  Ended dfsim(const std::string& arguments) const {
    const std::string out = (folder_ / ".stdout").string(), err = (folder_ / ".stderr").string();
    const std::string command = "cd '" + folder_.string() + "' || exit 99; export XDG_CACHE_HOME='" +
                                folder_.string() +
                                "/cache' DFSIM_PATH='" DFSIM_SOURCE_DIR "'; { '" DFSIM_BINARY_DIR "/dfsim' " +
                                arguments + "\n} >'" + out + "' 2>'" + err + "'";
    const int status = std::system(command.c_str());
    Ended ended;
    ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    ended.out = content_of(out);
    ended.err = content_of(err);
    return ended;
  }

  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
  std::string read(const std::string& name) const { return content_of(folder_ / name); }
  bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }

  std::filesystem::path folder_;
};

}  // namespace dfsim
