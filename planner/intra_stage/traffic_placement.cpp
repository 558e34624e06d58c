#include "planner/intra_stage/traffic_placement.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace dfsim {

namespace {

std::uint32_t apart(std::uint32_t a, std::uint32_t b) { return a > b ? a - b : b - a; }

/// Places one micro-operator after the other; what is placed already cannot get shorter.
class BranchAndBound {
 public:
  BranchAndBound(const PlacementArea& area, std::uint32_t count, const std::vector<Traffic>& traffic)
      : area_(area), with_(count), cell_(count, 0), taken_(area.cells(), false) {
    for (const Traffic& edge : traffic) {
      // Each edge is counted when the later of its ends is placed.
      with_[std::max(edge.from, edge.to)].push_back({std::min(edge.from, edge.to), edge.bytes});
    }
    // Traffic that is not placed yet goes one hop at least.
    rest_.assign(count + 1, 0);
    for (std::uint32_t i = count; i-- > 0;) {
      rest_[i] = rest_[i + 1];
      for (const auto& [other, bytes] : with_[i]) rest_[i] += other == i ? 0 : bytes;
    }
  }

  TrafficPlacement run(std::uint64_t* all_best) {
    best_.byte_hops = std::numeric_limits<double>::infinity();
    place(0, 0);
    best_.exact = true;
    if (all_best) *all_best = equal_;
    return best_;
  }

 private:
  void place(std::uint32_t next, double so_far) {
    if (so_far + rest_[next] > best_.byte_hops) return;
    if (next == cell_.size()) {
      equal_ = so_far < best_.byte_hops ? 1 : equal_ + 1;
      if (so_far < best_.byte_hops) {
        best_.byte_hops = so_far;
        best_.cell = cell_;
      }
      return;
    }
    for (std::uint32_t cell = 0; cell < area_.cells(); ++cell) {
      if (taken_[cell]) continue;
      taken_[cell] = true;
      cell_[next] = cell;
      double more = 0;
      for (const auto& [other, bytes] : with_[next]) more += bytes * area_.hops(cell, cell_[other]);
      place(next + 1, so_far + more);
      taken_[cell] = false;
    }
  }

  const PlacementArea& area_;
  std::vector<std::vector<std::pair<std::uint32_t, double>>> with_;
  std::vector<double> rest_;
  std::vector<std::uint32_t> cell_;
  std::vector<bool> taken_;
  TrafficPlacement best_;
  std::uint64_t equal_ = 0;
};

/// Cells by rank: row by row, row by row in turns, column by column.
std::vector<std::vector<std::uint32_t>> known_orders(const PlacementArea& area) {
  std::vector<std::vector<std::uint32_t>> orders(3);
  for (std::uint32_t y = 0; y < area.height; ++y)
    for (std::uint32_t x = 0; x < area.width; ++x) {
      orders[0].push_back(x + area.width * y);
      orders[1].push_back((y % 2 ? area.width - 1 - x : x) + area.width * y);
    }
  for (std::uint32_t x = 0; x < area.width; ++x)
    for (std::uint32_t y = 0; y < area.height; ++y) orders[2].push_back(x + area.width * y);
  return orders;
}

/// `order` holds all cells, the first `count` are used; exchanges any two of which one is used.
double exchange(const PlacementArea& area, std::uint32_t count, const std::vector<Traffic>& traffic,
                std::vector<std::uint32_t>& order) {
  double best = byte_hops(area, traffic, order);
  for (bool better = true; better;) {
    better = false;
    for (std::uint32_t a = 0; a < count; ++a)
      for (std::uint32_t b = a + 1; b < order.size(); ++b) {
        std::swap(order[a], order[b]);
        const double value = byte_hops(area, traffic, order);
        if (value < best) {
          best = value;
          better = true;
        } else {
          std::swap(order[a], order[b]);
        }
      }
  }
  return best;
}

}  // namespace

std::uint32_t PlacementArea::hops(std::uint32_t a, std::uint32_t b) const {
  return apart(a % width, b % width) + apart(a / width, b / width);
}

double byte_hops(const PlacementArea& area, const std::vector<Traffic>& traffic,
                 const std::vector<std::uint32_t>& cell) {
  double sum = 0;
  for (const Traffic& edge : traffic) sum += edge.bytes * area.hops(cell[edge.from], cell[edge.to]);
  return sum;
}

TrafficPlacement place_exactly(const PlacementArea& area, std::uint32_t count,
                               const std::vector<Traffic>& traffic, std::uint64_t* all_best) {
  return BranchAndBound(area, count, traffic).run(all_best);
}

TrafficPlacement place_by_exchange(const PlacementArea& area, std::uint32_t count,
                                   const std::vector<Traffic>& traffic, Rng& rng, std::uint32_t starts) {
  std::vector<std::vector<std::uint32_t>> orders = known_orders(area);
  for (std::uint32_t i = 0; i < starts; ++i) {
    std::vector<std::uint32_t> order(area.cells());
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t k = order.size(); k > 1; --k) std::swap(order[k - 1], order[rng.below(k)]);
    orders.push_back(std::move(order));
  }
  TrafficPlacement best;
  best.byte_hops = std::numeric_limits<double>::infinity();
  for (std::vector<std::uint32_t>& order : orders) {
    const double value = exchange(area, count, traffic, order);
    if (value >= best.byte_hops) continue;
    best.byte_hops = value;
    best.cell.assign(order.begin(), order.begin() + count);
  }
  return best;
}

}  // namespace dfsim
