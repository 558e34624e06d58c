// planner/frontend/order.cpp: topological order and cycles, on Boost.Graph.
#include "planner/frontend/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <boost/graph/topological_sort.hpp>
#include <iterator>
#include <queue>

namespace dfsim {

namespace {

using Order = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;

constexpr std::size_t kMaxShown = 12;  ///< operators of a cycle that a message names

Order order_graph(const Wiring& wiring) {
  Order graph(wiring.inputs.size());
  for (std::size_t op = 0; op < wiring.inputs.size(); ++op) {
    for (const DraftTensor& tensor : wiring.inputs[op])
      if (!tensor.is_input) boost::add_edge(tensor.index, op, graph);
    for (const std::size_t before : wiring.after[op]) boost::add_edge(before, op, graph);
  }
  return graph;
}

/// A shortest cycle through `start` within its strong component.
std::vector<std::size_t> cycle_through(std::size_t start, const Order& graph,
                                       const std::vector<int>& component) {
  std::vector<std::size_t> from(boost::num_vertices(graph), boost::num_vertices(graph));
  std::queue<std::size_t> queue({start});
  while (!queue.empty()) {
    const std::size_t at = queue.front();
    queue.pop();
    for (auto [edge, end] = boost::out_edges(at, graph); edge != end; ++edge) {
      const std::size_t next = boost::target(*edge, graph);
      if (next == start) {
        std::vector<std::size_t> cycle{start};
        for (std::size_t op = at; op != start; op = from[op]) cycle.push_back(op);
        std::reverse(cycle.begin() + 1, cycle.end());
        return cycle;
      }
      if (component[next] != component[start] || from[next] != boost::num_vertices(graph)) continue;
      from[next] = at;
      queue.push(next);
    }
  }
  return {};
}

/// One message per strong component with a cycle, at its first operator.
bool report_cycles(const Draft& draft, const Order& graph, Mistakes& mistakes) {
  std::vector<int> component(boost::num_vertices(graph));
  const int components = boost::strong_components(
      graph, boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  std::vector<std::size_t> size(static_cast<std::size_t>(components));
  for (const int c : component) ++size[static_cast<std::size_t>(c)];
  bool found = false;
  for (std::size_t op = 0; op < component.size(); ++op) {
    std::size_t& members = size[static_cast<std::size_t>(component[op])];
    if (members == 0 || (members == 1 && !boost::edge(op, op, graph).second)) continue;
    members = 0;  // reported
    const std::vector<std::size_t> cycle = cycle_through(op, graph, component);
    found = true;
    std::string text;
    for (std::size_t i = 0; i < std::min(cycle.size(), kMaxShown); ++i)
      text += fmt::format("'{}' -> ", draft.operators[cycle[i]].name);
    if (cycle.size() > kMaxShown) text += fmt::format("{} more -> ", cycle.size() - kMaxShown);
    mistakes.report(
        draft.operators[op].where, "cycle",
        fmt::format("operators wait for each other in a cycle: {}'{}'", text, draft.operators[op].name),
        "an arrow leads from an operator to one that reads its output or runs after it");
  }
  return found;
}

/// For every operator the number of operators on the longest way from it to an end of the graph.
std::vector<std::size_t> longest_ways(const Order& graph) {
  std::vector<std::size_t> finished;  // each after all that follow it
  boost::topological_sort(graph, std::back_inserter(finished));
  std::vector<std::size_t> rest(boost::num_vertices(graph), 1);
  for (const std::size_t op : finished)
    for (auto [edge, end] = boost::out_edges(op, graph); edge != end; ++edge)
      rest[op] = std::max(rest[op], rest[boost::target(*edge, graph)] + 1);
  return rest;
}

}  // namespace

std::vector<std::size_t> topological_order(const Draft& draft, const Wiring& wiring, Mistakes& mistakes) {
  const Order graph = order_graph(wiring);
  if (report_cycles(draft, graph, mistakes)) return {};
  std::vector<std::size_t> waiting(boost::num_vertices(graph));
  for (auto [edge, end] = boost::edges(graph); edge != end; ++edge) ++waiting[boost::target(*edge, graph)];
  const std::vector<std::size_t> rest = longest_ways(graph);
  // Of equals what has just become ready: work on a tensor follows the operator that made it.
  std::vector<std::size_t> since(waiting.size(), 0);
  const auto later = [&](std::size_t a, std::size_t b) {
    if (rest[a] != rest[b]) return rest[a] < rest[b];
    return since[a] != since[b] ? since[a] < since[b] : a > b;
  };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(later)> ready(later);
  for (std::size_t op = 0; op < waiting.size(); ++op)
    if (waiting[op] == 0) ready.push(op);
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t op = ready.top();
    ready.pop();
    order.push_back(op);
    for (auto [edge, end] = boost::out_edges(op, graph); edge != end; ++edge)
      if (const std::size_t next = boost::target(*edge, graph); --waiting[next] == 0) {
        since[next] = order.size();
        ready.push(next);
      }
  }
  return order;
}

}  // namespace dfsim
