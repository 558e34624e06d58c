// West-first (Glass and Ni, The turn model for adaptive routing, ISCA 1992): nobody turns to the west, so a
// packet goes there first, and adaptively afterwards.
#include "sim/noc/routing/turn_model.h"

namespace dfsim {
namespace {

class WestFirst : public TurnModel {
  bool legal(std::uint32_t, std::uint32_t in, std::uint32_t out) const override {
    return out != kWest || in == kEast;  // came from the east: goes west already
  }
  void route_whole(const Position& at, std::uint32_t vcs, RouteOptions& options) const override {
    if (at.dx < 0) return options.add(kWest, vcs);
    if (at.dx > 0) options.add(kEast, vcs);
    if (at.dy != 0) options.add(along_y(at.dy), vcs);
  }
};

const Registration<RoutingFunction, WestFirst> kWestFirst{
    "west_first", "adaptive on 2-D meshes: west first, then any shortest way (Glass and Ni 1992)"};

}  // namespace
}  // namespace dfsim
