// planner/frontend/frontend.cpp: the steps from file to graph.
#include "planner/frontend/frontend.h"

#include <filesystem>
#include <set>
#include <tuple>

#include "planner/frontend/draft.h"
#include "sim/base/yaml.h"

namespace dfsim {

namespace {

YamlOptions options_for(const std::vector<std::string>& overrides) {
  YamlOptions options;
  options.overrides = overrides_for("model", overrides);
  options.override_prefix = "model.";
  options.override_scopes = {"dimensions"};
  return options;
}

/// Throws everything that was found, each mistake once: the body of a repeat is read many times.
void throw_if_any(const Diagnostics& found) {
  Diagnostics once;
  std::set<std::tuple<std::string, int, int, std::string>> seen;
  for (const Diagnostic& mistake : found.list())
    if (seen.emplace(mistake.where.file, mistake.where.line, mistake.where.column, mistake.what).second)
      once.error(mistake.where, mistake.what, mistake.hint);
  once.throw_if_any<ModelError>();
}

Model model_of(const YamlDocument& document, Diagnostics& diagnostics, const std::string& file) {
  throw_if_any(diagnostics);
  Mistakes mistakes(diagnostics);
  Draft draft = read_draft(document.root(), std::filesystem::path(file).stem().string(), mistakes);
  document.finish();
  if (!draft.complete) throw_if_any(diagnostics);
  const Wiring wiring = wire(draft, mistakes);
  if (!draft.sizes_known) throw_if_any(diagnostics);
  Model model;
  model.graph = build(draft, wiring, mistakes);
  throw_if_any(diagnostics);
  model.resolved_text = document.resolved_text();
  model.files = document.files();
  return model;
}

}  // namespace

Model read_model(const std::string& path, const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  const YamlDocument document = load_yaml(path, options_for(overrides), diagnostics);
  return model_of(document, diagnostics, path);
}

Model read_model_text(const std::string& text, const std::string& file,
                      const std::vector<std::string>& overrides) {
  Diagnostics diagnostics;
  const YamlDocument document = load_yaml_text(text, file, options_for(overrides), diagnostics);
  return model_of(document, diagnostics, file);
}

Graph load_model(const std::string& path, const std::vector<std::string>& overrides) {
  return std::move(read_model(path, overrides).graph);
}

}  // namespace dfsim
