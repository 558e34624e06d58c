#include "sim/noc/routing/turn_table.h"

#include <fmt/format.h>

#include <limits>
#include <span>

#include "sim/base/errors.h"

namespace dfsim {
namespace {

constexpr std::uint32_t kNoLink = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();

/// Hops to one destination from every (router, input port), found backwards from it. The arrays are used
/// again for each destination.
class Distances {
 public:
  Distances(const LinkGraph& graph, const TurnTable::Legal& legal)
      : graph_(graph),
        legal_(legal),
        ports_(2 * graph.dimensions),
        arriving_(std::size_t{graph.router_count()} * ports_, kNoLink),
        leaving_(arriving_),
        hops_(std::size_t{graph.router_count()} * (ports_ + 1)) {
    for (std::uint32_t i = 0; i < graph.links.size(); ++i) {
      const Link& link = graph.links[i];
      arriving_[link.to.value() * ports_ + link.port_in] = i;
      leaving_[link.from.value() * ports_ + link.port_out] = i;
    }
  }

  void measure(std::uint32_t destination) {
    std::fill(hops_.begin(), hops_.end(), kFar);
    queue_.clear();
    for (std::uint32_t in = 0; in <= ports_; ++in) reach(destination, in, 0);
    for (std::size_t i = 0; i < queue_.size(); ++i) step_back(queue_[i]);
  }

  std::uint32_t hops(std::uint32_t router, std::uint32_t in) const {
    return hops_[router * (ports_ + 1) + in];
  }
  bool may(std::uint32_t router, std::uint32_t in, std::uint32_t out) const {
    return leaving_[router * ports_ + out] != kNoLink && in != out &&
           (in == ports_ || legal_(router, in, out));
  }
  /// Outputs that bring a packet nearer by one hop; 0 at the destination itself.
  std::uint8_t nearer(std::uint32_t router, std::uint32_t in) const {
    std::uint8_t result = 0;
    const std::uint32_t here = hops(router, in);
    for (std::uint32_t out = 0; here != 0 && here != kFar && out < ports_; ++out) {
      if (!may(router, in, out)) continue;
      const Link& link = graph_.links[leaving_[router * ports_ + out]];
      if (hops(link.to.value(), link.port_in) + 1 == here) result |= static_cast<std::uint8_t>(1u << out);
    }
    return result;
  }

 private:
  struct State {
    std::uint32_t router, in;
  };
  void reach(std::uint32_t router, std::uint32_t in, std::uint32_t distance) {
    std::uint32_t& hops = hops_[router * (ports_ + 1) + in];
    if (hops != kFar) return;
    hops = distance;
    queue_.push_back({router, in});
  }
  void step_back(State state) {
    if (state.in == ports_) return;  // no link leads there
    const std::uint32_t index = arriving_[state.router * ports_ + state.in];
    if (index == kNoLink) return;
    const Link& link = graph_.links[index];
    for (std::uint32_t in = 0; in <= ports_; ++in)
      if (may(link.from.value(), in, link.port_out))
        reach(link.from.value(), in, hops(state.router, state.in) + 1);
  }

  const LinkGraph& graph_;
  const TurnTable::Legal& legal_;
  const std::uint32_t ports_;
  std::vector<std::uint32_t> arriving_, leaving_;  ///< link, by (router, port)
  std::vector<std::uint32_t> hops_;                ///< by (router, input port or own endpoints)
  std::vector<State> queue_;
};

}  // namespace

std::optional<TurnTable::Pair> TurnTable::cut_off(const LinkGraph& graph, const Legal& legal) {
  Distances distances(graph, legal);
  for (std::uint32_t to = 0; to < graph.router_count(); ++to) {
    distances.measure(to);
    for (std::uint32_t from = 0; from < graph.router_count(); ++from)
      if (distances.hops(from, 2 * graph.dimensions) == kFar) return Pair{RouterId(from), RouterId(to)};
  }
  return std::nullopt;
}

TurnTable::TurnTable(const LinkGraph& graph, const Legal& legal)
    : routers_(graph.router_count()), ports_(2 * graph.dimensions) {
  if (routers_ > kMostRouters)
    throw SimulationError(fmt::format("routing table for more than {} routers", kMostRouters));
  outputs_.reserve(std::size_t{routers_} * routers_ * (ports_ + 1));
  Distances distances(graph, legal);
  for (std::uint32_t to = 0; to < routers_; ++to) {
    distances.measure(to);
    for (std::uint32_t router = 0; router < routers_; ++router)
      for (std::uint32_t in = 0; in <= ports_; ++in) outputs_.push_back(distances.nearer(router, in));
  }
}

std::string to_string(const LinkGraph& graph, const TurnTable::Pair& pair) {
  const auto place = [&graph](RouterId router) {
    const std::array<std::uint32_t, 3> at = graph.coordinates(router);
    return fmt::format("({})", fmt::join(std::span(at).first(graph.dimensions), ","));
  };
  return place(pair.from) + " to " + place(pair.to);
}

}  // namespace dfsim
