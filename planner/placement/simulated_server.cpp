#include "planner/placement/simulated_server.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "planner/placement/workload.h"

namespace dfsim {

namespace {

double to_ns(std::uint64_t ps) { return static_cast<double>(ps) / 1000; }

}  // namespace

HeterogeneousStructure structure_of(const Graph& graph, const Cut& cut, const ServerSpec& server,
                                    Objective objective) {
  HeterogeneousStructure structure;
  structure.objective = objective;
  structure.together = cut.together;
  for (const ProcessorSpec& processor : server.processors) {
    structure.processors.push_back(processor.name);
    structure.memory_bytes.push_back(processor.memory_bytes);
  }
  for (const CutSubgraph& one : cut.subgraphs) {
    PlacedSubgraph placed;
    placed.name = one.name;
    placed.supported = one.allowed;
    placed.refused = one.refused;
    placed.input_bytes = tensor_bytes(graph, one.inputs);
    placed.output_bytes = tensor_bytes(graph, one.outputs);
    placed.memory_bytes = parameter_bytes(graph, one);
    for (std::size_t p = 0; p < server.processors.size(); ++p) {
      if (!placed.supported[p] || placed.memory_bytes <= structure.memory_bytes[p]) continue;
      placed.supported[p] = false;
      placed.refused[p] = fmt::format("its weights need {} bytes, the memory holds {}", placed.memory_bytes,
                                      structure.memory_bytes[p]);
    }
    structure.subgraphs.push_back(std::move(placed));
  }
  for (const CutEdge& edge : cut.edges)
    structure.edges.push_back({edge.from, edge.to, tensor_bytes(graph, edge.tensors)});
  set_first_factors(structure);
  return structure;
}

ServerTask task_of(const Cut& cut, const std::vector<SampleClass>& samples) {
  ServerTask task;
  for (const CutSubgraph& subgraph : cut.subgraphs) {
    task.subgraphs.emplace_back();
    for (const SampleClass& sample : samples)
      task.subgraphs.back().push_back(work_of(sample.graph, subgraph));
  }
  for (const CutEdge& edge : cut.edges) {
    TaskEdge line{static_cast<std::uint32_t>(edge.from), static_cast<std::uint32_t>(edge.to), {}};
    for (const SampleClass& sample : samples) line.bytes.push_back(tensor_bytes(sample.graph, edge.tensors));
    task.edges.push_back(std::move(line));
  }
  return task;
}

SimulatedServer::SimulatedServer(const HeterogeneousStructure& structure, const ServerTask& task,
                                 const std::vector<SampleClass>& samples, ServerRunner& runner)
    : structure_(structure), task_(task), samples_(samples), runner_(runner) {}

ExecutionCycle SimulatedServer::run_alone(const Assignment& assignment) {
  ServerRun run{assignment, {}, true};
  std::vector<double> weights;  // by request
  for (std::uint32_t s = 0; s < samples_.size(); ++s) {
    run.requests.push_back({s, 0});
    weights.push_back(samples_[s].count);
  }
  const ServerMeasurement measurement = runner_.run(task_, run);
  ++cycles_;
  record(run, measurement);
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  ExecutionCycle cycle;
  cycle.assignment = assignment;
  const std::size_t n = structure_.subgraphs.size();
  cycle.duration.assign(n, 0.0);
  cycle.input_delay = cycle.output_delay = cycle.duration;
  cycle.delay.assign(structure_.edges.size(), 0.0);
  for (const JobRecord& job : measurement.jobs)
    cycle.duration[job.subgraph] += weights[job.request] / all * to_ns(job.end_ps - job.start_ps);
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> edge_of;
  for (std::size_t e = 0; e < structure_.edges.size(); ++e)
    edge_of[{structure_.edges[e].from, structure_.edges[e].to}] = e;
  for (const CopyRecord& copy : measurement.copies) {
    const double time = weights[copy.request] / all * to_ns(copy.end_ps - copy.start_ps);
    if (!copy.from_subgraph)
      cycle.input_delay[*copy.to_subgraph] += time;
    else if (!copy.to_subgraph)
      cycle.output_delay[*copy.from_subgraph] += time;
    else
      cycle.delay[edge_of.at({*copy.from_subgraph, *copy.to_subgraph})] += time;
  }
  for (const auto* part : {&cycle.duration, &cycle.input_delay, &cycle.output_delay, &cycle.delay})
    cycle.sum = std::accumulate(part->begin(), part->end(), cycle.sum);
  cycle.value = cycle.sum;
  return cycle;
}

double SimulatedServer::interval(const Assignment& assignment) const {
  std::vector<ServerRequest> list;
  for (std::uint32_t s = 0; s < samples_.size(); ++s)
    for (std::uint32_t i = 0; i < samples_[s].count; ++i) list.push_back({s, 0});
  // An even number of whole lists, so that both halves hold the same samples.
  const std::size_t repeats =
      2 * std::max<std::size_t>(1, (kStream + 2 * list.size() - 1) / (2 * list.size()));
  ServerRun run{assignment, {}, false};
  for (std::size_t r = 0; r < repeats; ++r) run.requests.insert(run.requests.end(), list.begin(), list.end());
  std::vector<std::uint64_t> done = runner_.run(task_, run).done_ps;
  std::sort(done.begin(), done.end());
  const std::size_t half = done.size() / 2;
  return to_ns(done.back() - done[half - 1]) / static_cast<double>(done.size() - half);
}

ExecutionCycle SimulatedServer::run(const Assignment& assignment) {
  ExecutionCycle cycle = run_alone(assignment);
  if (structure_.objective == Objective::interval) cycle.value = interval(assignment);
  return cycle;
}

void SimulatedServer::record(const ServerRun& run, const ServerMeasurement& measurement) {
  const std::size_t n = structure_.subgraphs.size();
  std::vector<SampleRecord> rows(run.requests.size() * n);
  for (const JobRecord& job : measurement.jobs) {
    SampleRecord& row = rows[job.request * n + job.subgraph];
    row = {cycles_,           run.requests[job.request].sample_class, job.subgraph,
           job.processor,     to_ns(job.end_ps - job.start_ps),       row.delay_ns,
           row.input_delay_ns};
  }
  for (const CopyRecord& copy : measurement.copies) {
    const double time = to_ns(copy.end_ps - copy.start_ps);
    if (copy.from_subgraph)
      rows[copy.request * n + *copy.from_subgraph].delay_ns += time;
    else
      rows[copy.request * n + *copy.to_subgraph].input_delay_ns += time;
  }
  records_.insert(records_.end(), rows.begin(), rows.end());
}

}  // namespace dfsim
