#include "planner/placement/cut.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "planner/placement/cut_rules.h"
#include "planner/placement/workload.h"

namespace dfsim {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

bool kind_matches(const std::string& wanted, const Operator& op) {
  const std::size_t colon = wanted.find(':');
  if (wanted.substr(0, colon) != op.kind) return false;
  return colon == std::string::npos || op.text("function", "") == wanted.substr(colon + 1);
}

/// Forbids cuts between the first and the last operator of every occurrence.
class PatternSearch {
 public:
  PatternSearch(const Graph& graph, const CutPattern& pattern, std::vector<bool>& possible)
      : graph_(graph), pattern_(pattern), possible_(possible) {}
  void run() {
    for (std::uint32_t op = 0; op < graph_.operators().size(); ++op) follow(OpId(op), 0, op);
  }

 private:
  void follow(OpId op, std::size_t position, std::uint32_t first) {
    if (!kind_matches(pattern_.kinds[position], graph_.op(op))) return;
    if (position + 1 == pattern_.kinds.size()) {
      for (std::uint32_t i = first; i < op.value(); ++i) possible_[i] = false;
      return;
    }
    for (const TensorId tensor : graph_.op(op).outputs)
      for (const OpId reader : graph_.tensor(tensor).consumers) follow(reader, position + 1, first);
  }
  const Graph& graph_;
  const CutPattern& pattern_;
  std::vector<bool>& possible_;
};

/// Runs of operators between possible cuts, chosen by dynamic programming over the number of sub-graphs.
class Partition {
 public:
  Partition(const Graph& graph, const CutConstraints& constraints, const AllowedProcessors& allowed)
      : constraints_(constraints), allowed_(allowed), count_(graph.operators().size()) {
    const std::vector<bool> possible = possible_cuts(graph, constraints);
    places_.push_back(0);
    for (std::size_t i = 0; i < count_; ++i)
      if (possible[i] || i + 1 == count_) places_.push_back(i + 1);
    work_.assign(count_ + 1, 0);
    for (std::uint32_t i = 0; i < count_; ++i) work_[i + 1] = work_[i] + relative_work(graph, OpId(i));
  }

  /// Ends of the sub-graphs, ascending, the last is the number of operators; empty if there is no partition.
  std::vector<std::size_t> solve() {
    const std::size_t most = std::min<std::size_t>(constraints_.max_subgraphs, places_.size() - 1);
    // best[k][j]: the first places_[j] operators in k runs.
    std::vector<std::vector<double>> best(most + 1, std::vector<double>(places_.size(), kNever));
    std::vector<std::vector<std::size_t>> from(most + 1, std::vector<std::size_t>(places_.size(), 0));
    best[0][0] = 0;
    for (std::size_t j = 1; j < places_.size(); ++j)
      for (std::size_t i = j; i-- > 0;) {
        const double cost = run_cost(places_[i], places_[j]);
        if (cost == kNever) continue;
        for (std::size_t k = 1; k <= most; ++k)
          if (best[k - 1][i] + cost < best[k][j]) best[k][j] = best[k - 1][i] + cost, from[k][j] = i;
      }
    for (std::size_t k = most; k >= 2; --k)
      if (best[k].back() != kNever) return ends(from, k);
    return {};
  }

 private:
  double run_cost(std::size_t begin, std::size_t end) const {
    const std::size_t size = end - begin;
    if (size < constraints_.min_operators || size > constraints_.max_operators) return kNever;
    if (!allowed_.share_one(begin, end)) return kNever;
    const double work = work_[end] - work_[begin];
    return work * work;
  }
  std::vector<std::size_t> ends(const std::vector<std::vector<std::size_t>>& from, std::size_t k) const {
    std::vector<std::size_t> result;
    for (std::size_t j = places_.size() - 1; k > 0; j = from[k--][j]) result.push_back(places_[j]);
    std::reverse(result.begin(), result.end());
    return result;
  }

