#include "planner/report/html/report_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "planner/report/plan_yaml.h"
#include "sim/base/csv.h"

namespace dfsim::html {

namespace {

using Json = nlohmann::ordered_json;

template <class T>
T value_or(const Json& json, const char* key, T otherwise) {
  const auto it = json.find(key);
  return it == json.end() || it->is_null() ? otherwise : it->get<T>();
}

void read_busy_and_stalls(const Json& json, PeData& pe) {
  pe.id = json.at("id");
  pe.busy = json.at("busy_cycles");
  for (std::size_t cause = 0; cause < kStallCauses; ++cause)
    pe.stalls[cause] = value_or<std::uint64_t>(json.at("stall_cycles"),
                                               to_string(static_cast<StallCause>(cause)).c_str(), 0);
}

PeData pe_from(const Json& json) {
  PeData pe;
  read_busy_and_stalls(json, pe);
  pe.noc = json.at("noc");
  pe.x = json.at("x");
  pe.y = json.at("y");
  pe.z = json.at("z");
  pe.macs = value_or<std::uint64_t>(json, "macs", 0);
  pe.sent = value_or<std::uint64_t>(json, "bytes_sent", 0);
  pe.received = value_or<std::uint64_t>(json, "bytes_received", 0);
  pe.loaded = value_or<std::uint64_t>(json, "bytes_loaded", 0);
  pe.stored = value_or<std::uint64_t>(json, "bytes_stored", 0);
  pe.scratchpad = value_or<std::uint64_t>(json, "peak_scratchpad_bytes", 0);
  return pe;
}

StageData stage_from(const Json& json) {
  StageData stage;
  stage.name = json.at("name");
  stage.operators = json.at("operators").get<std::vector<std::string>>();
  for (const Json& text : json.at("pe_groups")) {
    const auto box = submesh_from(text.get<std::string>());
    if (!box) throw std::runtime_error("'" + text.get<std::string>() + "' is no PE group");
    stage.group.push_back(*box);
  }
  if (!json.at("price_cycles").is_null()) stage.price = json["price_cycles"].get<std::uint64_t>();
  stage.measured = json.at("measured_cycles");
  stage.starts = value_or<std::vector<std::uint64_t>>(json, "period_start_cycles", {});
  stage.ends = value_or<std::vector<std::uint64_t>>(json, "period_done_cycles", {});
  return stage;
}

void read_steady_state(const Json& json, ReportData& data) {
  const auto it = json.find("steady_state");
  if (it == json.end() || it->is_null()) return;
  data.steady_from = it->at("from_cycle");
  data.steady_until = it->at("until_cycle");
  for (const Json& from : it->at("pes")) {
    data.steady_pes.emplace_back();
    read_busy_and_stalls(from, data.steady_pes.back());
  }
}

void read_planner(const Json& json, ReportData& data) {
  if (json.is_null()) return;
  data.planned = true;
  data.optimal = json.at("optimal");
  data.gap = json.at("gap");
  data.objective = json.at("objective");
  data.optimizer = json.at("optimizer");
  data.stopped = json.at("stopped");
  for (const Json& from : json.at("rounds")) {
    RoundData round;
    round.round = from.at("round");
    round.cost_in = from.at("cost_in");
    round.cost_out = from.at("cost_out");
    round.bound = from.at("bound");
    round.stages = from.at("stages").size();
    round.candidates = from.at("candidates").get<std::map<std::string, std::uint64_t>>();
    data.rounds.push_back(std::move(round));
  }
  const char* cycles = data.objective == "latency" ? "latency_cycles" : "period_cycles";
  for (const Json& from : json.at("whole_plan_runs")) {
    WholeRunData run;
    run.stages = from.at("stages").size();
    run.estimate = from.at("estimate_cycles");
    if (!from.at(cycles).is_null()) run.cycles = from[cycles].get<double>();
    data.whole_runs.push_back(run);
  }
}

std::vector<TrafficData> traffic_from(const std::string& csv) {
  std::vector<TrafficData> rows;
  const auto records = parse_csv(csv);
  for (std::size_t i = 1; i < records.size(); ++i) {  // behind the names of the columns
    const std::vector<std::string>& fields = records[i];
    if (fields.size() != 6)
      throw std::runtime_error(fmt::format("pe_traffic.csv: record {} has no six fields", i));
    rows.push_back(
        {fields[0], fields[1], std::stoull(fields[2]), std::stoull(fields[3]), std::stod(fields[5])});
  }
  return rows;
}

void read_totals(const Json& json, ReportData& data) {
  data.model = json.at("model");
  data.hardware_name = json.at("hardware");
  data.version = json.at("dfsim_version");
  data.cycles = json.at("cycles");
  data.clock_period_ps = json.at("clock_period_ps");
  data.samples = json.at("samples");
  data.periods = json.at("periods");
  data.fill_periods = json.at("fill_periods");
  data.latency = json.at("latency_cycles");
  data.interval = json.at("interval_cycles");
  data.lower_bound = json.at("lower_bound_cycles");
  data.period_done = json.at("period_done_cycles").get<std::vector<std::uint64_t>>();
  data.macs = json.at("macs");
  data.macs_per_sample = json.at("macs_per_sample");
  data.dram_read = json.at("dram_read_bytes");
  data.dram_write = json.at("dram_write_bytes");
  data.payload = json.at("noc_payload_bytes");
  data.busiest = json.at("busiest_unit");
  data.busiest_cycles = json.at("busiest_unit_cycles");
  data.energy_total_pj = json.at("energy_pj").at("total");
  data.energy_pj = json.at("energy_pj").at("parts").get<std::map<std::string, double>>();
}

void check_against(const HardwareSpec& hardware, const ReportData& data) {
  const auto refuse = [](const std::string& what) {
    throw std::runtime_error("measurement.json is not of this hardware: " + what);
  };
  for (const PeData& pe : data.pes)
    if (pe.noc >= hardware.nocs.size()) refuse("a PE is on a NoC that is not there");
  for (const LinkData& link : data.links) {
    if (link.noc >= hardware.nocs.size()) refuse("a link is on a NoC that is not there");
    const std::uint32_t routers = hardware.nocs[link.noc].graph.router_count();
    if (link.from >= routers || link.to >= routers) refuse("a link ends at a router that is not there");
  }
  for (const PortData& port : data.ports)
    if (port.port >= hardware.memory.size()) refuse("a memory port is not there");
  if (data.pes.size() != hardware.pes.size()) refuse("it has another number of PEs");
  if (!data.steady_pes.empty() && data.steady_pes.size() != data.pes.size())
    refuse("the steady state has another number of PEs");
}

/// The page's script relies on the form: a row per PE, link and port, all of one length.
void read_activity(const std::string& text, ReportData& data) {
  data.activity = Json::parse(text);
  const Json& json = data.activity;
  const std::uint64_t window = json.at("window_cycles"), cycles = json.at("cycles");
  if (window == 0 || cycles == 0) throw std::runtime_error("activity.json: has no windows");
  const std::uint64_t windows = (cycles + window - 1) / window;
  const auto check = [&](const char* name, std::size_t rows) {
    const auto values = json.at(name).get<std::vector<std::vector<std::uint64_t>>>();
    if (values.size() != rows)
      throw std::runtime_error(std::string("activity.json: wrong number of ") + name);
    for (const auto& row : values)
      if (row.size() != windows) throw std::runtime_error("activity.json: wrong number of windows");
  };
  check("pes", data.pes.size());
  check("links", data.links.size());
  check("ports", data.ports.size());
}

}  // namespace

std::uint64_t PeData::stalled() const {
  return std::accumulate(stalls.begin(), stalls.end(), std::uint64_t{0});
}

StallCause PeData::worst() const {
  return static_cast<StallCause>(std::max_element(stalls.begin(), stalls.end()) - stalls.begin());
}

std::string part_name(std::size_t part) {
  return part == 0 ? "computing" : to_string(static_cast<StallCause>(part - 1));
}

Parts parts_of(const std::vector<PeData>& pes, const std::vector<std::size_t>& which) {
  Parts parts{};
  for (const std::size_t i : which) {
    parts[0] += pes[i].busy;
    for (std::size_t c = 0; c < kStallCauses; ++c) parts[1 + c] += pes[i].stalls[c];
  }
  return parts;
}

std::vector<std::size_t> ReportData::all_pes() const {
  std::vector<std::size_t> all(pes.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

std::vector<std::size_t> ReportData::pes_of(const std::vector<Submesh>& group) const {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < pes.size(); ++i)
    for (const Submesh& box : group) {
      const PeData& pe = pes[i];
      if (pe.noc == box.noc.value() && pe.x >= box.x && pe.x < box.x + box.width && pe.y >= box.y &&
          pe.y < box.y + box.height && pe.z >= box.z && pe.z < box.z + box.depth)
        found.push_back(i);
    }
  return found;
}

std::vector<GroupData> groups_of(const ReportData& data) {
  std::vector<GroupData> groups;
  for (const StageData& stage : data.stages) {
    auto it = std::find_if(groups.begin(), groups.end(),
                           [&](const GroupData& known) { return known.group == stage.group; });
    if (it == groups.end())
      groups.push_back({stage.group, stage.name, data.pes_of(stage.group)});
    else
      it->stages += ", " + stage.name;
  }
  return groups;
}

ReportData read_report_data(const HardwareSpec& hardware, const std::string& measurement_json,
                            const std::string& traffic_csv, const std::string& activity_json) {
  ReportData data;
  data.hardware = &hardware;
  data.measurement = Json::parse(measurement_json);
  const Json& json = data.measurement;
  read_totals(json, data);
  for (const Json& pe : json.at("pes")) data.pes.push_back(pe_from(pe));
  for (const Json& link : json.at("links"))
    data.links.push_back({link.at("noc"), link.at("from"), link.at("to"), link.at("flits")});
  for (const Json& port : json.at("ports"))
    data.ports.push_back({port.at("port"), port.at("read_bytes"), port.at("write_bytes"),
                          port.at("busy_cycles"), port.at("row_hits"), port.at("row_misses")});
  for (const Json& stage : json.at("stages")) data.stages.push_back(stage_from(stage));
  read_planner(json.at("planner"), data);
  read_steady_state(json, data);
  data.traffic = traffic_from(traffic_csv);
  check_against(hardware, data);
  if (!activity_json.empty()) read_activity(activity_json, data);
  return data;
}

}  // namespace dfsim::html
