#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "planner/lower/mapping.h"
#include "planner/ops/operator.h"
#include "planner/report/plan_yaml.h"

namespace dfsim {

namespace {

constexpr std::int64_t kMostSamples = 4096;

std::string nearest_hint(const std::string& name, const std::vector<std::string>& known) {
  const std::string near = nearest_name(name, known);
  return near.empty() ? "" : "did you mean '" + near + "'?";
}

/// Reads everything behind the head. Mistakes go to the YamlValues, which report them with their location.
class PlanReader {
 public:
  PlanReader(const Graph& graph, const HardwareSpec& hardware, Plan& plan)
      : graph_(graph), hardware_(hardware), plan_(plan) {
    for (std::uint32_t op = 0; op < graph.operators().size(); ++op) {
      op_names_.push_back(graph.op(OpId(op)).name);
      ops_[op_names_.back()] = OpId(op);
    }
  }

  void read(const YamlValue& root) {
    const YamlValue inter = root.require("inter_stage");
    read_groups(inter.require("pe_groups"));
    read_stages(inter.require("stages"));
    read_map(inter.require("map"));
    check_all_operators(inter["stages"]);
    check_order(inter["stages"]);
    check_groups(inter["map"]);
    read_strategies(root.require("stages"));
    root["inter_stage_primitives"].accept_all();
  }

 private:
  void read_groups(const YamlValue& list) {
    for (const YamlValue& item : list.items()) {
      const YamlValue name = item.require("name");
      const std::string text = name.string("?");
      PeGroup group;
      const YamlValue boxes = item.require("submeshes");
      for (const YamlValue& box : boxes.items_or_one()) read_submesh(box, group);
      if (boxes.present() && group.submeshes.empty()) boxes.error("PE group '" + text + "' has no PEs");
      for (std::size_t a = 0; a < group.submeshes.size(); ++a)
        for (std::size_t b = a + 1; b < group.submeshes.size(); ++b)
          if (group.submeshes[a].overlaps(group.submeshes[b]))
            boxes.error(fmt::format("submeshes {} and {} overlap", group.submeshes[a].to_string(),
                                    group.submeshes[b].to_string()));
      if (!groups_.emplace(text, group).second) name.error("a second PE group '" + text + "'");
    }
  }

  void read_submesh(const YamlValue& value, PeGroup& group) {
    const std::string text = value.string();
    if (text.empty()) return;
    const auto box = submesh_from(text);
    if (!box) {
      value.error("'" + text + "' is no submesh",
                  "write it as chip0[0:4,0:8]: x and y, each from : to (to excluded)");
      return;
    }
    if (box->noc.value() >= hardware_.nocs.size()) {
      value.error(fmt::format("there is no chip{}: the hardware has {} NoC{}", box->noc.value(),
                              hardware_.nocs.size(), hardware_.nocs.size() == 1 ? "" : "s"));
      return;
    }
    const auto& extent = hardware_.nocs[box->noc.value()].graph.extent;
    const auto beyond = [](std::uint32_t at, std::uint32_t size, std::uint32_t limit) {
      return at >= limit || size > limit - at;
    };
    if (beyond(box->x, box->width, extent[0]) || beyond(box->y, box->height, extent[1]) ||
        beyond(box->z, box->depth, extent[2])) {
      value.error(fmt::format("{} lies outside chip{}, which is {}", text, box->noc.value(),
                              fmt::join(extent, " x ")));
      return;
    }
    group.submeshes.push_back(*box);
  }

  void read_stages(const YamlValue& list) {
    for (const YamlValue& item : list.items()) {
      Stage stage;
      const YamlValue name = item.require("name");
      stage.name = name.string("?");
      if (stage_index_.count(stage.name)) name.error("a second stage '" + stage.name + "'");
      stage_index_.emplace(stage.name, plan_.stages.size());
      const YamlValue operators = item.require("operators");
      for (const YamlValue& op : operators.items()) {
        const std::string text = op.string();
        const auto found = ops_.find(text);
        if (text.empty()) continue;
        if (found == ops_.end())
          op.error("the model has no operator '" + text + "'", nearest_hint(text, op_names_));
        else if (!placed_.emplace(found->second, plan_.stages.size()).second)
          op.error("operator '" + text + "' is in a stage already");
        else
          stage.operators.push_back(found->second);
      }
      if (operators.is_list() && operators.items().empty())
        operators.error("stage '" + stage.name + "' has no operators");
      std::sort(stage.operators.begin(), stage.operators.end());
      plan_.stages.push_back(std::move(stage));
    }
    if (list.is_list() && plan_.stages.empty()) list.error("a plan needs at least one stage");
  }

