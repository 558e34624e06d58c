#include "planner/placement/time_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "sim/base/yaml.h"

namespace dfsim {

namespace {

constexpr double kMostTime = 1e15;
constexpr std::size_t kMostProcessors = 64;
constexpr std::size_t kMostSubgraphs = 10'000;

class TableReader {
 public:
  explicit TableReader(const YamlValue& root) : root_(root) {}

  void read(std::optional<Objective> objective) {
    read_processors();
    read_subgraphs();
    read_copies();
    read_together();
    const Objective stated = root_["objective"].choice<Objective>(
        {{"latency", Objective::latency}, {"interval", Objective::interval}}, Objective::latency);
    table_.structure.objective = objective.value_or(stated);
  }
  /// What would confuse if reported beside other mistakes.
  void check_order() {
    sort();
    for (PlacedSubgraph& one : table_.structure.subgraphs)
      if (std::none_of(one.supported.begin(), one.supported.end(), [](bool supported) { return supported; }))
        where_.at(one.name).error(fmt::format("no processor can run '{}'", one.name),
                                  "give at least one time that is not ~");
    check_together();
  }
  TimeTable take() { return std::move(table_); }

 private:
  void read_processors() {
    const YamlValue list = root_.require("processors");
    std::set<std::string> seen;
    for (const YamlValue& item : list.items()) {
      const std::string name = item.string();
      if (!seen.insert(name).second) item.error(fmt::format("there are two processors '{}'", name));
      table_.structure.processors.push_back(name);
    }
    if (list.is_list() && (seen.empty() || seen.size() > kMostProcessors))
      list.error(fmt::format("expected 1 to {} processors, found {}", kMostProcessors, seen.size()));
    table_.structure.memory_bytes.assign(table_.structure.processors.size(),
                                         HeterogeneousStructure::kUnlimited);
  }

  void read_subgraphs() {
    const YamlValue list = root_.require("subgraphs");
    for (const YamlValue& item : list.items()) {
      const std::string name = item.require("name").string();
      const YamlValue times = item.require("time");
      if (!index_.emplace(name, table_.structure.subgraphs.size()).second)
        item["name"].error(fmt::format("there are two sub-graphs '{}'", name));
      where_.emplace(name, item);
      table_.structure.subgraphs.emplace_back();
      table_.structure.subgraphs.back().name = name;
      read_times(name, times);
    }
    const std::size_t count = table_.structure.subgraphs.size();
    if (list.is_list() && (count == 0 || count > kMostSubgraphs))
      list.error(fmt::format("expected 1 to {} sub-graphs, found {}", kMostSubgraphs, count));
  }

  void read_times(const std::string& name, const YamlValue& times) {
    PlacedSubgraph& one = table_.structure.subgraphs.back();
    const std::size_t processors = table_.structure.processors.size();
    one.supported.assign(processors, false);
    one.refused.assign(processors, "the table says so");
    table_.costs.duration.emplace_back(processors, 0.0);
    table_.costs.outside.emplace_back(processors, 0.0);
    const std::vector<YamlValue> items = times.items();
    if (times.is_list() && items.size() != processors) {
      times.error(
          fmt::format("'{}' has {} times, but there are {} processors", name, items.size(), processors),
          "one time per processor, in their order; ~ where it cannot run");
      return;
    }
    for (std::size_t p = 0; p < items.size(); ++p) {
      if (items[p].is_null()) continue;
      table_.costs.duration.back()[p] = items[p].number(0, kMostTime);
      one.supported[p] = true;
      one.refused[p].clear();
    }
  }

  std::optional<std::size_t> subgraph(const YamlValue& name) {
    const std::string text = name.string();
    const auto it = index_.find(text);
    if (it != index_.end()) return it->second;
    if (text.empty()) return std::nullopt;  // reported
    std::vector<std::string> known;
    for (const auto& [key, value] : index_) known.push_back(key);
    const std::string nearest = nearest_name(text, known);
    name.error(fmt::format("there is no sub-graph '{}'", text),
               nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
    return std::nullopt;
  }

  void read_copies() {
    std::set<std::pair<std::size_t, std::size_t>> seen;
    for (const YamlValue& item : root_["copies"].items()) {
      const auto from = subgraph(item.require("from")), to = subgraph(item.require("to"));
      const double time = item.require("time").number(0, kMostTime);
      if (!from || !to) continue;
      if (from == to) {
        item.error(fmt::format("a copy from '{}' to itself", table_.structure.subgraphs[*from].name));
        continue;
      }
      if (!seen.emplace(*from, *to).second)
        item.error(fmt::format("the copy from '{}' to '{}' is stated twice",
                               table_.structure.subgraphs[*from].name, table_.structure.subgraphs[*to].name));
      table_.structure.edges.push_back({*from, *to, 0});
      times_.push_back(time);
    }
  }

  void read_together() {
    for (const YamlValue& group : root_["together"].items()) {
      std::vector<std::size_t> members;
      for (const YamlValue& name : group.items())
        if (const auto member = subgraph(name)) members.push_back(*member);
      if (members.empty()) continue;
      groups_.push_back(group);
      table_.structure.together.push_back(std::move(members));
    }
  }

  /// Each group alone, so that the message points at the one that cannot be.
  void check_together() {
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto& members = table_.structure.together[g];
      bool possible = false;
      for (std::size_t p = 0; p < table_.structure.processors.size(); ++p)
        possible |= std::all_of(members.begin(), members.end(),
                                [&](std::size_t i) { return table_.structure.subgraphs[i].supported[p]; });
      if (!possible)
        groups_[g].error("no processor can run all of this group", "split it, or give more times");
    }
  }

