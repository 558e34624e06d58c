// Binomial trees along the root's column and along every row.
#include "sim/comm/collective.h"
#include "sim/comm/schedules.h"

namespace dfsim {

namespace {

/// C columns, R rows, P = C R ranks, G elements; s = ceil(log2 C) + ceil(log2 R) steps down, as many up. All
/// ranks together send
///   broadcast, reduce     (P-1) G        the root s G of them
///   all_reduce          2 (P-1) G        the root receives and sends s G
///   scatter, gather     what lies below each edge; the root (P-1)/P G
/// Fewest steps, so good for short vectors; the root's link bounds long ones. Lower bound: s G over the rate
/// of a link (scatter, gather: (P-1)/P G). (Chan, Heimlich, Purkayastha, van de Geijn, Concurrency and
/// Computation 19(13), 2007, section 4: minimum spanning tree algorithms.)
template <CollectiveKind kKind>
class TreeAlgorithm : public CollectiveAlgorithm {
 public:
  std::vector<CollectiveMessage> messages(const CollectiveRequest& request) const override {
    MessageList messages;
    const RankTree tree = binomial_tree(request.columns, request.rows, root_of(request));
    const bool up = kKind != CollectiveKind::broadcast && kKind != CollectiveKind::scatter;
    const bool down = kKind != CollectiveKind::gather && kKind != CollectiveKind::reduce;
    if (up)
      for (auto edge = tree.edges.rbegin(); edge != tree.edges.rend(); ++edge)
        messages.add(edge->child, edge->parent, moved(request, tree, edge->child), request.adds(),
                     tree.steps - 1 - edge->step);
    if (down)
      for (const RankTree::Edge& edge : tree.edges)
        messages.add(edge.parent, edge.child, moved(request, tree, edge.child), false,
                     (up ? tree.steps : 0) + edge.step);
    return messages.take();
  }

 private:
  /// all_reduce has no root of its own: from a corner no edge wraps around the box.
  static std::uint32_t root_of(const CollectiveRequest& request) {
    return request.has_root() ? request.root : 0;
  }
  /// What crosses the edge above `child`.
  static ElementRanges moved(const CollectiveRequest& request, const RankTree& tree, std::uint32_t child) {
    if (kKind != CollectiveKind::scatter && kKind != CollectiveKind::gather) return {{0, request.elements}};
    ElementRanges blocks;
    for (const std::uint32_t rank : below(tree, child)) blocks.push_back(request.block(rank));
    return joined(blocks);
  }
};

template <CollectiveKind kKind>
using Entry = Registration<CollectiveAlgorithm, TreeAlgorithm<kKind>>;

const Entry<CollectiveKind::broadcast> kBroadcast{"broadcast/tree", "binomial tree; log2 P steps"};
const Entry<CollectiveKind::scatter> kScatter{"scatter/tree", "binomial tree; log2 P steps"};
const Entry<CollectiveKind::gather> kGather{"gather/tree", "binomial tree; log2 P steps"};
const Entry<CollectiveKind::reduce> kReduce{"reduce/tree", "binomial tree; log2 P steps"};
const Entry<CollectiveKind::all_reduce> kAllReduce{"all_reduce/tree",
                                                   "reduce and broadcast on a binomial tree; 2 log2 P steps"};

}  // namespace

}  // namespace dfsim
