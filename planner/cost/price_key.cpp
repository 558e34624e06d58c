#include "planner/cost/price_key.h"

#include <algorithm>
#include <map>
#include <set>

#include "planner/plan/plan_text.h"
#include "sim/base/hash.h"

namespace dfsim {

namespace {

/// Changes when the meaning of a stored price changes without a change of the sources that the simulator
/// version covers.
constexpr std::uint64_t kKeyFormat = 1;

bool uses_snake(const Stage& stage) {
  return std::any_of(stage.strategy.operators.begin(), stage.strategy.operators.end(),
                     [](const OperatorCandidate& candidate) { return candidate.order == PeOrder::snake; });
}

}  // namespace

PriceKeys::PriceKeys(const Graph& graph, const HardwareSpec& hardware, const PriceContext& context)
    : graph_(graph), hardware_(hardware) {
  TextWriter out;
  out.number(kKeyFormat).text(context.simulator_version).text(hardware.fingerprint());
  out.number(context.samples).number(context.periods).number(context.seed);
  base_ = content_hash(out.str());
  for (const MemoryPortSpec& port : hardware.memory)
    equal_ports_ = equal_ports_ && port.controller == hardware.memory.front().controller;
}

bool PriceKeys::plain_mesh(NocId noc) const {
  if (noc.value() >= hardware_.nocs.size()) return false;
  const NocSpec& spec = hardware_.nocs[noc.value()];
  return spec.graph.topology == "mesh" && spec.graph.dimensions == 2 && spec.routing == "xy";
}

std::string PriceKeys::position_class(const Stage& stage) const {
  TextWriter exact;
  write(exact, stage.group);
  if (stage.group.submeshes.size() != 1 || !equal_ports_ || uses_snake(stage)) return "at " + exact.str();
  const Submesh& box = stage.group.submeshes.front();
  if (!plain_mesh(box.noc)) return "at " + exact.str();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ports;  // (row within the box, column)
  for (const MemoryPortSpec& port : hardware_.memory) {
    if (port.noc != box.noc) continue;
    const auto at = hardware_.nocs[box.noc.value()].graph.coordinates(port.router);
    if (at[1] >= box.y && at[1] < box.y + box.height) ports.emplace_back(at[1] - box.y, at[0]);
  }
  if (ports.empty()) return "at " + exact.str();
  std::sort(ports.begin(), ports.end());
  TextWriter rows;
  rows.number(box.noc.value()).number(box.x).number(box.width).number(box.height).number(ports.size());
  for (const auto& [row, column] : ports) rows.number(row).number(column);
  return "rows " + rows.str();
}

/// The signature, and what it leaves open: the order of the tensors' numbers, by which the lowering sorts,
/// and the numbers of operators that draw rows of a table (they seed the draw).
std::string PriceKeys::operators_text(const std::vector<OpId>& ops) const {
  TextWriter out;
  out.text(graph_.signature(ops));
  std::map<TensorId, std::size_t> first_use;
  for (const OpId id : ops) {
    const Operator& op = graph_.op(id);
    bool draws = false;
    for (const auto* list : {&op.inputs, &op.outputs})
      for (const TensorId tensor : *list) {
        first_use.emplace(tensor, first_use.size());
        draws = draws || graph_.tensor(tensor).role == TensorRole::embedding;
      }
    out.number(draws ? id.value() + 1ull : 0);
  }
  for (const auto& [tensor, use] : first_use) out.number(use);
  return out.str();
}

std::string PriceKeys::names_text(const std::vector<const Stage*>& stages) const {
  TextWriter out;
  for (const Stage* stage : stages) {
    out.text(stage->name);
    write(out, stage->group);
    for (const OpId op : stage->operators) out.text(graph_.op(op).name);
  }
  return out.str();
}

PriceKey PriceKeys::key(const char* kind, const std::string& content,
                        const std::vector<const Stage*>& stages) const {
  const std::string text = content_hash(std::string(kind) + " " + base_ + " " + content);
  return {text, content_hash(text + " named " + names_text(stages))};
}

PriceKey PriceKeys::stage(const Stage& stage) const {
  TextWriter out;
  out.text(operators_text(stage.operators)).text(position_class(stage));
  write(out, stage.strategy);
  return key("stage", out.str(), {&stage});
}

PriceKey PriceKeys::transfer(const Stage& producer, const Stage& consumer) const {
  std::vector<OpId> all = producer.operators;
  all.insert(all.end(), consumer.operators.begin(), consumer.operators.end());
  TextWriter out;
  out.number(producer.operators.size()).text(operators_text(all));
  write(out, producer.strategy);
  write(out, consumer.strategy);
  // No memory port takes part and traffic stays inside the box around both groups: only their relative
  // position counts.
  std::vector<PeGroup> groups{producer.group, consumer.group};
  const NocId noc = groups[0].submeshes.empty() ? NocId(0) : groups[0].submeshes.front().noc;
  bool movable = plain_mesh(noc) && !uses_snake(producer) && !uses_snake(consumer);
  for (const PeGroup& group : groups)
    movable = movable && group.submeshes.size() == 1 && group.submeshes.front().noc == noc;
  if (movable) {
    Submesh &a = groups[0].submeshes.front(), &b = groups[1].submeshes.front();
    const std::uint32_t x = std::min(a.x, b.x), y = std::min(a.y, b.y);
    a.x -= x, b.x -= x, a.y -= y, b.y -= y;
  }
  for (const PeGroup& group : groups) write(out, group);
  return key("transfer", out.str(), {&producer, &consumer});
}

PriceKey PriceKeys::plan(const Plan& plan) const {
  TextWriter out;
  std::vector<const Stage*> stages;
  std::vector<OpId> all;
  out.number(plan.samples).number(plan.stages.size());
  for (const Stage& stage : plan.stages) {
    stages.push_back(&stage);
    all.insert(all.end(), stage.operators.begin(), stage.operators.end());
    out.text(nameless_text(stage));
  }
  out.text(operators_text(all));
  return key("plan", out.str(), stages);
}

}  // namespace dfsim
