#include "planner/app/output_folder.h"

#include <filesystem>

#include "sim/base/files.h"

namespace dfsim {

namespace {

constexpr const char* kNames[] = {
    "plan.yaml",        "candidates.csv", "config.resolved.yaml", "model.resolved.yaml", "program.json",
    "measurement.json", "run.json",       "trace.json.gz",        "pe_traffic.csv",      "report.html",
    "activity.json"};

}  // namespace

std::string default_folder(const std::string& hardware_file, const std::string& model_file) {
  const auto stem = [](const std::string& path) { return std::filesystem::path(path).stem().string(); };
  return "out/" + stem(hardware_file) + "-" + stem(model_file);
}

void OutputFolder::write() const {
  std::error_code ignored;
  for (const char* name : kNames)
    if (!files_.count(name) && !kept_.count(name)) std::filesystem::remove(file(name), ignored);
  for (const auto& [name, content] : files_) write_file_atomically(file(name), content);
}

}  // namespace dfsim
