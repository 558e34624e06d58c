#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "planner/ops/operator.h"
#include "planner/report/bounds.h"
#include "planner/report/run_report.h"

namespace dfsim {

namespace {

using Json = nlohmann::ordered_json;

Json names_of(const Graph& graph, const std::vector<OpId>& operators) {
  Json names = Json::array();
  for (const OpId op : operators) names.push_back(graph.op(op).name);
  return names;
}

Json boxes_of(const PeGroup& group) {
  Json boxes = Json::array();
  for (const Submesh& box : group.submeshes) boxes.push_back(box.to_string());
  return boxes;
}

Json stalls_json(const std::array<std::uint64_t, kStallCauses>& cycles) {
  Json stalls;
  for (std::size_t cause = 0; cause < kStallCauses; ++cause)
    stalls[to_string(static_cast<StallCause>(cause))] = cycles[cause];
  return stalls;
}

Json pes_json(const HardwareSpec& hardware, const Measurement& measurement) {
  Json list = Json::array();
  for (const PeMeasurement& pe : measurement.pes) {
    const PePlace& place = hardware.pes.at(pe.pe.value());
    list.push_back({{"id", pe.pe.value()},
                    {"noc", place.noc.value()},
                    {"x", place.x},
                    {"y", place.y},
                    {"z", place.z},
                    {"busy_cycles", pe.busy_cycles},
                    {"stall_cycles", stalls_json(pe.stall_cycles)},
                    {"matrix_busy_cycles", pe.matrix_busy_cycles},
                    {"vector_busy_cycles", pe.vector_busy_cycles},
                    {"macs", pe.macs},
                    {"bytes_sent", pe.bytes_sent},
                    {"bytes_received", pe.bytes_received},
                    {"bytes_loaded", pe.bytes_loaded},
                    {"bytes_stored", pe.bytes_stored},
                    {"peak_scratchpad_bytes", pe.peak_scratchpad_bytes}});
  }
  return list;
}

Json ports_json(const Measurement& measurement) {
  Json list = Json::array();
  for (const PortMeasurement& port : measurement.ports)
    list.push_back({{"port", port.port.value()},
                    {"read_bytes", port.read_bytes},
                    {"write_bytes", port.write_bytes},
                    {"busy_cycles", port.busy_cycles},
                    {"row_hits", port.row_hits},
                    {"row_misses", port.row_misses},
                    {"refreshes", port.refreshes}});
  return list;
}

Json links_json(const HardwareSpec& hardware, const Measurement& measurement) {
  Json list = Json::array();
  for (const LinkMeasurement& link : measurement.links) {
    const Link& place = hardware.nocs.at(link.noc.value()).graph.links.at(link.link);
    list.push_back({{"noc", link.noc.value()},
                    {"from", place.from.value()},
                    {"to", place.to.value()},
                    {"flits", link.flits}});
  }
  return list;
}

/// Weights are read whole; of embedding tables only the gathered rows; outputs are written.
Json coverage_json(const std::vector<RoleCoverage>& roles) {
  Json json = Json::object();
  for (const RoleCoverage& role : roles)
    json[to_string(role.role)] = {
        {"tensors", role.tensors}, {"bytes", role.bytes}, {"read_bytes", role.read_bytes}};
  return json;
}

Json stages_json(const ReportContext& context, const MeasuredPlan& run) {
  Json list = Json::array();
  for (std::size_t s = 0; s < context.plan->stages.size(); ++s) {
    const Stage& stage = context.plan->stages[s];
    Json json = {{"name", stage.name},
                 {"operators", names_of(*context.graph, stage.operators)},
                 {"pe_groups", boxes_of(stage.group)},
                 {"price_cycles", nullptr},
                 {"measured_cycles", s < run.stage_period_cycles.size() ? run.stage_period_cycles[s] : 0}};
    if (context.planning && s < context.planning->prices.size())
      json["price_cycles"] = context.planning->prices[s].period_cycles;
    const Measurement& m = run.measurement;
    if (s < m.stage_period_start_cycles.size()) json["period_start_cycles"] = m.stage_period_start_cycles[s];
    if (s < m.stage_period_done_cycles.size()) json["period_done_cycles"] = m.stage_period_done_cycles[s];
    list.push_back(std::move(json));
  }
  return list;
}

Json execution_cost_json(const ReportContext& context, const MeasuredPlan& run) {
  const HardwareSpec& hardware = *context.hardware;
  std::uint64_t links = 0, dram = 0;
  for (const NocSpec& noc : hardware.nocs) links += noc.graph.links.size();
  for (const MemoryPortSpec& port : hardware.memory)
    if (!port.host_bus) dram += port.controller.capacity().count();
  const Json resources = {{"nocs", hardware.nocs.size()},
                          {"pes", hardware.pes.size()},
                          {"scratchpad_bytes", hardware.pes.size() * hardware.pe.scratchpad.bytes.count()},
                          {"dram_bytes", dram},
                          {"noc_links", links}};
  Json cost = {{"hardware", resources}};
  if (context.goal.objective == Objective::latency)
    cost["time_cycles"] = run.latency_cycles();
  else
    cost["time_cycles"] = run.period_cycles();
  cost["fixed"] = Json::array({"hardware"});
  cost["updatable"] = Json::array({"time"});
  return cost;
}

Json round_json(const Graph& graph, const RoundRecord& round) {
  Json stages = Json::array();
  for (const RoundStage& stage : round.stages)
    stages.push_back({{"operators", names_of(graph, stage.operators)},
                      {"pe_groups", boxes_of(stage.group)},
                      {"cycles", stage.cycles},
                      {"basis", to_string(stage.basis)}});
  Json candidates = Json::object();
  for (const auto& [status, count] : round.candidates) candidates[status] = count;
  return {{"round", round.round},     {"cost_in", round.cost_in},   {"stages", stages},
          {"candidates", candidates}, {"cost_out", round.cost_out}, {"bound", round.bound}};
}

Json planner_json(const ReportContext& context) {
  if (!context.planning) return nullptr;
  const PlanningResult& planning = *context.planning;
  Json rounds = Json::array();
  for (const RoundRecord& round : planning.rounds) rounds.push_back(round_json(*context.graph, round));
  Json whole = Json::array();
  for (const WholePlanRun& run : planning.whole_runs) {
    Json stages = Json::array();
    for (const Stage& stage : run.plan.stages)
      stages.push_back({{"operators", stage.operators.size()}, {"pe_groups", boxes_of(stage.group)}});
    const bool executed = run.answer.status == PriceStatus::executed;
    whole.push_back({{"stages", stages},
                     {"estimate_cycles", run.estimate_cycles},
                     {"status", executed ? "executed" : "failed"},
                     {"latency_cycles", executed ? Json(run.answer.latency_cycles()) : Json()},
                     {"period_cycles", executed ? Json(run.answer.period_cycles()) : Json()},
                     {"program_hash", run.answer.program_hash},
                     {"reason", run.answer.reason}});
  }
  return {{"optimizer", context.optimizer},
          {"goal", "time"},
          {"objective", context.goal.objective == Objective::latency ? "latency" : "interval"},
          {"optimal", planning.optimal},
          {"gap", planning.gap},
          {"stopped", to_string(planning.stopped)},
          {"search", planning.two_level ? "two-level" : "flat"},
          {"flat_size", planning.flat_size},
          {"formed_size", planning.formed_size},
          {"rounds", rounds},
          {"whole_plan_runs", whole}};
}

Json steady_json(const std::optional<SteadyState>& steady) {
  if (!steady) return nullptr;
  Json pes = Json::array();
  for (std::size_t pe = 0; pe < steady->stall_cycles.size(); ++pe) {
    const auto& stalls = steady->stall_cycles[pe];
    const std::uint64_t stalled = std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0});
    pes.push_back({{"id", pe},
                   {"busy_cycles", steady->until - steady->from - stalled},
                   {"stall_cycles", stalls_json(stalls)}});
  }
  return {{"from_cycle", steady->from}, {"until_cycle", steady->until}, {"pes", pes}};
}

