// sim/noc/traffic.h: synthetic traffic patterns: who sends to whom.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/api/hardware.h"
#include "sim/base/rng.h"

namespace dfsim {

/// Destinations by source, one node per router. Patterns (N nodes, s a source, coordinates per dimension, k
/// the extent):
///   uniform        any node with equal chance, the own included
///   transpose      coordinates in reverse order; needs equal extents
///   bitcomp        s -> N - 1 - s
///   tornado        each coordinate x -> (x + ceil(k/2) - 1) mod k
///   neighbor       each coordinate x -> (x + 1) mod k
///   bitrev         bits of s in reverse order; needs a power of two
///   shuffle        bits of s rotated left by one; needs a power of two
///   hotspot<N>w<W> every node with weight 1, node N with weight W
///   hotspot_node<N>  all to node N
class TrafficPattern {
 public:
  /// Throws InputError if there is no such pattern or it does not fit the graph.
  TrafficPattern(const std::string& name, const LinkGraph& graph);

  std::uint32_t destination(std::uint32_t source, Rng& rng) const {
    if (!fixed_.empty()) return fixed_[source];
    const auto draw = static_cast<std::uint32_t>(rng.below(nodes_ - 1 + hot_weight_));
    return draw < nodes_ ? draw : hot_node_;
  }
  std::uint32_t nodes() const { return nodes_; }

 private:
  void parse_hotspot(const std::string& name);

  std::uint32_t nodes_;
  std::vector<std::uint32_t> fixed_;  ///< by source; empty if drawn
  std::uint32_t hot_node_ = 0;
  std::uint32_t hot_weight_ = 1;
};

}  // namespace dfsim
