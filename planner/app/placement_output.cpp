#include "planner/app/placement_output.h"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "planner/app/output_folder.h"
#include "planner/placement/placement_html.h"
#include "planner/placement/placement_table.h"
#include "planner/placement/subgraph_file.h"
#include "sim/base/hash.h"

namespace dfsim {

namespace {

constexpr const char* kFolder = "subgraphs";

double to_us(double ns) { return ns / 1000; }

std::string file_of(const std::string& subgraph) { return fmt::format("{}/{}.yaml", kFolder, subgraph); }

std::vector<std::string> architectures(const ServerSpec& server) {
  std::vector<std::string> result;
  for (const ProcessorSpec& processor : server.processors) result.push_back(processor.architecture);
  return result;
}

PlacementFile placement_of(const PlacementResult& result, const std::vector<std::string>& subgraph_texts) {
  PlacementFile file;
  file.server = {"config.resolved.yaml", content_hash(result.inputs.config.resolved_text)};
  file.model = {"model.resolved.yaml", content_hash(result.network.model.resolved_text)};
  file.graph_identity = graph_identity(result.network.model.graph);
  file.objective = result.structure.objective;
  file.method = result.method;
  file.seed = result.seed;
  file.value_ns = result.settled.best.value;
  file.sum_ns = result.settled.best.sum;
  for (std::size_t i = 0; i < result.cut.subgraphs.size(); ++i) {
    const CutSubgraph& part = result.cut.subgraphs[i];
    file.subgraphs.push_back({part.name,
                              {file_of(part.name), content_hash(subgraph_texts[i])},
                              result.structure.processors[result.settled.best.assignment[i]],
                              static_cast<std::uint32_t>(part.operators.size()),
                              result.settled.factors.back()[i]});
  }
  file.card_times = result.card_times;
  return file;
}

/// Files that an earlier placement with more sub-graphs left.
void remove_stale(const std::string& folder, const Cut& cut) {
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/" + kFolder, ignored)) {
    bool ours = false;
    for (const CutSubgraph& part : cut.subgraphs) ours |= entry.path().filename() == part.name + ".yaml";
    if (!ours && entry.path().extension() == ".yaml") std::filesystem::remove(entry.path(), ignored);
  }
}

}  // namespace

std::string placement_summary(const PlacementResult& result) {
  const Settled& settled = result.settled;
  const HeterogeneousStructure& structure = result.structure;
  std::string text =
      fmt::format("server       {}\nmodel        {}\nsub-graphs   {}, {} sample class{}\n",
                  result.inputs.path, result.network.model.files.front(), structure.subgraphs.size(),
                  result.network.samples.size(), result.network.samples.size() == 1 ? "" : "es");
  text += fmt::format("cycles       {} ({}; the best is number {})\n", settled.cycles.size(),
                      to_string(settled.stop), settled.best_cycle);
  text +=
      structure.objective == Objective::latency
          ? fmt::format("latency      {:.3f} us for one sample\n", to_us(settled.best.value))
          : fmt::format("interval     {:.3f} us from sample to sample; {:.3f} us of work and copies in one\n",
                        to_us(settled.best.value), to_us(settled.best.sum));
  if (const ExecutionCycle* single = best_single_processor(settled.cycles))
    text += fmt::format("gain         {:.2f} % less than everything on {} ({:.3f} us)\n",
                        100 * (1 - settled.best.value / single->value),
                        structure.processors[single->assignment.front()], to_us(single->value));
  else
    text += "gain         no processor runs every sub-graph\n";
  text += fmt::format("placement    {}\n", to_string(structure, settled.best.assignment));
  return text + "\n" + visits_text(structure, settled);
}

std::string placement_json(const PlacementResult& result) {
  const Settled& settled = result.settled;
  nlohmann::ordered_json assignment = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < result.structure.subgraphs.size(); ++i)
    assignment[result.structure.subgraphs[i].name] = result.structure.processors[settled.best.assignment[i]];
  nlohmann::ordered_json json = {
      {"version", 1},
      {"objective", result.structure.objective == Objective::latency ? "latency" : "interval"},
      {"method", result.method},
      {"value", settled.best.value},
      {"unit", "ns"},
      {"sum_ns", settled.best.sum},
      {"assignment", assignment},
      {"cycles", settled.cycles.size()},
      {"best_cycle", settled.best_cycle},
      {"stopped", to_string(settled.stop)},
      {"best_single_processor", nullptr},
      {"gain", nullptr}};
  if (const ExecutionCycle* single = best_single_processor(settled.cycles)) {
    json["best_single_processor"] = {{"processor", result.structure.processors[single->assignment.front()]},
                                     {"value", single->value}};
    json["gain"] = 1 - settled.best.value / single->value;
  }
  return json.dump(1) + "\n";
}

void write_placement(const PlacementResult& result, const std::string& folder) {
  OutputFolder output(folder);
  std::vector<std::string> texts;
  const std::vector<std::string> identities = architectures(result.inputs.server);
  for (std::size_t i = 0; i < result.cut.subgraphs.size(); ++i) {
    const CutSubgraph& part = result.cut.subgraphs[i];
    const Graph& graph = result.network.model.graph;
    texts.push_back(subgraph_model(graph, part, graph.name + "_" + part.name,
                                   subgraph_note(graph, result.cut, i, result.structure, identities)));
    output.add(file_of(part.name), texts.back());
  }
  output.add("placement.yaml", placement_yaml(placement_of(result, texts)));
  output.add("config.resolved.yaml", result.inputs.config.resolved_text);
  output.add("model.resolved.yaml", result.network.model.resolved_text);
  output.add("subgraphs.csv", visits_csv(result.structure, result.settled));
  output.add("execution_cycles.csv", cycles_csv(result.structure, result.settled));
  output.add("execution_samples.csv", samples_csv(result.structure, result.network.samples, result.records));
  output.add("report.html",
             placement_html(result.structure, result.settled,
                            result.network.model.graph.name + " on " + result.inputs.server.name,
                            placement_summary(result)));
  output.keep("trace.json.gz");
  output.write();
  remove_stale(folder, result.cut);
}

}  // namespace dfsim
