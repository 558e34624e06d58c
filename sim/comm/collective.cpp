#include "sim/comm/collective.h"

#include <algorithm>
#include <map>
#include <set>

namespace dfsim {

namespace {

const std::map<CollectiveKind, std::string>& kind_names() {
  static const std::map<CollectiveKind, std::string> names{
      {CollectiveKind::broadcast, "broadcast"},   {CollectiveKind::scatter, "scatter"},
      {CollectiveKind::gather, "gather"},         {CollectiveKind::reduce, "reduce"},
      {CollectiveKind::all_gather, "all_gather"}, {CollectiveKind::reduce_scatter, "reduce_scatter"},
      {CollectiveKind::all_reduce, "all_reduce"}, {CollectiveKind::all_to_all, "all_to_all"}};
  return names;
}

ElementRange everything(const CollectiveRequest& request) { return {0, request.elements}; }

}  // namespace

ElementRanges joined(ElementRanges ranges) {
  std::sort(ranges.begin(), ranges.end());
  ElementRanges result;
  for (const ElementRange& range : ranges) {
    if (range.size() == 0) continue;
    if (!result.empty() && range.begin <= result.back().end)
      result.back().end = std::max(result.back().end, range.end);
    else
      result.push_back(range);
  }
  return result;
}

const std::vector<CollectiveKind>& collective_kinds() {
  static const std::vector<CollectiveKind> kinds = [] {
    std::vector<CollectiveKind> all;
    for (const auto& [kind, name] : kind_names()) all.push_back(kind);
    return all;
  }();
  return kinds;
}

std::string to_string(CollectiveKind kind) { return kind_names().at(kind); }

ElementRanges held_before(const CollectiveRequest& request, std::uint32_t rank) {
  switch (request.kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::scatter:
      return rank == request.root ? joined({everything(request)}) : ElementRanges{};
    case CollectiveKind::gather:
    case CollectiveKind::all_gather:
      return joined({request.block(rank)});
    case CollectiveKind::reduce:
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_reduce:
      return joined({everything(request)});
    case CollectiveKind::all_to_all:
      return joined({{rank * request.elements, (rank + 1) * request.elements}});
  }
  return {};
}

ElementRanges held_after(const CollectiveRequest& request, std::uint32_t rank) {
  switch (request.kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::all_gather:
    case CollectiveKind::all_reduce:
      return joined({everything(request)});
    case CollectiveKind::scatter:
    case CollectiveKind::reduce_scatter:
      return joined({request.block(rank)});
    case CollectiveKind::gather:
    case CollectiveKind::reduce:
      return rank == request.root ? joined({everything(request)}) : ElementRanges{};
    case CollectiveKind::all_to_all: {
      ElementRanges ranges;
      for (std::uint32_t from = 0; from < request.ranks(); ++from)
        ranges.push_back(request.block_from(from, rank));
      return joined(ranges);
    }
  }
  return {};
}

double least_elements(const CollectiveRequest& request) {
  const auto ranks = static_cast<double>(request.ranks());
  const auto elements = static_cast<double>(request.elements);
  if (request.ranks() == 1) return 0;
  switch (request.kind) {
    case CollectiveKind::broadcast:
    case CollectiveKind::reduce:
      return elements;
    case CollectiveKind::all_reduce:
      return 2 * (ranks - 1) / ranks * elements;
    case CollectiveKind::scatter:
    case CollectiveKind::gather:
      return elements - static_cast<double>(request.block(request.root).size());
    default:
      return (ranks - 1) / ranks * elements;
  }
}

std::vector<std::string> collective_algorithms(CollectiveKind kind) {
  const std::string prefix = to_string(kind) + "/";
  std::vector<std::string> result;
  for (const std::string& name : CollectiveRegistry::instance().names())
    if (name.starts_with(prefix)) result.push_back(name.substr(prefix.size()));
  return result;
}

CollectiveTraffic traffic_of(const std::vector<CollectiveMessage>& messages) {
  CollectiveTraffic traffic;
  std::map<std::uint32_t, std::uint64_t> sent, received;
  std::set<std::uint32_t> steps;
  for (const CollectiveMessage& message : messages) {
    ++traffic.messages;
    steps.insert(message.step);
    traffic.elements += message.range.size();
    traffic.most_sent = std::max(traffic.most_sent, sent[message.from] += message.range.size());
    traffic.most_received = std::max(traffic.most_received, received[message.to] += message.range.size());
  }
  traffic.steps = steps.size();
  return traffic;
}

}  // namespace dfsim
