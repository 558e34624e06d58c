// planner/app/commands/place_server.cpp: `dfsim place --config SERVER --model MODEL`.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>

#include "planner/app/card_times.h"
#include "planner/app/commands/place.h"
#include "planner/app/exit_codes.h"
#include "planner/app/inputs.h"
#include "planner/app/interrupt.h"
#include "planner/app/options.h"
#include "planner/app/output_folder.h"
#include "planner/app/placement_output.h"
#include "planner/app/server_trace.h"
#include "planner/placement/exact.h"
#include "planner/placement/workload.h"
#include "sim/host/server.h"

namespace dfsim {

namespace {

Network load(const PlaceOptions& options) {
  Diagnostics missing;
  const std::string path = locate(options.model, "models", "--model", missing);
  missing.throw_if_any<InputError>();
  return load_network(path, options.overrides, options.samples_file);
}

/// Both files are read before either's mistakes are thrown.
std::pair<ServerInputs, Network> load_both(const PlaceOptions& options) {
  std::vector<Diagnostic> mistakes;
  std::pair<ServerInputs, Network> both;
  const auto collect = [&](const auto& read) {
    try {
      read();
    } catch (const InputError& error) {
      mistakes.insert(mistakes.end(), error.diagnostics().begin(), error.diagnostics().end());
    }
  };
  collect([&] { both.first = load_server(options.config, options.overrides, options.cut_file); });
  collect([&] { both.second = load(options); });
  if (!mistakes.empty()) throw InputError(mistakes);
  return both;
}

std::vector<std::string> names_of(const ServerSpec& server) {
  std::vector<std::string> names;
  for (const ProcessorSpec& processor : server.processors) names.push_back(processor.name);
  return names;
}

CardPlanning card_planning(const PlaceOptions& options) {
  RunOptions run;
  run.workers = options.workers;
  run.cache = options.cache;
  return {options.card_rounds, options.card_candidates, options.seed, worker_count(run), cache_file(run)};
}

/// Measures everything alone, solves exactly, and runs the answer.
Result<Settled, Infeasible> solve_exactly(const HeterogeneousStructure& structure, SimulatedServer& server) {
  Settled settled;
  for (const MovingUnit& unit : moving_units(structure))
    if (unit.processors.empty()) return settle(structure, server, {1, 1}).reason();
  const ExecutionInfo info = measure_everything(structure, server, settled.cycles);
  const auto answer = exact_placement(structure, info.table());
  if (!answer) return answer.reason();
  for (std::uint32_t p = 0; p < structure.processors.size(); ++p) {  // for the gain
    const Assignment single(structure.subgraphs.size(), p);
    bool possible = memory_shortage(structure, single).empty();
    for (const PlacedSubgraph& one : structure.subgraphs) possible &= one.supported[p];
    if (possible) settled.cycles.push_back(server.run(single));
  }
  settled.cycles.push_back(server.run(answer->assignment));
  settled.best = settled.cycles.back();
  settled.best_cycle = static_cast<std::uint32_t>(settled.cycles.size());
  std::vector<double> factors;
  for (const PlacedSubgraph& one : structure.subgraphs) factors.push_back(one.mutation_factor);
  settled.factors.assign(settled.cycles.size(), factors);
  settled.stop = SettleStop::exact;
  return settled;
}

/// One run of the settled structure, for its trace: a sample at a time, or a stream.
void write_trace(const PlaceOptions& options, const std::string& folder, const PlacementResult& result,
                 const ServerTask& task, ServerRunner& runner) {
  if (options.trace == "none") return;
  ServerRun run{result.settled.best.assignment, {}, result.structure.objective == Objective::latency};
  for (std::uint32_t s = 0; s < result.network.samples.size(); ++s)
    for (std::uint32_t i = 0; i < std::min(result.network.samples[s].count, 8u); ++i)
      run.requests.push_back({s, 0});
  if (!run.one_at_a_time)
    while (run.requests.size() < 16) run.requests.push_back(run.requests[run.requests.size() / 2]);
  std::vector<std::string> names;
  for (const CutSubgraph& part : result.cut.subgraphs) names.push_back(part.name);
  write_server_trace(runner.server(), names, runner.run(task, run),
                     options.trace.empty() ? folder + "/trace.json.gz" : options.trace);
}

}  // namespace

int place_on_server(const PlaceOptions& options) {
  const auto [inputs, network] = load_both(options);
  const ServerSpec& server = inputs.server;
  const Graph& graph = network.model.graph;
  const Cut cut = cut_graph(graph, inputs.constraints, names_of(server),
                            [&](std::size_t p, OpId op) { return refusal(server.processors[p], graph, op); });
  catch_interrupts();
  HeterogeneousStructure structure =
      structure_of(graph, cut, server, options.stated_objective().value_or(Objective::latency));
  ServerTask task = task_of(cut, network.samples);
  CardTimes cards(cut, network.samples, server, inputs.chips, card_planning(options));
  cards.measure(task, &structure);
  set_first_factors(structure);  // support on cards is known now

  const auto runner = make_server_runner(server);
  SimulatedServer simulated(structure, task, network.samples, *runner);
  const auto settled = options.method == "exact"
                           ? solve_exactly(structure, simulated)
                           : settle(structure, simulated, {options.max_cycles, options.seed}, interrupted);
  if (!settled) throw CommandFailure(kNothingFits, settled.reason().to_string());

  const PlacementResult result{
      inputs,         network,     cut, structure, *settled, simulated.records(), cards.stored(task),
      options.method, options.seed};
  const std::string folder =
      options.out.empty() ? default_folder(inputs.path, network.model.files.front()) : options.out;
  write_placement(result, folder);
  write_trace(options, folder, result, task, *runner);
  std::fputs((options.json ? placement_json(result)
                           : placement_summary(result) + fmt::format("written to   {}\n", folder))
                 .c_str(),
             stdout);
  return settled->stop == SettleStop::interrupted ? kInterrupted : kOk;
}

}  // namespace dfsim
