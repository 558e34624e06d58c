// sim/comm/schedules.h: the steps that several algorithms are made of.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "sim/comm/collective.h"

namespace dfsim {

/// Collects messages; empty ranges are left out.
class MessageList {
 public:
  void add(std::uint32_t from, std::uint32_t to, const ElementRanges& ranges, bool add, std::uint32_t step);
  std::vector<CollectiveMessage> take() { return std::move(messages_); }

 private:
  std::vector<CollectiveMessage> messages_;
};

/// Ranks in some order, each with the part of the vector that it keeps or holds. The parts are disjoint.
struct RankRing {
  std::vector<std::uint32_t> ranks;
  std::vector<ElementRanges> parts;
};
/// Rank r with block r, in the given order.
RankRing ring_of_blocks(const CollectiveRequest& request, const std::vector<std::uint32_t>& order);

/// Every rank passes what it has added up of one part on to the next, n - 1 times; then rank i of the ring
/// has the sum of part i. Each rank sends and receives all parts but one. Returns the next step number.
std::uint32_t ring_reduce_scatter(const RankRing& ring, std::uint32_t step, MessageList& messages);
/// Every rank passes the part that it got last on to the next, n - 1 times.
std::uint32_t ring_all_gather(const RankRing& ring, std::uint32_t step, MessageList& messages);

/// Rank i of 2^k exchanges with i xor `distance`, for distances 2^(k-1) ... 1, what the other's half is to
/// keep. In the end rank i has the sum of part i. Needs a power of two.
std::uint32_t halving_reduce_scatter(const RankRing& ring, std::uint32_t step, MessageList& messages);
/// The same backwards: rank i exchanges all that it has with i xor 1, 2, ... 2^(k-1).
std::uint32_t doubling_all_gather(const RankRing& ring, std::uint32_t step, MessageList& messages);

/// A binomial tree over the box, along the root's column first and then along every row, so that no message
/// leaves its row or column.
struct RankTree {
  struct Edge {
    std::uint32_t parent, child;
    std::uint32_t step;  ///< going down
  };
  std::vector<Edge> edges;  ///< parents before their children
  std::uint32_t steps = 0;
};
RankTree binomial_tree(std::uint32_t columns, std::uint32_t rows, std::uint32_t root);
/// The ranks at and below `top`.
std::vector<std::uint32_t> below(const RankTree& tree, std::uint32_t top);

}  // namespace dfsim
