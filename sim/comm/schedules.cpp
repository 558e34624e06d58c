#include "sim/comm/schedules.h"

#include <algorithm>

namespace dfsim {

namespace {

ElementRanges parts_of(const RankRing& ring, std::size_t first, std::size_t count) {
  ElementRanges ranges;
  for (std::size_t i = first; i < first + count; ++i)
    ranges.insert(ranges.end(), ring.parts[i].begin(), ring.parts[i].end());
  return joined(ranges);
}

/// Children of a binomial tree over a line of `length` places, counted from the root's: place p gets it from
/// p without its lowest bit. Calls f(parent, child, step), far children first.
template <class F>
std::uint32_t binomial_line(std::uint32_t length, const F& f) {
  std::uint32_t step = 0, distance = 1;
  while (distance < length) distance *= 2;
  for (distance /= 2; distance > 0; distance /= 2, ++step)
    for (std::uint32_t place = 0; place + distance < length; place += 2 * distance)
      f(place, place + distance, step);
  return step;
}

}  // namespace

void MessageList::add(std::uint32_t from, std::uint32_t to, const ElementRanges& ranges, bool add,
                      std::uint32_t step) {
  for (const ElementRange& range : ranges)
    if (range.size() > 0) messages_.push_back({from, to, range, add, step});
}

RankRing ring_of_blocks(const CollectiveRequest& request, const std::vector<std::uint32_t>& order) {
  RankRing ring{order, {}};
  for (const std::uint32_t rank : order) ring.parts.push_back({request.block(rank)});
  return ring;
}

std::uint32_t ring_reduce_scatter(const RankRing& ring, std::uint32_t step, MessageList& messages) {
  const std::size_t n = ring.ranks.size();
  for (std::size_t round = 1; round < n; ++round, ++step)
    for (std::size_t i = 0; i < n; ++i)
      messages.add(ring.ranks[i], ring.ranks[(i + 1) % n], ring.parts[(i + n - round) % n], true, step);
  return step;
}

std::uint32_t ring_all_gather(const RankRing& ring, std::uint32_t step, MessageList& messages) {
  const std::size_t n = ring.ranks.size();
  for (std::size_t round = 0; round + 1 < n; ++round, ++step)
    for (std::size_t i = 0; i < n; ++i)
      messages.add(ring.ranks[i], ring.ranks[(i + 1) % n], ring.parts[(i + n - round) % n], false, step);
  return step;
}

std::uint32_t halving_reduce_scatter(const RankRing& ring, std::uint32_t step, MessageList& messages) {
  for (std::size_t distance = ring.ranks.size() / 2; distance > 0; distance /= 2, ++step)
    for (std::size_t i = 0; i < ring.ranks.size(); ++i) {
      const std::size_t partner = i ^ distance;
      messages.add(ring.ranks[i], ring.ranks[partner],
                   parts_of(ring, partner / distance * distance, distance), true, step);
    }
  return step;
}

std::uint32_t doubling_all_gather(const RankRing& ring, std::uint32_t step, MessageList& messages) {
  for (std::size_t distance = 1; distance < ring.ranks.size(); distance *= 2, ++step)
    for (std::size_t i = 0; i < ring.ranks.size(); ++i)
      messages.add(ring.ranks[i], ring.ranks[i ^ distance], parts_of(ring, i / distance * distance, distance),
                   false, step);
  return step;
}

RankTree binomial_tree(std::uint32_t columns, std::uint32_t rows, std::uint32_t root) {
  RankTree tree;
  const std::uint32_t x0 = root % columns, y0 = root / columns;
  const auto rank = [&](std::uint32_t right, std::uint32_t down) {
    return (y0 + down) % rows * columns + (x0 + right) % columns;
  };
  const std::uint32_t column_steps =
      binomial_line(rows, [&](std::uint32_t from, std::uint32_t to, std::uint32_t step) {
        tree.edges.push_back({rank(0, from), rank(0, to), step});
      });
  tree.steps = column_steps;
  for (std::uint32_t down = 0; down < rows; ++down) {
    const std::uint32_t row_steps =
        binomial_line(columns, [&](std::uint32_t from, std::uint32_t to, std::uint32_t step) {
          tree.edges.push_back({rank(from, down), rank(to, down), column_steps + step});
        });
    tree.steps = column_steps + row_steps;
  }
  std::stable_sort(tree.edges.begin(), tree.edges.end(),
                   [](const RankTree::Edge& a, const RankTree::Edge& b) { return a.step < b.step; });
  return tree;
}

std::vector<std::uint32_t> below(const RankTree& tree, std::uint32_t top) {
  std::vector<std::uint32_t> ranks{top};
  for (std::size_t i = 0; i < ranks.size(); ++i)
    for (const RankTree::Edge& edge : tree.edges)
      if (edge.parent == ranks[i]) ranks.push_back(edge.child);
  return ranks;
}

}  // namespace dfsim
