// planner/app/commands/place_table.cpp: `dfsim place --time-table`.
#include <fmt/format.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "planner/app/commands/place.h"
#include "planner/app/exit_codes.h"
#include "planner/app/interrupt.h"
#include "planner/placement/exact.h"
#include "planner/placement/time_table.h"
#include "sim/base/files.h"

namespace dfsim {

namespace {

/// The exact answer, run once on the table.
Result<Settled, Infeasible> solve_exactly(const TimeTable& table, ExecutionServer& server) {
  const auto answer = exact_placement(table.structure, table.costs);
  if (!answer) return answer.reason();
  Settled settled;
  settled.best = server.run(answer->assignment);
  settled.best_cycle = 1;
  settled.cycles = {settled.best};
  settled.stop = SettleStop::exact;
  return settled;
}

void print_json(const TimeTable& table, const PlaceOptions& options, const Settled& settled) {
  nlohmann::ordered_json assignment = nlohmann::ordered_json::object();
  for (std::size_t i = 0; i < table.structure.subgraphs.size(); ++i)
    assignment[table.structure.subgraphs[i].name] = table.structure.processors[settled.best.assignment[i]];
  const nlohmann::ordered_json json = {
      {"version", 1},
      {"objective", table.structure.objective == Objective::latency ? "latency" : "interval"},
      {"method", options.method},
      {"value", settled.best.value},
      {"assignment", assignment},
      {"cycles", settled.cycles.size()},
      {"best_cycle", settled.best_cycle},
      {"stopped", to_string(settled.stop)}};
  fmt::print("{}\n", json.dump(1));
}

}  // namespace

int place_from_table(const PlaceOptions& options) {
  const TimeTable table = read_time_table(options.time_table, options.stated_objective());
  TableServer server(table);
  catch_interrupts();
  const auto settled = options.method == "exact"
                           ? solve_exactly(table, server)
                           : settle(table.structure, server, {options.max_cycles, options.seed}, interrupted);
  if (!settled) throw CommandFailure(kNothingFits, settled.reason().to_string());
  if (options.json)
    print_json(table, options, *settled);
  else
    fmt::print("value        {} ({})\nassignment   {}\ncycles       {} ({}; the best is number {})\n",
               settled->best.value,
               table.structure.objective == Objective::latency ? "latency" : "interval: busiest processor",
               to_string(table.structure, settled->best.assignment), settled->cycles.size(),
               to_string(settled->stop), settled->best_cycle);
  return settled->stop == SettleStop::interrupted ? kInterrupted : kOk;
}

}  // namespace dfsim