Json energy_json(const Measurement& measurement) {
  const auto total = measurement.energy_pj.find("total");
  Json parts = Json::object();
  for (const auto& [name, value] : measurement.energy_pj)
    if (name != "total") parts[name] = value;
  return {{"total", total == measurement.energy_pj.end() ? 0.0 : total->second},
          {"parts", parts},
          {"blocks", measurement.energy_blocks_pj}};
}

/// What the simulator counted, of the whole run.
void add_counts(Json& json, const HardwareSpec& hardware, const Measurement& m) {
  const Json counts = {
      {"macs", m.macs},
      {"dram_read_bytes", m.dram_read_bytes},
      {"dram_write_bytes", m.dram_write_bytes},
      {"host_read_bytes", m.host_read_bytes},
      {"host_write_bytes", m.host_write_bytes},
      {"flits_injected", m.flits_injected},
      {"flits_forked", m.flits_forked},
      {"flits_ejected", m.flits_ejected},
      {"flit_hops", m.flit_hops},
      {"noc_payload_bytes", m.noc_payload_bytes},
      {"ethernet_frames", m.ethernet_frames},
      {"ethernet_bytes", m.ethernet_bytes},
      {"busiest_unit", m.busiest_unit},
      {"busiest_unit_cycles", m.busiest_unit_cycles},
      {"energy_pj", energy_json(m)},
      {"pes", pes_json(hardware, m)},
      {"ports", ports_json(m)},
      {"links", links_json(hardware, m)},
  };
  json.update(counts);
}

}  // namespace