  const CutConstraints& constraints_;
  const AllowedProcessors& allowed_;
  std::size_t count_;
  std::vector<std::size_t> places_;  ///< 0, behind each possible cut, all
  std::vector<double> work_;         ///< of the operators before
};

/// Which single constraints, lifted, would let the graph be cut.
std::string what_would_help(const Graph& graph, const CutConstraints& constraints,
                            const AllowedProcessors& allowed) {
  const AllowedProcessors anywhere = AllowedProcessors::everywhere(graph);
  std::string list;
  const auto try_without = [&](const std::string& name, const CutConstraints& relaxed,
                               const AllowedProcessors& where) {
    if (!Partition(graph, relaxed, where).solve().empty()) list += (list.empty() ? "" : ", or ") + name;
  };
  CutConstraints relaxed = constraints;
  relaxed.max_crossing_tensors = CutConstraints::kNoLimit;
  try_without("max_crossing_tensors", relaxed, allowed);
  relaxed = constraints;
  relaxed.never_inside.clear();
  try_without("never_inside", relaxed, allowed);
  relaxed = constraints;
  relaxed.min_operators = 1;
  try_without("min_operators", relaxed, allowed);
  relaxed = constraints;
  relaxed.max_operators = CutConstraints::kNoLimit;
  try_without("max_operators", relaxed, allowed);
  try_without("the processors of operators (pinned, allowed, supports)", constraints, anywhere);
  return list.empty() ? "no single constraint alone is to blame: relax several"
                      : "there would be a cut without " + list;
}

void add_tensors(const Graph& graph, CutSubgraph& subgraph) {
  std::set<OpId> inside(subgraph.operators.begin(), subgraph.operators.end());
  std::set<TensorId> inputs, outputs;
  for (const OpId id : subgraph.operators) {
    for (const TensorId t : graph.op(id).inputs) {
      const Tensor& tensor = graph.tensor(t);
      if (tensor.has_samples() && !(tensor.producer && inside.count(*tensor.producer))) inputs.insert(t);
    }
    for (const TensorId t : graph.op(id).outputs) {
      const Tensor& tensor = graph.tensor(t);
      const bool leaves = std::any_of(tensor.consumers.begin(), tensor.consumers.end(),
                                      [&](OpId reader) { return !inside.count(reader); });
      if (leaves || tensor.role == TensorRole::output) outputs.insert(t);
    }
  }
  subgraph.inputs.assign(inputs.begin(), inputs.end());
  subgraph.outputs.assign(outputs.begin(), outputs.end());
}

void add_edges(const Graph& graph, const std::vector<std::size_t>& owner, Cut& cut) {
  std::map<std::pair<std::size_t, std::size_t>, std::set<TensorId>> edges;
  for (std::uint32_t t = 0; t < graph.tensors().size(); ++t) {
    const Tensor& tensor = graph.tensor(TensorId(t));
    if (!tensor.producer) continue;
    const std::size_t from = owner[tensor.producer->value()];
    for (const OpId reader : tensor.consumers)
      if (owner[reader.value()] != from) edges[{from, owner[reader.value()]}].insert(TensorId(t));
  }
  for (const auto& [before, after] : graph.control_edges())
    if (owner[before.value()] != owner[after.value()]) edges[{owner[before.value()], owner[after.value()]}];
  for (const auto& [ends, tensors] : edges)
    cut.edges.push_back({ends.first, ends.second, {tensors.begin(), tensors.end()}});
}

void add_together(const Graph& graph, const CutConstraints& constraints, Cut& cut) {
  for (const TogetherRule& rule : constraints.together) {
    std::set<std::size_t> members;
    for (std::size_t i = 0; i < cut.subgraphs.size(); ++i)
      for (const OpId op : cut.subgraphs[i].operators)
        for (const std::string& pattern : rule.operators)
          if (matches(pattern, graph.op(op).name)) members.insert(i);
    if (members.size() > 1) cut.together.emplace_back(members.begin(), members.end());
  }
}

}  // namespace

std::vector<bool> possible_cuts(const Graph& graph, const CutConstraints& constraints) {
  const std::size_t n = graph.operators().size();
  // A tensor made by p whose last reader is r crosses the cuts after p .. r-1.
  std::vector<std::int64_t> change(n + 1, 0);
  for (const Tensor& tensor : graph.tensors()) {
    if (!tensor.producer || tensor.consumers.empty()) continue;
    ++change[tensor.producer->value()];
    --change[tensor.consumers.back().value()];
  }
  std::vector<bool> possible(n, false);
  std::int64_t crossing = 0;
  for (std::size_t i = 0; i + 1 < n; ++i) {
    crossing += change[i];
    possible[i] = crossing <= static_cast<std::int64_t>(constraints.max_crossing_tensors);
  }
  for (const CutPattern& pattern : constraints.never_inside) PatternSearch(graph, pattern, possible).run();
  return possible;
}

Cut cut_graph(const Graph& graph, const CutConstraints& constraints,
              const std::vector<std::string>& processors, const OperatorSupport& support) {
  if (graph.operators().size() < 2)
    throw ModelError(
        {{graph.operators().front().where,
          fmt::format("'{}' has one operator; a placement needs at least two sub-graphs", graph.name),
          "plan it for one processor instead"}});
  const AllowedProcessors allowed = AllowedProcessors::of(graph, constraints, processors, support);
  const std::vector<std::size_t> ends = Partition(graph, constraints, allowed).solve();
  if (ends.empty())
    throw ModelError(
        {{constraints.where,
          fmt::format("no cut of '{}' into at least two sub-graphs satisfies the constraints", graph.name),
          what_would_help(graph, constraints, allowed)}});
  Cut cut = assemble_cut(graph, ends);
  for (CutSubgraph& subgraph : cut.subgraphs) {
    subgraph.refused =
        allowed.refusals(subgraph.operators.front().value(), subgraph.operators.back().value() + 1);
    for (const std::string& reason : subgraph.refused) subgraph.allowed.push_back(reason.empty());
  }
  add_together(graph, constraints, cut);
  return cut;
}

Cut assemble_cut(const Graph& graph, const std::vector<std::size_t>& ends) {
  Cut cut;
  std::vector<std::size_t> owner(graph.operators().size(), 0);
  std::size_t begin = 0;
  for (const std::size_t end : ends) {
    CutSubgraph subgraph;
    subgraph.name = fmt::format("g{}", cut.subgraphs.size());
    for (std::size_t i = begin; i < end; ++i) {
      owner[i] = cut.subgraphs.size();
      subgraph.operators.push_back(OpId(static_cast<std::uint32_t>(i)));
    }
    add_tensors(graph, subgraph);
    cut.subgraphs.push_back(std::move(subgraph));
    begin = end;
  }
  add_edges(graph, owner, cut);
  return cut;
}

}  // namespace dfsim
