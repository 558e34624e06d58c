// Odd-even turn model (Chiu, The odd-even turn model for adaptive routing, IEEE TPDS 2000): in even columns
// nobody turns from the east-bound direction to north or south, in odd columns nobody turns to the west.
#include "sim/noc/routing/turn_model.h"

namespace dfsim {
namespace {

class OddEven : public TurnModel {
  bool legal(std::uint32_t x, std::uint32_t in, std::uint32_t out) const override {
    const bool odd = x % 2 == 1;
    if (in == kWest && (out == kNorth || out == kSouth)) return odd;
    if ((in == kNorth || in == kSouth) && out == kWest) return !odd;
    return true;
  }
  /// Chiu's algorithm ROUTE. Where it asks whether this is the source's column, an even one, the input tells:
  /// an east-bound packet is in another even column only if it came from the west.
  void route_whole(const Position& at, std::uint32_t vcs, RouteOptions& options) const override {
    const bool odd = at.x % 2 == 1;
    if (at.dx == 0) return options.add(along_y(at.dy), vcs);
    if (at.dx < 0) {
      options.add(kWest, vcs);
      if (at.dy != 0 && !odd) options.add(along_y(at.dy), vcs);
      return;
    }
    if (at.dy == 0) return options.add(kEast, vcs);
    if (odd || at.in != kWest) options.add(along_y(at.dy), vcs);
    // The next column is the last one to turn in, unless it is an even one.
    if (at.dx != 1 || !odd) options.add(kEast, vcs);
  }
};

const Registration<RoutingFunction, OddEven> kOddEven{
    "odd_even", "adaptive on 2-D meshes: which turns are legal alternates by column (Chiu 2000)"};

}  // namespace
}  // namespace dfsim
