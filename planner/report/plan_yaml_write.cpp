#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "planner/lower/mapping.h"
#include "planner/ops/operator.h"
#include "planner/report/candidate_text.h"
#include "planner/report/plan_yaml.h"

namespace dfsim {

namespace {

/// `text` as a YAML scalar that reads back as this string, also inside [] and {}.
std::string scalar(const std::string& text) {
  static const std::set<std::string> words = {"true", "false", "yes", "no", "on",
                                              "off",  "null",  "nan", "inf"};
  const bool plain = !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_') &&
                     std::all_of(text.begin(), text.end(),
                                 [](char c) {
                                   return std::isalnum(static_cast<unsigned char>(c)) || c == '_' ||
                                          c == '.' || c == '/' || c == '-';
                                 }) &&
                     !words.count(text);
  return plain ? text : nlohmann::json(text).dump();
}

std::string list(const std::vector<std::string>& items) {
  std::vector<std::string> scalars;
  for (const std::string& item : items) scalars.push_back(scalar(item));
  return fmt::format("[{}]", fmt::join(scalars, ", "));
}

std::string ranges(const std::vector<PeId>& pes) {
  return fmt::format("[{}]", fmt::join(pe_ranges(pes), ", "));
}

std::string parts(const std::vector<std::uint32_t>& counts, const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t axis = 0; axis < counts.size() && axis < names.size(); ++axis)
    if (counts[axis] != 1)
      text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", scalar(names[axis]), counts[axis]);
  return "{" + text + "}";
}

class PlanWriter {
 public:
  PlanWriter(const PlanFile& file, const Graph& graph, const HardwareSpec& hardware, const Program* program)
      : file_(file), graph_(graph), hardware_(hardware), program_(program) {
    if (program_) collect_primitives();
  }

  std::string text() {
    head();
    inter_stage();
    out_ += "stages:\n";
    for (std::size_t s = 0; s < file_.plan.stages.size(); ++s) stage(s);
    out_ += "inter_stage_primitives:";
    primitives("inter_stage", std::nullopt, "  ");
    return out_;
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += fmt::format(format, std::forward<Args>(args)...) + "\n";
  }

  void head() {
    out_ +=
        "# A plan for dfsim: `dfsim check` validates it, `dfsim run --plan` executes it. micro_tensors, "
        "micro_operators and\n"
        "# the primitives follow from the rest and may be left out when a plan is written by hand.\n";
    out_ += "format: dfsim-plan\nversion: 1\n";
    const auto reference = [&](const char* key, const FileReference& file) {
      line("{}: {{file: {}{}}}", key, scalar(file.file),
           file.hash.empty() ? "" : ", hash: \"" + file.hash + "\"");
    };
    reference("config", file_.config);
    reference("model", file_.model);
    line("samples: {}", file_.plan.samples);
    line("seed: {}", file_.seed);
    line("objective: {}", file_.objective == Objective::latency ? "latency" : "interval");
    if (file_.partial) out_ += "partial: true  # the search was interrupted\n";
  }

  /// Name of the group of a stage: equal groups have one name.
  std::string group_name(const PeGroup& group) {
    const auto found = std::find(groups_.begin(), groups_.end(), group);
    const auto index = found - groups_.begin();
    if (found == groups_.end()) groups_.push_back(group);
    return fmt::format("g{}", index);
  }

  void inter_stage() {
    out_ += "inter_stage:\n  stages:\n";
    for (const Stage& stage : file_.plan.stages) {
      std::vector<std::string> names;
      for (const OpId op : stage.operators) names.push_back(graph_.op(op).name);
      line("    - {{name: {}, operators: {}}}", scalar(stage.name), list(names));
    }
    std::string map;
    for (const Stage& stage : file_.plan.stages)
      map += fmt::format("{}{}: {}", map.empty() ? "" : ", ", scalar(stage.name), group_name(stage.group));
    out_ += "  pe_groups:\n";
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      std::vector<std::string> boxes;
      for (const Submesh& box : groups_[g].submeshes) boxes.push_back(box.to_string());
      line("    - {{name: g{}, submeshes: {}}}", g, list(boxes));
    }
    line("  map: {{{}}}", map);
  }

  void stage(std::size_t index) {
    const Stage& stage = file_.plan.stages[index];
    line("  - name: {}", scalar(stage.name));
    line("    intra_stage:");
    line("      sub_batches: {}", stage.strategy.sub_batches);
    line("      weights_resident: {}", stage.strategy.weights_resident);
    line("      operators:");
    for (std::size_t i = 0; i < stage.operators.size(); ++i)
      one_operator(stage, stage.operators[i], stage.strategy.operators[i]);
    if (!program_) return;
    out_ += "    intra_stage_primitives:";
    primitives("intra_stage", static_cast<std::uint32_t>(index), "      ");
  }

