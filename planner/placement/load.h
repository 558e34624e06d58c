// planner/placement/load.h: the network and the training samples that settle its placement.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "planner/frontend/frontend.h"
#include "planner/graph/graph.h"

namespace dfsim {

/// Samples of the same shapes.
struct SampleClass {
  std::string name;                     ///< "sequence_length=64", or "default"
  std::vector<std::string> dimensions;  ///< "sequence_length=64" each
  std::uint32_t count = 1;
  Graph graph;  ///< same operators in the same order as the network's
};

struct Network {
  Model model;                       ///< as the file states it, or with --set
  std::vector<SampleClass> samples;  ///< at least one
};

/// Reads the model and, unless `samples_file` is empty, the samples:
///   samples:
///     - {dimensions: {sequence_length: 64}, count: 4}
/// Without a file there is one sample of the model's own dimensions. Throws ModelError with every mistake: in
/// the model, unknown dimensions, values that the model refuses.
Network load_network(const std::string& model_path, const std::vector<std::string>& overrides,
                     const std::string& samples_file);

/// Reads a samples file for a model that is known to be sound.
std::vector<SampleClass> read_samples(const std::string& samples_file, const std::string& model_path,
                                      const std::vector<std::string>& overrides, const Graph& network);

/// Equal for graphs with the same operators, kinds and connections, whatever their shapes.
std::string graph_identity(const Graph& graph);

}  // namespace dfsim