  void read_map(const YamlValue& map) {
    std::vector<std::string> group_names;
    for (const auto& [name, group] : groups_) group_names.push_back(name);
    for (Stage& stage : plan_.stages) {
      const YamlValue value = map.require(stage.name);
      const std::string text = value.string();
      const auto found = groups_.find(text);
      if (found != groups_.end())
        stage.group = found->second;
      else if (!text.empty())
        value.error("there is no PE group '" + text + "'", nearest_hint(text, group_names));
    }
  }

  void check_all_operators(const YamlValue& stages) {
    std::vector<std::string> missing;
    for (std::uint32_t op = 0; op < op_names_.size(); ++op)
      if (!placed_.count(OpId(op))) missing.push_back(op_names_[op]);
    if (!missing.empty() && stages.present())
      stages.error(fmt::format(
          "{} operator{} in no stage: {}{}", missing.size(), missing.size() == 1 ? " is" : "s are",
          fmt::join(missing.begin(), missing.begin() + std::min<std::ptrdiff_t>(5, std::ssize(missing)),
                    ", "),
          missing.size() > 5 ? ", ..." : ""));
  }

  void check_order(const YamlValue& stages) {
    for (const auto& [op, stage] : placed_)
      for (const OpId before : graph_.predecessors(op)) {
        const auto earlier = placed_.find(before);
        if (earlier == placed_.end() || earlier->second <= stage) continue;
        stages.error(fmt::format("operator '{}' of stage '{}' needs '{}' of the later stage '{}'",
                                 op_names_[op.value()], plan_.stages[stage].name, op_names_[before.value()],
                                 plan_.stages[earlier->second].name),
                     "list the stages in the order of the graph");
        return;
      }
  }

  void check_groups(const YamlValue& map) {
    for (std::size_t a = 0; a < plan_.stages.size(); ++a)
      for (std::size_t b = a + 1; b < plan_.stages.size(); ++b) {
        const Stage &first = plan_.stages[a], &second = plan_.stages[b];
        if (first.group != second.group && first.group.overlaps(second.group))
          map[second.name].error(
              fmt::format("PE groups {} of '{}' and {} of '{}' overlap: groups must be equal or disjoint",
                          first.group.to_string(), first.name, second.group.to_string(), second.name));
      }
  }

  void read_strategies(const YamlValue& list) {
    std::vector<bool> seen(plan_.stages.size(), false);
    for (const YamlValue& item : list.items()) {
      const YamlValue name = item.require("name");
      const std::string text = name.string("?");
      const auto found = stage_index_.find(text);
      item["intra_stage_primitives"].accept_all();
      const YamlValue intra = item.require("intra_stage");
      if (found == stage_index_.end() || seen[found->second]) {
        if (name.present())
          name.error(found == stage_index_.end() ? "there is no stage '" + text + "' in inter_stage"
                                                 : "a second strategy for stage '" + text + "'");
        intra.accept_all();
        continue;
      }
      seen[found->second] = true;
      read_strategy(intra, plan_.stages[found->second]);
    }
    for (std::size_t s = 0; s < seen.size(); ++s)
      if (!seen[s] && list.is_list())
        list.error("stage '" + plan_.stages[s].name + "' has no intra_stage strategy");
  }

