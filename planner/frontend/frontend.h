// planner/frontend/frontend.h: from a model file to a checked Graph. The format is in docs/models.md.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/graph.h"

namespace dfsim {

struct Model {
  Graph graph;
  std::string resolved_text;       ///< of model.resolved.yaml: overrides applied; gives the same graph again
  std::vector<std::string> files;  ///< read, the model file first
};

/// Reads the model at `path`. Of `overrides` (`key.path=value`, as after --set) those that start with
/// "model." count: `model.sequence_length=384` sets a dimension, `model.operators[3].bias=false` any key.
/// Operators are numbered topologically, with the longest way to an end first, then what became ready last,
/// then in the order of the file. Throws ModelError with every mistake found.
Model read_model(const std::string& path, const std::vector<std::string>& overrides = {});

/// The same for a text; `file` is its name in messages.
Model read_model_text(const std::string& text, const std::string& file,
                      const std::vector<std::string>& overrides = {});

/// The graph alone.
Graph load_model(const std::string& path, const std::vector<std::string>& overrides = {});

}  // namespace dfsim
