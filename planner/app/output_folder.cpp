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

void OutputFolder::write() const {
  std::error_code ignored;
  for (const char* name : kNames)
    if (!files_.count(name) && !kept_.count(name)) std::filesystem::remove(file(name), ignored);
  for (const auto& [name, content] : files_) write_file_atomically(file(name), content);
}

}  // namespace dfsim
