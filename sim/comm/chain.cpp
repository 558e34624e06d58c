// Chains: one path through all PEs, on which pieces follow one another.
#include <algorithm>

#include "sim/comm/collective.h"
#include "sim/comm/schedules.h"
#include "sim/comm/tours.h"

namespace dfsim {

namespace {

/// P ranks, G elements, in both directions from the root along a path of single hops. All ranks together send
/// (P-1) G; a rank inside the path receives and sends G, the root sends or receives up to 2 G (G at an end of
/// the path). Cut into pieces the path works like a pipeline: lower bound G over the rate of a link, plus the
/// way of the last piece. (van de Geijn and Watts, SUMMA, Concurrency 9(4), 1997: pipelined broadcast.)
template <bool kReduce>
class Chain : public CollectiveAlgorithm {
 public:
  std::vector<CollectiveMessage> messages(const CollectiveRequest& request) const override {
    MessageList messages;
    const std::vector<std::uint32_t> path = open_tour(request.columns, request.rows);
    const auto root =
        static_cast<std::size_t>(std::find(path.begin(), path.end(), request.root) - path.begin());
    const ElementRanges all{{0, request.elements}};
    const std::size_t longest = std::max(root, path.size() - 1 - root);
    for (std::size_t hop = 0; hop < longest; ++hop) {
      const std::size_t near = kReduce ? longest - 1 - hop : hop, far = near + 1;
      const auto step = static_cast<std::uint32_t>(hop);
      const auto one_side = [&](std::uint32_t inner, std::uint32_t outer) {
        if (kReduce)
          messages.add(outer, inner, all, true, step);
        else
          messages.add(inner, outer, all, false, step);
      };
      if (root + far < path.size()) one_side(path[root + near], path[root + far]);
      if (far <= root) one_side(path[root - near], path[root - far]);
    }
    return messages.take();
  }
};

const Registration<CollectiveAlgorithm, Chain<false>> kBroadcast{
    "broadcast/chain", "from PE to PE along a path, in pieces; P-1 steps"};
const Registration<CollectiveAlgorithm, Chain<true>> kReduceChain{
    "reduce/chain", "partial sums from PE to PE along a path, in pieces; P-1 steps"};

}  // namespace

}  // namespace dfsim
