#include "sim/noc/traffic.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <functional>
#include <map>
#include <optional>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

[[noreturn]] void refuse(const std::string& what, const std::string& hint = {}) {
  Diagnostics problem;
  problem.error({"--traffic", 0, 0}, what, hint);
  throw InputError(problem.list());
}

std::uint32_t for_each_coordinate(const LinkGraph& graph, std::uint32_t node,
                                  const std::function<std::uint32_t(std::uint32_t, std::uint32_t)>& move) {
  std::array<std::uint32_t, 3> place = graph.coordinates(RouterId(node));
  for (std::size_t d = 0; d < 3; ++d) place[d] = move(place[d], graph.extent[d]) % graph.extent[d];
  return graph.router_at(place[0], place[1], place[2]).value();
}

std::uint32_t bits_of(const LinkGraph& graph, const char* name) {
  if (!std::has_single_bit(graph.router_count()))
    refuse(fmt::format("'{}' needs a power of two of nodes, not {}", name, graph.router_count()));
  return static_cast<std::uint32_t>(std::countr_zero(graph.router_count()));
}

std::uint32_t transpose(const LinkGraph& graph, std::uint32_t node) {
  for (std::uint32_t d = 1; d < graph.dimensions; ++d)
    if (graph.extent[d] != graph.extent[0]) refuse("'transpose' needs equal extents in all dimensions");
  const std::array<std::uint32_t, 3> place = graph.coordinates(RouterId(node));
  if (graph.dimensions == 1) return node;
  if (graph.dimensions == 2) return graph.router_at(place[1], place[0]).value();
  return graph.router_at(place[2], place[1], place[0]).value();
}

std::uint32_t tornado(const LinkGraph& graph, std::uint32_t node) {
  return for_each_coordinate(graph, node,
                             [](std::uint32_t x, std::uint32_t k) { return x + (k + 1) / 2 - 1; });
}

std::uint32_t neighbor(const LinkGraph& graph, std::uint32_t node) {
  return for_each_coordinate(graph, node, [](std::uint32_t x, std::uint32_t) { return x + 1; });
}

std::uint32_t bit_complement(const LinkGraph& graph, std::uint32_t node) {
  return graph.router_count() - 1 - node;
}

std::uint32_t bit_reverse(const LinkGraph& graph, std::uint32_t node) {
  const std::uint32_t bits = bits_of(graph, "bitrev");
  std::uint32_t result = 0;
  for (std::uint32_t i = 0; i < bits; ++i) result |= (node >> i & 1) << (bits - 1 - i);
  return result;
}

std::uint32_t shuffle(const LinkGraph& graph, std::uint32_t node) {
  const std::uint32_t bits = bits_of(graph, "shuffle");
  return bits == 0 ? node : (node << 1 | node >> (bits - 1)) & (graph.router_count() - 1);
}

using Permutation = std::uint32_t (*)(const LinkGraph&, std::uint32_t);
const std::map<std::string, Permutation>& permutations() {
  static const std::map<std::string, Permutation> all{{"transpose", transpose}, {"bitcomp", bit_complement},
                                                      {"tornado", tornado},     {"neighbor", neighbor},
                                                      {"bitrev", bit_reverse},  {"shuffle", shuffle}};
  return all;
}

std::optional<std::uint32_t> number(const std::string& text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

TrafficPattern::TrafficPattern(const std::string& name, const LinkGraph& graph)
    : nodes_(graph.router_count()) {
  if (name == "uniform") return;
  if (const auto it = permutations().find(name); it != permutations().end()) {
    for (std::uint32_t node = 0; node < nodes_; ++node) fixed_.push_back(it->second(graph, node));
    return;
  }
  if (name.starts_with("hotspot")) {
    parse_hotspot(name);
    return;
  }
  refuse(fmt::format("unknown traffic '{}'", name),
         "known: uniform, transpose, bitcomp, tornado, neighbor, bitrev, shuffle, hotspot<N>w<W>, "
         "hotspot_node<N>");
}

void TrafficPattern::parse_hotspot(const std::string& name) {
  const std::string rest = name.substr(std::string("hotspot").size());
  const bool all = rest.starts_with("_node");
  const std::size_t split = rest.find('w');
  const std::optional<std::uint32_t> node = number(all ? rest.substr(5) : rest.substr(0, split));
  const std::optional<std::uint32_t> weight =
      all || split == std::string::npos ? std::nullopt : number(rest.substr(split + 1));
  if (!node || (!all && (!weight || *weight == 0)))
    refuse(fmt::format("'{}' is not of the form hotspot<node>w<weight> or hotspot_node<node>", name));
  if (*node >= nodes_) refuse(fmt::format("'{}' names node {}, but there are {}", name, *node, nodes_));
  if (all) {
    fixed_.assign(nodes_, *node);
    return;
  }
  hot_node_ = *node;
  hot_weight_ = *weight;
}

}  // namespace dfsim
