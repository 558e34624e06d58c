// sim/noc/routing/turn_table.h: shortest ways on any graph, given which turns are legal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "sim/api/hardware.h"

namespace dfsim {

/// For each destination, router and input port the outputs that lie on a shortest way made of legal turns
/// only. A turn is (input port, output port) at a router; packets of the router's own endpoints may take any
/// output, and no packet ever goes back to where it came from. Every hop brings the packet nearer, so that it
/// arrives. Takes routers^2 x (ports between routers + 1) bytes.
class TurnTable {
 public:
  static constexpr std::uint32_t kMostRouters = 4096;

  /// Is asked about turns of existing links only, never about packets of own endpoints.
  using Legal = std::function<bool(std::uint32_t router, std::uint32_t in_port, std::uint32_t out_port)>;
  struct Pair {
    RouterId from, to;
  };

  /// The first pair of routers (by destination) without a way; nothing if all are joined.
  static std::optional<Pair> cut_off(const LinkGraph& graph, const Legal& legal);

  TurnTable() = default;
  /// Throws SimulationError on more than kMostRouters routers.
  TurnTable(const LinkGraph& graph, const Legal& legal);

  /// A bit per output port; 0 if there is no way, or `router` is the destination. `in_port` from 2 *
  /// dimensions on means an own endpoint.
  std::uint8_t outputs(std::uint32_t router, std::uint32_t in_port, std::uint32_t destination) const {
    const std::uint32_t in = in_port < ports_ ? in_port : ports_;
    return outputs_[(std::size_t{destination} * routers_ + router) * (ports_ + 1) + in];
  }

 private:
  std::uint32_t routers_ = 0;
  std::uint32_t ports_ = 0;  ///< between routers; an input port of this number stands for own endpoints
  std::vector<std::uint8_t> outputs_;
};

/// "(1,0) to (2,0)", coordinates as far as the graph has dimensions.
std::string to_string(const LinkGraph& graph, const TurnTable::Pair& pair);

}  // namespace dfsim