  void read_strategy(const YamlValue& intra, Stage& stage) {
    stage.strategy.sub_batches =
        static_cast<std::uint32_t>(intra["sub_batches"].integer(1, plan_.samples, 1));
    stage.strategy.weights_resident = intra["weights_resident"].boolean(false);
    stage.strategy.operators.assign(stage.operators.size(), {});
    std::vector<bool> seen(stage.operators.size(), false);
    const YamlValue list = intra.require("operators");
    for (const YamlValue& item : list.items()) {
      const YamlValue name = item.require("operator");
      const std::string text = name.string();
      const auto op = ops_.find(text);
      const auto at = op == ops_.end()
                          ? stage.operators.end()
                          : std::find(stage.operators.begin(), stage.operators.end(), op->second);
      if (at == stage.operators.end()) {
        if (!text.empty())
          name.error("stage '" + stage.name + "' has no operator '" + text + "'",
                     nearest_hint(text, op_names_));
        item.accept_all();
        continue;
      }
      const auto index = static_cast<std::size_t>(at - stage.operators.begin());
      if (seen[index]) name.error("a second candidate for operator '" + text + "'");
      seen[index] = true;
      stage.strategy.operators[index] = read_candidate(item, stage, *at);
    }
    for (std::size_t i = 0; i < seen.size(); ++i)
      if (!seen[i] && list.is_list())
        list.error(fmt::format("operator '{}' of stage '{}' has no candidate",
                               op_names_[stage.operators[i].value()], stage.name));
  }

  OperatorCandidate read_candidate(const YamlValue& item, const Stage& stage, OpId op) {
    const std::uint32_t together = ceil_div(plan_.samples, stage.strategy.sub_batches);
    const std::vector<Axis> axes = kind_of(graph_.op(op)).axes(graph_, op, together);
    OperatorCandidate candidate;
    candidate.spatial = read_parts(item["spatial"], axes);
    candidate.temporal = read_parts(item["temporal"], axes);
    candidate.nesting = read_nesting(item["nesting"], axes);
    candidate.order = item["pe_order"].choice<PeOrder>({{"row_major", PeOrder::row_major},
                                                        {"column_major", PeOrder::column_major},
                                                        {"snake", PeOrder::snake}},
                                                       PeOrder::row_major);
    candidate.outer = item["outer_loop"].choice<OuterLoop>(
        {{"features", OuterLoop::features}, {"reduction", OuterLoop::reduction}, {"rows", OuterLoop::rows}},
        OuterLoop::features);
    item["micro_tensors"].accept_all();
    const std::uint64_t parts = std::accumulate(
        candidate.spatial.begin(), candidate.spatial.end(), std::uint64_t{1},
        [](std::uint64_t a, std::uint32_t b) { return std::min<std::uint64_t>(a * b, 1u << 30); });
    if (parts > stage.group.size() && stage.group.size() > 0)
      item["spatial"].error(fmt::format("{} micro-operators at a time do not fit on the {} PEs of {}", parts,
                                        stage.group.size(), stage.group.to_string()));
    else
      check_micro_operators(item["micro_operators"], stage, op, candidate, together);
    return candidate;
  }

  std::vector<std::uint32_t> read_parts(const YamlValue& map, const std::vector<Axis>& axes) {
    std::vector<std::uint32_t> parts(axes.size(), 1);
    for (const YamlNamedValue& entry : map.entries()) {
      const auto axis =
          std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.name == entry.key; });
      if (axis == axes.end()) {
        entry.value.error(fmt::format("there is no axis '{}'", entry.key), known_axes(axes));
        continue;
      }
      const auto count = static_cast<std::uint32_t>(entry.value.integer(1, axis->extent, 1));
      if (count > 1 && !axis->splittable)
        entry.value.error(fmt::format("axis '{}' cannot be split", entry.key));
      parts[static_cast<std::size_t>(axis - axes.begin())] = count;
    }
    return parts;
  }