  /// Puts sub-graphs into an order in which they can run: that of the file where copies leave it free.
  void sort() {
    HeterogeneousStructure& structure = table_.structure;
    const std::size_t n = structure.subgraphs.size();
    std::vector<std::size_t> waiting(n, 0), order, place(n, 0);
    for (const SubgraphEdge& edge : structure.edges) ++waiting[edge.to];
    std::set<std::size_t> ready;
    for (std::size_t i = 0; i < n; ++i)
      if (waiting[i] == 0) ready.insert(i);
    while (!ready.empty()) {
      const std::size_t i = *ready.begin();
      ready.erase(ready.begin());
      place[i] = order.size();
      order.push_back(i);
      for (const SubgraphEdge& edge : structure.edges)
        if (edge.from == i && --waiting[edge.to] == 0) ready.insert(edge.to);
    }
    if (order.size() < n) {
      std::string names;
      for (std::size_t i = 0; i < n; ++i)
        if (waiting[i] > 0) names += (names.empty() ? "" : ", ") + structure.subgraphs[i].name;
      root_["copies"].error("the copies form a cycle; it lies among " + names);
      return;
    }
    renumber(order, place);
  }

  void renumber(const std::vector<std::size_t>& order, const std::vector<std::size_t>& place) {
    HeterogeneousStructure& structure = table_.structure;
    HeterogeneousStructure old = structure;
    CostTable costs = table_.costs;
    for (std::size_t k = 0; k < order.size(); ++k) {
      structure.subgraphs[k] = std::move(old.subgraphs[order[k]]);
      table_.costs.duration[k] = std::move(costs.duration[order[k]]);
    }
    const std::size_t p = structure.processors.size();
    std::vector<double> traffic(order.size(), 0.0);
    for (std::size_t e = 0; e < structure.edges.size(); ++e) {
      SubgraphEdge& edge = structure.edges[e];
      edge.from = place[edge.from];
      edge.to = place[edge.to];
      table_.costs.delay.emplace_back(p, std::vector<double>(p, times_[e]));
      traffic[edge.from] += times_[e];
      traffic[edge.to] += times_[e];
    }
    for (auto& group : structure.together)
      for (std::size_t& member : group) member = place[member];
    set_factors(traffic);
  }

  void set_factors(const std::vector<double>& traffic) {
    double sum = 0;
    for (const double time : traffic) sum += time;
    const double mean = traffic.empty() ? 0 : sum / static_cast<double>(traffic.size());
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      PlacedSubgraph& one = table_.structure.subgraphs[i];
      const auto supporting = std::count(one.supported.begin(), one.supported.end(), true);
      one.mutation_factor = first_mutation_factor(static_cast<std::size_t>(supporting),
                                                  table_.structure.processors.size(), traffic[i], mean);
    }
  }

  YamlValue root_;
  TimeTable table_;
  std::map<std::string, std::size_t> index_;
  std::map<std::string, YamlValue> where_;
  std::vector<YamlValue> groups_;
  std::vector<double> times_;  ///< of copies
};

TimeTable table_of(const YamlDocument& document, Diagnostics& diagnostics,
                   std::optional<Objective> objective) {
  diagnostics.throw_if_any<ModelError>();
  TableReader reader(document.root());
  reader.read(objective);
  document.finish();
  diagnostics.throw_if_any<ModelError>();
  reader.check_order();
  diagnostics.throw_if_any<ModelError>();
  return reader.take();
}

}  // namespace

TimeTable read_time_table(const std::string& path, std::optional<Objective> objective) {
  Diagnostics diagnostics;
  const YamlDocument document = load_yaml(path, {}, diagnostics);
  return table_of(document, diagnostics, objective);
}

TimeTable read_time_table_text(const std::string& text, const std::string& file,
                               std::optional<Objective> objective) {
  Diagnostics diagnostics;
  const YamlDocument document = load_yaml_text(text, file, {}, diagnostics);
  return table_of(document, diagnostics, objective);
}

ExecutionCycle TableServer::run(const Assignment& assignment) {
  const HeterogeneousStructure& structure = table_.structure;
  ExecutionCycle cycle;
  cycle.assignment = assignment;
  const TableValue value = table_value(structure, table_.costs, assignment);
  cycle.value = value.value;
  cycle.sum = value.sum;
  for (std::size_t i = 0; i < assignment.size(); ++i)
    cycle.duration.push_back(table_.costs.duration[i][assignment[i]]);
  cycle.input_delay.assign(assignment.size(), 0.0);
  cycle.output_delay.assign(assignment.size(), 0.0);
  for (std::size_t e = 0; e < structure.edges.size(); ++e) {
    const std::uint32_t from = assignment[structure.edges[e].from], to = assignment[structure.edges[e].to];
    cycle.delay.push_back(from == to ? 0.0 : table_.costs.delay[e][from][to]);
  }
  return cycle;
}

}  // namespace dfsim