std::vector<RoleCoverage> coverage_by_role(const Program& program, const Measurement& measurement) {
  std::vector<RoleCoverage> roles;
  for (const DramTensorRole role :
       {DramTensorRole::weight, DramTensorRole::embedding, DramTensorRole::input, DramTensorRole::output}) {
    RoleCoverage sum;
    sum.role = role;
    for (const DramTensor& tensor : program.dram_tensors) {
      if (tensor.role != role) continue;
      ++sum.tensors;
      for (const DramCoverage& covered : measurement.dram_coverage)
        if (covered.tensor == tensor.tensor) sum.bytes += covered.bytes, sum.read_bytes += covered.read_bytes;
    }
    roles.push_back(sum);
  }
  return roles;
}

std::uint64_t MeasuredPlan::latency_cycles() const {
  return measurement.period_done_cycles.empty() ? 0 : measurement.period_done_cycles.front();
}

double MeasuredPlan::period_cycles() const {
  const auto& done = measurement.period_done_cycles;
  if (done.size() < fill_periods + 2u) return 0;
  return static_cast<double>(done.back() - done[fill_periods]) /
         static_cast<double>(done.size() - 1 - fill_periods);
}

std::string measurement_json(const ReportContext& context, const MeasuredPlan& run) {
  const Measurement& m = run.measurement;
  const std::uint32_t samples = context.plan->samples;
  Json json = {
      {"version", 1},
      {"dfsim_version", context.version},
      {"hardware", context.hardware->name},
      {"model", context.graph->name},
      {"program_hash", run.program_hash},
      {"cycles", m.cycles},
      {"clock_period_ps", context.hardware->clock_period_ps},
      {"samples", samples},
      {"periods", run.periods},
      {"fill_periods", run.fill_periods},
      {"latency_cycles", run.latency_cycles()},
      {"period_done_cycles", m.period_done_cycles},
      {"interval_cycles", run.period_cycles() / samples},
      {"lower_bound_cycles", period_bound(*context.graph, *context.hardware, samples).cycles()},
      {"total_cycles", run.total_cycles},
      {"cold_lower_bound_cycles", cold_bound(*context.graph, *context.hardware, samples).cycles()},
      {"macs_per_sample", macs_per_sample(*context.graph)},
      {"stages", stages_json(context, run)},
      {"execution_cost", execution_cost_json(context, run)},
      {"planner", planner_json(context)},
      {"steady_state", steady_json(run.steady)},
  };
  add_counts(json, *context.hardware, m);
  json["dram_coverage"] = coverage_json(run.coverage);
  return json.dump(1) + "\n";
}

std::string program_measurement_json(const HardwareSpec& hardware, const Program& program,
                                     const Measurement& measurement) {
  Json json = {{"version", 1},
               {"hardware", hardware.name},
               {"program", program.name},
               {"cycles", measurement.cycles},
               {"clock_period_ps", hardware.clock_period_ps},
               {"samples", program.samples},
               {"periods", program.periods},
               {"period_done_cycles", measurement.period_done_cycles}};
  add_counts(json, hardware, measurement);
  json["dram_coverage"] = coverage_json(coverage_by_role(program, measurement));
  return json.dump(1) + "\n";
}

std::string planning_json(const ReportContext& context) {
  const Json json = {{"version", 1},
                     {"dfsim_version", context.version},
                     {"hardware", context.hardware->name},
                     {"model", context.graph->name},
                     {"samples", context.plan->samples},
                     {"planner", planner_json(context)}};
  return json.dump(1) + "\n";
}

}  // namespace dfsim
