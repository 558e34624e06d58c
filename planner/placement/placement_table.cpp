#include "planner/placement/placement_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>

#include "sim/base/csv.h"

namespace dfsim {

namespace {

/// Inference delay of a sub-graph: all copies of its outputs.
double delay_of(const HeterogeneousStructure& structure, const ExecutionCycle& cycle, std::size_t subgraph) {
  double delay = cycle.output_delay[subgraph];
  for (std::size_t e = 0; e < structure.edges.size(); ++e)
    if (structure.edges[e].from == subgraph) delay += cycle.delay[e];
  return delay;
}

/// Other processors of the unit that holds `subgraph`, and the value in all if it moved there alone.
struct Move {
  std::uint32_t processor = 0;
  double more = 0;
};
std::optional<Move> best_move(const HeterogeneousStructure& structure, const ExecutionInfo& info,
                              const Assignment& settled, std::size_t subgraph) {
  std::optional<Move> best;
  const double here = info.estimate(settled).value;
  for (const MovingUnit& unit : moving_units(structure)) {
    if (std::find(unit.members.begin(), unit.members.end(), subgraph) == unit.members.end()) continue;
    for (const std::uint32_t p : unit.processors) {
      if (p == settled[subgraph]) continue;
      Assignment moved = settled;
      for (const std::size_t i : unit.members) moved[i] = p;
      if (!memory_shortage(structure, moved).empty()) continue;
      const double more = info.estimate(moved).value - here;
      if (!best || more < best->more) best = Move{p, more};
    }
  }
  return best;
}

}  // namespace

std::vector<std::vector<VisitRow>> visit_table(const HeterogeneousStructure& structure,
                                               const std::vector<ExecutionCycle>& cycles) {
  std::vector<std::vector<VisitRow>> table(structure.subgraphs.size(),
                                           std::vector<VisitRow>(structure.processors.size()));
  for (const ExecutionCycle& cycle : cycles)
    for (std::size_t i = 0; i < table.size(); ++i) {
      VisitRow& row = table[i][cycle.assignment[i]];
      ++row.visits;
      row.mean_duration += cycle.duration[i];
      row.mean_delay += delay_of(structure, cycle, i);
    }
  for (auto& rows : table) {
    VisitRow* fastest = nullptr;
    for (VisitRow& row : rows) {
      if (row.visits == 0) continue;
      row.mean_duration /= row.visits;
      row.mean_delay /= row.visits;
      if (!fastest || row.mean_duration < fastest->mean_duration) fastest = &row;
    }
    if (fastest) fastest->fastest = true;
  }
  return table;
}

std::vector<std::string> settled_reasons(const HeterogeneousStructure& structure,
                                         const std::vector<ExecutionCycle>& cycles,
                                         const Assignment& settled) {
  ExecutionInfo info(structure);
  for (const ExecutionCycle& cycle : cycles) info.record(cycle);
  const auto table = visit_table(structure, cycles);
  std::vector<std::string> reasons;
  for (std::size_t i = 0; i < settled.size(); ++i) {
    const auto move = best_move(structure, info, settled, i);
    if (!move) {
      reasons.push_back("the only processor that it may have");
      continue;
    }
    std::string text = "fastest alone";
    for (std::size_t p = 0; p < table[i].size(); ++p)
      if (table[i][p].fastest && p != settled[i])
        text = fmt::format("{} is {:.1f} us faster alone", structure.processors[p],
                           (table[i][settled[i]].mean_duration - table[i][p].mean_duration) / 1000);
    reasons.push_back(fmt::format("{}; on {} all together takes {:.1f} us more", text,
                                  structure.processors[move->processor], move->more / 1000));
  }
  return reasons;
}

const ExecutionCycle* best_single_processor(const std::vector<ExecutionCycle>& cycles) {
  const ExecutionCycle* best = nullptr;
  for (const ExecutionCycle& cycle : cycles) {
    const bool single = std::all_of(cycle.assignment.begin(), cycle.assignment.end(),
                                    [&](std::uint32_t p) { return p == cycle.assignment.front(); });
    if (single && (!best || is_better(cycle, *best))) best = &cycle;
  }
  return best;
}

std::string visits_csv(const HeterogeneousStructure& structure, const Settled& settled) {
  const auto table = visit_table(structure, settled.cycles);
  const auto reasons = settled_reasons(structure, settled.cycles, settled.best.assignment);
  std::string text = "subgraph,processor,visits,mean_duration_ns,mean_delay_ns,fastest_alone,settled,why\n";
  for (std::size_t i = 0; i < table.size(); ++i)
    for (std::size_t p = 0; p < table[i].size(); ++p) {
      const VisitRow& row = table[i][p];
      const bool here = settled.best.assignment[i] == p;
      const std::string why = here ? reasons[i] : structure.subgraphs[i].refused[p];
      text += fmt::format(
          "{},{},{},{},{},{:d},{:d},{}\n", structure.subgraphs[i].name, structure.processors[p], row.visits,
          row.visits ? fmt::format("{:.3f}", row.mean_duration) : "",
          row.visits ? fmt::format("{:.3f}", row.mean_delay) : "", row.fastest, here, csv_field(why));
    }
  return text;
}

std::string cycles_csv(const HeterogeneousStructure& structure, const Settled& settled) {
  std::string text = "cycle,value_ns,sum_ns,best";
  for (const PlacedSubgraph& one : structure.subgraphs)
    text += fmt::format(",{0}_processor,{0}_duration_ns,{0}_delay_ns,{0}_factor", one.name);
  text += "\n";
  for (std::size_t c = 0; c < settled.cycles.size(); ++c) {
    const ExecutionCycle& cycle = settled.cycles[c];
    text += fmt::format("{},{:.3f},{:.3f},{:d}", c + 1, cycle.value, cycle.sum, c + 1 == settled.best_cycle);
    for (std::size_t i = 0; i < structure.subgraphs.size(); ++i)
      text += fmt::format(",{},{:.3f},{:.3f},{:.4f}", structure.processors[cycle.assignment[i]],
                          cycle.duration[i], delay_of(structure, cycle, i), settled.factors[c][i]);
    text += "\n";
  }
  return text;
}

std::string samples_csv(const HeterogeneousStructure& structure, const std::vector<SampleClass>& samples,
                        const std::vector<SampleRecord>& records) {
  std::string text =
      "cycle,sample,count,subgraph,processor,inference_duration_ns,inference_delay_ns,input_delay_ns\n";
  for (const SampleRecord& record : records)
    text += fmt::format("{},{},{},{},{},{:.3f},{:.3f},{:.3f}\n", record.cycle,
                        csv_field(samples[record.sample_class].name), samples[record.sample_class].count,
                        structure.subgraphs[record.subgraph].name, structure.processors[record.processor],
                        record.duration_ns, record.delay_ns, record.input_delay_ns);
  return text;
}

std::string visits_text(const HeterogeneousStructure& structure, const Settled& settled) {
  const auto table = visit_table(structure, settled.cycles);
  const auto reasons = settled_reasons(structure, settled.cycles, settled.best.assignment);
  std::string text = fmt::format("{:<6}", "");
  for (const std::string& processor : structure.processors)
    text += fmt::format("{:>24}", processor + ": us, +copies");
  text += "   settled\n";
  for (std::size_t i = 0; i < table.size(); ++i) {
    text += fmt::format("{:<6}", structure.subgraphs[i].name);
    for (const VisitRow& row : table[i])
      text +=
          row.visits == 0
              ? fmt::format("{:>24}", "-")
              : fmt::format("{:>24}", fmt::format("{:.1f}{} +{:.1f} ({}x)", row.mean_duration / 1000,
                                                  row.fastest ? "*" : "", row.mean_delay / 1000, row.visits));
    text += fmt::format("   {}: {}\n", structure.processors[settled.best.assignment[i]], reasons[i]);
  }
  return text + "* fastest alone\n";
}

}  // namespace dfsim