  /// Axes from the slowest to the fastest; those not named come before the named ones, in their order.
  std::vector<std::uint32_t> read_nesting(const YamlValue& list, const std::vector<Axis>& axes) {
    std::vector<std::uint32_t> named;
    for (const YamlValue& item : list.items()) {
      const std::string text = item.string();
      const auto axis = std::find_if(axes.begin(), axes.end(), [&](const Axis& a) { return a.name == text; });
      const auto index = static_cast<std::uint32_t>(axis - axes.begin());
      if (axis == axes.end())
        item.error(fmt::format("there is no axis '{}'", text), known_axes(axes));
      else if (std::count(named.begin(), named.end(), index))
        item.error(fmt::format("axis '{}' stands in the nesting twice", text));
      else
        named.push_back(index);
    }
    std::vector<std::uint32_t> nesting;
    for (std::uint32_t axis = 0; axis < axes.size(); ++axis)
      if (!std::count(named.begin(), named.end(), axis)) nesting.push_back(axis);
    nesting.insert(nesting.end(), named.begin(), named.end());
    return nesting;
  }

  static std::string known_axes(const std::vector<Axis>& axes) {
    std::vector<std::string> names;
    for (const Axis& axis : axes) names.push_back(axis.name);
    return fmt::format("known axes: {}", fmt::join(names, ", "));
  }

  /// The map of micro-operators to PEs follows from split, nesting and order; a file that states another one
  /// is refused rather than ignored.
  void check_micro_operators(const YamlValue& value, const Stage& stage, OpId op,
                             const OperatorCandidate& candidate, std::uint32_t together) {
    if (!value.present()) return;
    value["tiles"].quiet().integer(1, std::numeric_limits<std::int32_t>::max(), 1);
    const YamlValue list = value["pes"];
    std::vector<std::string> texts;
    for (const YamlValue& item : list.items()) texts.push_back(item.string());
    if (!list.present() || stage.group.size() == 0) return;
    std::vector<PeId> pes;
    for (const MappedPart& part :
         map_operator(graph_, hardware_, op, stage.group, candidate, 0, together).parts)
      pes.push_back(part.pe);
    const auto stated = pes_of_ranges(texts);
    if (!stated)
      list.error("PEs are numbers or ranges such as 0-7");
    else if (*stated != pes)
      list.error(fmt::format("split, nesting and pe_order put the micro-operators of '{}' on other PEs: [{}]",
                             op_names_[op.value()], fmt::join(pe_ranges(pes), ", ")),
                 "change those, and leave micro_operators out");
  }

  const Graph& graph_;
  const HardwareSpec& hardware_;
  Plan& plan_;
  std::vector<std::string> op_names_;
  std::map<std::string, OpId> ops_;
  std::map<std::string, PeGroup> groups_;
  std::map<std::string, std::size_t> stage_index_;
  std::map<OpId, std::size_t> placed_;
};

FileReference reference(const YamlValue& value) {
  FileReference reference;
  reference.file = value.require("file").string();
  reference.hash = value["hash"].quiet().string();
  reference.where = value.where();
  return reference;
}

}  // namespace

PlanDocument::PlanDocument(const std::string& path, Diagnostics& diagnostics)
    : path_(path), diagnostics_(diagnostics), document_(load_yaml(path, {}, diagnostics)) {}

PlanFile PlanDocument::head() {
  if (!diagnostics_.empty()) return {};
  const YamlValue root = document_.root();
  root["format"].one_of({"dfsim-plan"}, "dfsim-plan");
  root["version"].integer(1, 1, 1);
  file_.config = reference(root.require("config"));
  file_.model = reference(root.require("model"));
  file_.seed =
      static_cast<std::uint64_t>(root["seed"].integer(0, std::numeric_limits<std::int64_t>::max(), 1));
  file_.objective = root["objective"].choice<Objective>(
      {{"interval", Objective::interval}, {"latency", Objective::latency}}, Objective::interval);
  file_.partial = root["partial"].boolean(false);
  file_.plan.samples = static_cast<std::uint32_t>(root["samples"].integer(1, kMostSamples, 8));
  return file_;
}

std::optional<PlanFile> PlanDocument::read(const Graph& graph, const HardwareSpec& hardware) {
  if (!diagnostics_.empty()) return std::nullopt;
  PlanReader(graph, hardware, file_.plan).read(document_.root());
  document_.finish();
  return diagnostics_.empty() ? std::optional(file_) : std::nullopt;
}

}  // namespace dfsim
