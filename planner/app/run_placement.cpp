#include "planner/app/run_placement.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "planner/app/card_times.h"
#include "planner/app/exit_codes.h"
#include "planner/app/inputs.h"
#include "planner/app/interrupt.h"
#include "planner/app/number_range.h"
#include "planner/app/server_inputs.h"
#include "planner/app/server_trace.h"
#include "planner/placement/placement_file.h"
#include "planner/placement/simulated_server.h"
#include "sim/base/files.h"
#include "sim/base/hash.h"
#include "sim/base/yaml.h"
#include "sim/host/server.h"

namespace dfsim {

namespace {

/// Where a file that the placement names is; its content must have the hash that the placement states.
std::string checked(const std::string& placement, const HashedFile& file, Diagnostics& diagnostics) {
  const std::string path = (std::filesystem::path(placement).parent_path() / file.name).string();
  try {
    if (content_hash(read_file(path)) != file.hash)
      diagnostics.error({path, 1, 1}, "this file was changed after the placement was made",
                        "run dfsim place again, or use --set");
  } catch (const FileError& error) {
    diagnostics.error({placement, 1, 1}, error.what());
  }
  return path;
}

struct Loaded {
  PlacementFile file;
  ServerInputs inputs;
  Graph graph;  ///< of the task
  std::vector<SampleClass> samples;
};

Loaded load(const PlacementRun& run, const RunOptions& options) {
  Loaded loaded;
  loaded.file = read_placement(run.placement);
  Diagnostics diagnostics;
  const std::string server = checked(run.placement, loaded.file.server, diagnostics);
  std::string model = checked(run.placement, loaded.file.model, diagnostics);
  for (const PlacementFile::Subgraph& one : loaded.file.subgraphs)
    checked(run.placement, one.file, diagnostics);
  if (!run.model.empty()) model = locate(run.model, "models", "--model", diagnostics);
  diagnostics.throw_if_any<ModelError>();
  loaded.inputs = load_server(server, options.overrides, "");
  loaded.graph = load_model(model, options.overrides);
  if (graph_identity(loaded.graph) != loaded.file.graph_identity)
    throw ModelError(
        {{{model, 1, 1},
          fmt::format("the graph of '{}' is not the one that {} places", loaded.graph.name, run.placement),
          "other sizes of the same operators are accepted; run dfsim place for other graphs"}});
  loaded.samples = read_samples(run.samples_file, model, options.overrides, loaded.graph);
  return loaded;
}

/// The dimensions of the model's own sample, so that a stored time is not taken for another size.
void name_own_sizes(const RunOptions& options, const PlacementRun& run, std::vector<SampleClass>& samples) {
  for (SampleClass& sample : samples)
    if (sample.dimensions.empty()) {
      sample.dimensions = overrides_for("model", options.overrides);
      if (!run.model.empty()) sample.dimensions.push_back("model " + run.model);
    }
}

std::string requests_csv(const std::vector<ServerRequest>& requests, const std::vector<SampleClass>& samples,
                         const ServerMeasurement& measurement) {
  std::string text = "request,sample,arrival_ps,done_ps,latency_ps\n";
  for (std::size_t i = 0; i < requests.size(); ++i)
    text += fmt::format("{},{},{},{},{}\n", i, samples[requests[i].sample_class].name, requests[i].arrival_ps,
                        measurement.done_ps[i], measurement.done_ps[i] - requests[i].arrival_ps);
  return text;
}

std::string json_text(const Loaded& loaded, const TargetTask& task, const TaskSummary& summary) {
  nlohmann::ordered_json utilisation;
  for (std::size_t p = 0; p < summary.utilisation.size(); ++p)
    utilisation[loaded.inputs.server.processors[p].name] = summary.utilisation[p];
  return nlohmann::ordered_json{{"version", 1},
                                {"requests", task.requests},
                                {"rate_per_second", task.rate_per_second},
                                {"latency_ms",
                                 {{"mean", summary.mean_ms},
                                  {"p50", summary.p50_ms},
                                  {"p90", summary.p90_ms},
                                  {"p99", summary.p99_ms},
                                  {"max", summary.most_ms}}},
                                {"throughput_per_second", summary.throughput_per_second},
                                {"utilisation", utilisation}}
             .dump(1) +
         "\n";
}

std::string summary_text(const Loaded& loaded, const PlacementRun& run, const TaskSummary& summary) {
  std::string text = fmt::format(
      "placement    {}\nrequests     {}, {}\nlatency      mean {:.4f} ms, p50 {:.4f}, p90 {:.4f}, p99 "
      "{:.4f}, "
      "most {:.4f}\nthroughput   {:.2f} requests per second\n",
      run.placement, run.task.requests,
      run.task.rate_per_second > 0 ? fmt::format("{} a second, {}", run.task.rate_per_second, run.arrivals)
                                   : std::string("all at once"),
      summary.mean_ms, summary.p50_ms, summary.p90_ms, summary.p99_ms, summary.most_ms,
      summary.throughput_per_second);
  for (std::size_t p = 0; p < summary.utilisation.size(); ++p)
    text += fmt::format("{}{} {:.1f} %", p == 0 ? "utilisation  " : ", ",
                        loaded.inputs.server.processors[p].name, 100 * summary.utilisation[p]);
  return text + "\n";
}

}  // namespace

void add_placement_options(CLI::App& command, PlacementRun& run) {
  command.add_option("--placement", run.placement, "placement.yaml of dfsim place");
  command.add_option("--model", run.model, "model of the requests (default: the placement's)");
  command.add_option("--samples-file", run.samples_file, "sizes of the requests: dimensions and counts");
  command.add_option("--requests", run.task.requests, "requests sent through the placement")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  command.add_option("--rate", run.task.rate_per_second, "requests per second; 0: all at once")
      ->check(finite_range(0.0, 1e12))
      ->capture_default_str();
  command.add_option("--arrivals", run.arrivals, "poisson or fixed")
      ->check(CLI::IsMember({"poisson", "fixed"}))
      ->capture_default_str();
  command.add_option("--arrival-seed", run.task.seed, "of the arrivals")->capture_default_str();
}

int run_placement(const PlacementRun& given, const RunOptions& options) {
  PlacementRun run = given;
  run.task.arrivals = run.arrivals == "fixed" ? Arrivals::fixed : Arrivals::poisson;
  Loaded loaded = load(run, options);
  const ServerSpec& server = loaded.inputs.server;
  const Cut cut = cut_of(loaded.file, loaded.graph, server, run.placement);
  const Assignment assignment = assignment_of(loaded.file, server, run.placement);
  name_own_sizes(options, run, loaded.samples);
  catch_interrupts();
  ServerTask task = task_of(cut, loaded.samples);
  CardPlanning planning;
  planning.seed = loaded.file.seed;
  planning.workers = worker_count(options);
  planning.cache_file = cache_file(options);
  CardTimes cards(cut, loaded.samples, server, loaded.inputs.chips, planning);
  // Another chip has other times; a server's links and processors do not matter to them.
  if (overrides_except({"model", "server"}, options.overrides).empty()) cards.know(loaded.file.card_times);
  cards.restrict_to(assignment);
  cards.measure(task, nullptr);

  const std::vector<ServerRequest> requests = requests_of(run.task, loaded.samples);
  const auto runner = make_server_runner(server);
  const ServerMeasurement measurement = runner->run(task, {assignment, requests, false});
  const TaskSummary summary = summary_of(requests, measurement);
  if (!options.out.empty()) {
    write_file_atomically(options.out + "/requests.csv", requests_csv(requests, loaded.samples, measurement));
    std::vector<std::string> names;
    for (const CutSubgraph& part : cut.subgraphs) names.push_back(part.name);
    write_server_trace(server, names, measurement, options.out + "/trace.json.gz");
  }
  std::fputs(
      (options.json ? json_text(loaded, run.task, summary) : summary_text(loaded, run, summary)).c_str(),
      stdout);
  return kOk;
}

}  // namespace dfsim
