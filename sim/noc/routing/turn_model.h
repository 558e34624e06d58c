// sim/noc/routing/turn_model.h: adaptive routing on 2-D meshes by forbidding turns (Glass and Ni, The turn
// model for adaptive routing, ISCA 1992): if no circle of channels can be closed by legal turns, there is no
// deadlock, with one virtual channel or many.
#pragma once

#include "sim/noc/routing/routing.h"
#include "sim/noc/routing/turn_table.h"

namespace dfsim {

/// Offers a head every output on a shortest legal way, with all virtual channels of its class; the VC
/// allocator gives it one that is free. On a whole mesh the outputs follow from the coordinates. On one with
/// dead links they come from a table of the shortest ways that legal turns leave, which may lead round a dead
/// link; they obey the same turns, so deadlock stays impossible.
class TurnModel : public RoutingFunction {
 public:
  std::string refuse(const LinkGraph& graph) const override;
  std::uint32_t routing_classes(const LinkGraph&) const override { return 1; }
  void bind(const LinkGraph& graph) override;
  void route(const RouteRequest& request, RouteOptions& options) const override;

 protected:
  enum Port : std::uint8_t { kEast = 0, kWest = 1, kNorth = 2, kSouth = 3 };
  /// A packet that came from the side `in` of a router in column `x` may leave through `out`. The ports
  /// differ.
  virtual bool legal(std::uint32_t x, std::uint32_t in, std::uint32_t out) const = 0;
  /// Adds the shortest legal ways on a whole mesh: `dx` columns to the east (less than 0: to the west) and
  /// `dy` rows to the north are left, not both 0, from column `x` and having come from the side `in` (4: an
  /// own endpoint).
  struct Position {
    std::uint32_t x;
    std::int64_t dx, dy;
    std::uint32_t in;
  };
  virtual void route_whole(const Position& at, std::uint32_t vcs, RouteOptions& options) const = 0;
  /// The port towards the destination's row.
  static std::uint32_t along_y(std::int64_t dy) { return dy > 0 ? kNorth : kSouth; }

 private:
  TurnTable::Legal turns(const LinkGraph& graph) const;

  std::uint32_t columns_ = 1;
  bool whole_ = true;
  TurnTable table_;  ///< unless whole_
};

}  // namespace dfsim
