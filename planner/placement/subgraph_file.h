// planner/placement/subgraph_file.h: a part of a graph as a model file of its own.
#pragma once

#include <string>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/placement/cut.h"
#include "planner/placement/structure.h"
#include "sim/base/yaml.h"

namespace dfsim {

/// The operators of `subgraph` as a model (docs/models.md): its inputs are the tensors that come from
/// outside, its outputs those that leave. Names are those of the whole graph, so the union of all files is
/// the graph. Control edges from outside are left out. `note` (may be null) stands under the key `subgraph`,
/// which models may hold and nobody reads.
std::string subgraph_model(const Graph& graph, const CutSubgraph& subgraph, const std::string& name,
                           const YamlNode& note = {});

/// What the file of sub-graph `index` says about it: architectures it is for, processors, mutation factor,
/// where its tensors come from and go to.
YamlNode subgraph_note(const Graph& graph, const Cut& cut, std::size_t index,
                       const HeterogeneousStructure& structure,
                       const std::vector<std::string>& architectures);

// Small pieces of YAML.
YamlNode yaml_text(const std::string& text);
YamlNode yaml_number(double number);
YamlNode yaml_list(std::vector<YamlNode> items);
YamlNode yaml_mapping(std::vector<std::pair<std::string, YamlNode>> entries);

}  // namespace dfsim
