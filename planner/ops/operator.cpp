// planner/ops/operator.cpp: finding a kind, and the work of whole operators.
#include "planner/ops/operator.h"

#include <map>
#include <memory>

#include "planner/ops/blocks.h"

namespace dfsim {

namespace {

using Kinds = std::map<std::string, std::unique_ptr<OperatorKind>>;

Kinds make_kinds() {
  Kinds kinds;
  for (const auto& [name, entry] : OperatorRegistry::instance().entries()) kinds.emplace(name, entry.make());
  return kinds;
}

}  // namespace

const OperatorKind& kind_of(const Operator& op) {
  static const Kinds kinds = make_kinds();  // kinds are stateless: one of each serves all
  const auto it = kinds.find(op.kind);
  if (it == kinds.end())
    throw SimulationError("ops: operator '" + op.name + "' is of the unknown kind '" + op.kind + "'");
  return *it->second;
}

std::uint64_t macs_per_sample(const Graph& graph, OpId op) {
  const OperatorKind& kind = kind_of(graph.op(op));
  const Work work = kind.work(graph, op, whole_block(kind.axes(graph, op, 1)));
  return work.unit == WorkUnit::matrix ? work.matmul.macs() : 0;
}

std::uint64_t macs_per_sample(const Graph& graph) {
  std::uint64_t sum = 0;
  for (std::uint32_t op = 0; op < graph.operators().size(); ++op) sum += macs_per_sample(graph, OpId(op));
  return sum;
}

}  // namespace dfsim