  void one_operator(const Stage& stage, OpId op, const OperatorCandidate& candidate) {
    const std::vector<std::string> names = axis_names(graph_, op);
    std::vector<std::string> nesting;
    for (const std::uint32_t axis : candidate.nesting) nesting.push_back(names.at(axis));
    line("        - operator: {}", scalar(graph_.op(op).name));
    line("          spatial: {}", parts(candidate.spatial, names));
    line("          temporal: {}", parts(candidate.temporal, names));
    line("          nesting: {}", list(nesting));
    line("          pe_order: {}", to_string(candidate.order));
    if (candidate.outer != OuterLoop::features) line("          outer_loop: {}", to_string(candidate.outer));
    const std::uint32_t together = ceil_div(file_.plan.samples, std::max(1u, stage.strategy.sub_batches));
    const OperatorMapping mapping = map_operator(graph_, hardware_, op, stage.group, candidate, 0, together);
    micro_tensors(op, mapping);
    std::vector<PeId> pes;
    for (const MappedPart& part : mapping.parts) pes.push_back(part.pe);
    line("          micro_operators: {{tiles: {}, pes: {}}}", mapping.most_tiles, ranges(pes));
  }

  /// Slices of one operand: how many different ones, and the largest.
  struct Slices {
    std::set<Box> boxes;
    Box largest;
    void add(const Box& box) {
      if (box.elements() > largest.elements() || boxes.empty()) largest = box;
      boxes.insert(box);
    }
  };

  void micro_tensors(OpId id, const OperatorMapping& mapping) {
    const Operator& op = graph_.op(id);
    const OperatorKind& kind = kind_of(op);
    line("          micro_tensors:");
    const auto operand = [&](TensorId tensor, const char* use, auto box_of) {
      Slices slices;
      for (const MappedPart& part : mapping.parts)
        for (const Box& tile : part.tiles) slices.add(box_of(tile));
      const Box& box = slices.largest;
      line("            - {{{}: {}, slices: {}, extent: [{}], bytes: {}}}", use,
           scalar(graph_.tensor(tensor).name), slices.boxes.size(),
           fmt::join(box.extent.begin(), box.extent.begin() + box.rank, ", "),
           box.elements() * bytes_of(graph_.tensor(tensor).type).count());
    };
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
      operand(op.inputs[i], "read", [&](const Box& tile) { return kind.input_box(graph_, id, i, tile); });
    for (std::size_t i = 0; i < op.outputs.size(); ++i)
      operand(op.outputs[i], "write", [&](const Box& tile) { return kind.output_box(graph_, id, i, tile); });
  }

  void collect_primitives() {
    sources_.resize(program_->primitives.size());
    destinations_.resize(program_->primitives.size());
    for (const Transfer& transfer : program_->transfers) {
      if (transfer.kind != TransferKind::send || transfer.primitive >= sources_.size()) continue;
      sources_[transfer.primitive].insert(transfer.source);
      for (const PeId leaf : receivers(*program_, transfer)) destinations_[transfer.primitive].insert(leaf);
    }
  }

  /// The primitives of one scope, of one stage if given, as a list below the key just written.
  void primitives(const std::string& scope, std::optional<std::uint32_t> stage, const std::string& indent) {
    bool any = false;
    for (std::size_t p = 0; program_ && p < program_->primitives.size(); ++p) {
      const Primitive& primitive = program_->primitives[p];
      if (primitive.scope != scope || sources_[p].empty()) continue;
      const ProgramOperator& op = program_->operators.at(primitive.op.value());
      if (stage && op.stage != *stage) continue;
      if (!any) out_ += "\n";
      any = true;
      const auto pes = [](const std::set<PeId>& set) { return ranges({set.begin(), set.end()}); };
      line("{}- {{kind: {}, algorithm: {}, tensor: {}, for: {}, from: {}, to: {},", indent,
           scalar(primitive.kind), scalar(primitive.algorithm), scalar(primitive.tensor), scalar(op.name),
           scalar(primitive.layout_from), scalar(primitive.layout_to));
      line("{}   sources: {}, destinations: {}, bytes: {}}}", indent, pes(sources_[p]), pes(destinations_[p]),
           primitive.bytes);
    }
    if (!any) out_ += " []\n";
  }

  const PlanFile& file_;
  const Graph& graph_;
  const HardwareSpec& hardware_;
  const Program* program_;
  std::vector<PeGroup> groups_;
  std::vector<std::set<PeId>> sources_, destinations_;  ///< by primitive
  std::string out_;
};

}  // namespace

std::string plan_yaml(const PlanFile& file, const Graph& graph, const HardwareSpec& hardware,
                      const Program* program) {
  return PlanWriter(file, graph, hardware, program).text();
}

}  // namespace dfsim
