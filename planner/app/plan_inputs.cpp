#include "planner/app/plan_inputs.h"

#include <filesystem>

#include "sim/base/files.h"
#include "sim/base/hash.h"

namespace dfsim {

namespace {

/// The path of a referenced file: beside the plan, or wherever input files are looked for. Reports a missing
/// file and a changed one.
std::string referenced(const std::string& plan, const FileReference& reference, const std::string& folder,
                       Diagnostics& diagnostics) {
  if (reference.file.empty()) return {};
  const std::filesystem::path beside = std::filesystem::path(plan).parent_path() / reference.file;
  std::string path = beside.string();
  if (!std::filesystem::is_regular_file(beside)) {
    const auto found = find_input_file(reference.file, folder);
    if (!found) {
      diagnostics.error(reference.where, "there is no file " + path, "files are named relative to the plan");
      return {};
    }
    path = *found;
  }
  if (!reference.hash.empty()) {
    const std::string hash = content_hash(read_file(path));
    if (hash != reference.hash)
      diagnostics.error(
          reference.where, path + " has changed since the plan was made: its hash is " + hash,
          "correct the hash (or leave it out) if that is meant, or use --set to change values on purpose");
  }
  return path;
}

}  // namespace

PlanInputs load_plan(const std::string& path, const std::vector<std::string>& overrides) {
  PlanInputs result;
  result.path = path;
  Diagnostics diagnostics;
  PlanDocument document(path, diagnostics);
  const PlanFile head = document.head();
  const std::string config = referenced(path, head.config, "configs", diagnostics);
  const std::string model = referenced(path, head.model, "models", diagnostics);
  diagnostics.throw_if_any<ModelError>();
  result.inputs = load_inputs(config, model, overrides);
  const auto file = document.read(result.inputs.model.graph, result.inputs.config.spec);
  diagnostics.throw_if_any<ModelError>();
  result.file = *file;
  return result;
}

}  // namespace dfsim
