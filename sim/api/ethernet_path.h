// sim/api/ethernet_path.h: which NoCs a message between two of them passes.
#pragma once

#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

/// NoCs that a link or a switch joins, and rings that forward.
///
/// Two NoCs that a link or a switch joins reach each other directly. Where links alone form a ring or a chain
/// (every NoC of it has at most two neighbours), the NoCs between forward: a message goes the shorter way
/// round, and in the direction of the order of the ring if both are equal. The order of a ring starts at its
/// NoC with the least number, towards the lesser of its two neighbours; the dateline is the link that closes
/// it. Other topologies do not forward: a cycle of waiting buffers could form that no dateline cuts.
class EthernetPaths {
 public:
  explicit EthernetPaths(const HardwareSpec& hardware);
  /// From `from` to `to`, both included; empty if no way leads there. {from} if they are equal.
  std::vector<NocId> path(NocId from, NocId to) const;
  bool adjacent(NocId a, NocId b) const;
  std::uint32_t nocs() const { return static_cast<std::uint32_t>(places_.size()); }
  /// The link from `a` to `b`, either way, closes a ring.
  bool crosses_dateline(NocId a, NocId b) const;

 private:
  struct Place {
    bool forwards = false;
    std::uint32_t chain = 0;     ///< which ring or chain
    std::uint32_t position = 0;  ///< in it
  };
  struct Chain {
    std::vector<NocId> order;
    bool closed = false;
  };
  void follow(NocId start, const std::vector<std::vector<NocId>>& linked);

  std::vector<std::vector<bool>> adjacent_;
  std::vector<Place> places_;
  std::vector<Chain> chains_;
};

}  // namespace dfsim
