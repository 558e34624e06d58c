// planner/app/output_folder.h: the files of one run, all of them or none of a stale one.
#pragma once

#include <map>
#include <string>

namespace dfsim {

/// Where the results for two input files go unless said otherwise: "out/mesh8x8-bert".
std::string default_folder(const std::string& hardware_file, const std::string& model_file);

/// Files are collected first and written together, each under a temporary name and renamed. Files that an
/// earlier run left and that this one does not have are removed, so that the folder is of one run.
class OutputFolder {
 public:
  explicit OutputFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string file(const std::string& name) const { return path_ + "/" + name; }
  void add(const std::string& name, std::string content) { files_[name] = std::move(content); }
  /// Names a file that was written to file(name) by its own writer.
  void keep(const std::string& name) { kept_.insert_or_assign(name, true); }
  /// Throws FileError.
  void write() const;

 private:
  std::string path_;
  std::map<std::string, std::string> files_;
  std::map<std::string, bool> kept_;
};

}  // namespace dfsim
