#include "planner/placement/placement_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/placement/subgraph_file.h"
#include "sim/base/yaml.h"

namespace dfsim {

namespace {

constexpr std::int64_t kMostPs = 1'000'000'000'000'000'000;

YamlNode integer_node(std::uint64_t number) { return yaml_text(std::to_string(number)); }

YamlNode file_node(const HashedFile& file) {
  return yaml_mapping({{"file", yaml_text(file.name)}, {"hash", yaml_text(file.hash)}});
}

HashedFile read_file_entry(const YamlValue& value) {
  return {value.require("file").string(), value.require("hash").string()};
}

PlacementFile::Subgraph read_subgraph(const YamlValue& item) {
  PlacementFile::Subgraph one;
  one.name = item.require("name").string();
  one.file = read_file_entry(item);
  one.processor = item.require("processor").string();
  one.operators = static_cast<std::uint32_t>(item.require("operators").integer(1, 1'000'000, 1));
  one.mutation_factor = item["mutation_factor"].number(0, 1);
  return one;
}

StoredCardTime read_card_time(const YamlValue& item) {
  StoredCardTime stored;
  for (const YamlValue& dimension : item["dimensions"].items())
    stored.dimensions.push_back(dimension.string());
  stored.subgraph = item.require("subgraph").string();
  stored.processor = item.require("processor").string();
  stored.time.latency_ps = static_cast<std::uint64_t>(item.require("latency_ps").integer(0, kMostPs));
  stored.time.interval_ps = static_cast<std::uint64_t>(item.require("interval_ps").integer(0, kMostPs));
  return stored;
}

}  // namespace

std::string placement_yaml(const PlacementFile& placement) {
  std::vector<YamlNode> subgraphs, times;
  for (const PlacementFile::Subgraph& one : placement.subgraphs)
    subgraphs.push_back(yaml_mapping({{"name", yaml_text(one.name)},
                                      {"processor", yaml_text(one.processor)},
                                      {"operators", integer_node(one.operators)},
                                      {"mutation_factor", yaml_number(one.mutation_factor)},
                                      {"file", yaml_text(one.file.name)},
                                      {"hash", yaml_text(one.file.hash)}}));
  for (const StoredCardTime& stored : placement.card_times) {
    std::vector<YamlNode> dimensions;
    for (const std::string& dimension : stored.dimensions) dimensions.push_back(yaml_text(dimension));
    times.push_back(yaml_mapping({{"dimensions", yaml_list(std::move(dimensions))},
                                  {"subgraph", yaml_text(stored.subgraph)},
                                  {"processor", yaml_text(stored.processor)},
                                  {"latency_ps", integer_node(stored.time.latency_ps)},
                                  {"interval_ps", integer_node(stored.time.interval_ps)}}));
  }
  return emit_yaml(yaml_mapping(
      {{"version", yaml_text("1")},
       {"server", file_node(placement.server)},
       {"model", file_node(placement.model)},
       {"graph_identity", yaml_text(placement.graph_identity)},
       {"objective", yaml_text(placement.objective == Objective::latency ? "latency" : "interval")},
       {"method", yaml_text(placement.method)},
       {"seed", integer_node(placement.seed)},
       {"value_ns", yaml_number(placement.value_ns)},
       {"sum_ns", yaml_number(placement.sum_ns)},
       {"subgraphs", yaml_list(std::move(subgraphs))},
       {"card_times", yaml_list(std::move(times))}}));
}

PlacementFile read_placement(const std::string& path) {
  Diagnostics diagnostics;
  const YamlDocument document = load_yaml(path, {}, diagnostics);
  diagnostics.throw_if_any<ModelError>();
  const YamlValue root = document.root().quiet();
  PlacementFile placement;
  root.require("version").integer(1, 1, 1);
  placement.server = read_file_entry(root.require("server"));
  placement.model = read_file_entry(root.require("model"));
  placement.graph_identity = root.require("graph_identity").string();
  placement.objective =
      root.require("objective")
          .choice<Objective>({{"latency", Objective::latency}, {"interval", Objective::interval}},
                             Objective::latency);
  placement.method = root["method"].string("mutation");
  placement.seed = static_cast<std::uint64_t>(root["seed"].integer(0, kMostPs, 1));
  placement.value_ns = root["value_ns"].number(0, 1e18);
  placement.sum_ns = root["sum_ns"].number(0, 1e18);
  for (const YamlValue& item : root.require("subgraphs").items())
    placement.subgraphs.push_back(read_subgraph(item));
  for (const YamlValue& item : root["card_times"].items())
    placement.card_times.push_back(read_card_time(item));
  document.finish();
  diagnostics.throw_if_any<ModelError>();
  return placement;
}

Cut cut_of(const PlacementFile& placement, const Graph& graph, const ServerSpec& server,
           const std::string& path) {
  std::size_t count = 0;
  std::vector<std::size_t> ends;
  for (const PlacementFile::Subgraph& one : placement.subgraphs) ends.push_back(count += one.operators);
  if (count != graph.operators().size())
    throw ModelError({{{path, 1, 1},
                       fmt::format("the sub-graphs hold {} operators, '{}' has {}", count, graph.name,
                                   graph.operators().size()),
                       "run dfsim place for this model"}});
  Cut cut = assemble_cut(graph, ends);
  for (std::size_t i = 0; i < cut.subgraphs.size(); ++i) {
    cut.subgraphs[i].name = placement.subgraphs[i].name;
    cut.subgraphs[i].allowed.assign(server.processors.size(), true);
    cut.subgraphs[i].refused.assign(server.processors.size(), "");
  }
  return cut;
}

Assignment assignment_of(const PlacementFile& placement, const ServerSpec& server, const std::string& path) {
  Assignment assignment;
  Diagnostics diagnostics;
  std::vector<std::string> known;
  for (const ProcessorSpec& processor : server.processors) known.push_back(processor.name);
  for (const PlacementFile::Subgraph& one : placement.subgraphs) {
    const auto it = std::find(known.begin(), known.end(), one.processor);
    if (it == known.end())
      diagnostics.error(
          {path, 1, 1},
          fmt::format("'{}' is on '{}', which the server does not have", one.name, one.processor),
          nearest_name(one.processor, known));
    assignment.push_back(static_cast<std::uint32_t>(it - known.begin()));
  }
  diagnostics.throw_if_any<ModelError>();
  return assignment;
}

}  // namespace dfsim
