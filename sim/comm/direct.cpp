// Direct exchange: whoever has something sends it to whoever needs it.
#include "sim/comm/collective.h"
#include "sim/comm/schedules.h"

namespace dfsim {

namespace {

/// P ranks, G elements. Rank r serves r+1, r+2, ... in turn, so that no rank is everybody's first. Elements
/// sent or received by the busiest rank:
///   broadcast, reduce                    (P-1) G       1 step, through the root's own link
///   scatter, gather                    (P-1)/P G
///   all_gather, reduce_scatter         (P-1)/P G       1 step
///   all_reduce                       2 (P-1)/P G       2 steps
///   all_to_all                         (P-1)/P G       1 step
/// Fewest steps; but messages cross up to C + R - 2 links of a C x R mesh and share them. Lower bound: those
/// elements over the rate of a link.
template <CollectiveKind kKind>
class Direct : public CollectiveAlgorithm {
 public:
  std::vector<CollectiveMessage> messages(const CollectiveRequest& request) const override {
    MessageList messages;
    const std::uint32_t ranks = request.ranks();
    const ElementRanges all{{0, request.elements}};
    for (std::uint32_t turn = 1; turn < ranks; ++turn) {
      const std::uint32_t other = (request.root + turn) % ranks;
      if (kKind == CollectiveKind::broadcast) messages.add(request.root, other, all, false, 0);
      if (kKind == CollectiveKind::scatter)
        messages.add(request.root, other, {request.block(other)}, false, 0);
      if (kKind == CollectiveKind::gather)
        messages.add(other, request.root, {request.block(other)}, false, 0);
      if (kKind == CollectiveKind::reduce) messages.add(other, request.root, all, true, 0);
      if (request.has_root()) continue;
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        const std::uint32_t to = (rank + turn) % ranks;
        if (kKind == CollectiveKind::all_to_all)
          messages.add(rank, to, {request.block_from(rank, to)}, false, 0);
        if (kKind == CollectiveKind::reduce_scatter || kKind == CollectiveKind::all_reduce)
          messages.add(rank, to, {request.block(to)}, true, 0);
        if (kKind == CollectiveKind::all_gather) messages.add(rank, to, {request.block(rank)}, false, 0);
      }
    }
    if (kKind == CollectiveKind::all_reduce)
      for (std::uint32_t turn = 1; turn < ranks; ++turn)
        for (std::uint32_t rank = 0; rank < ranks; ++rank)
          messages.add(rank, (rank + turn) % ranks, {request.block(rank)}, false, 1);
    return messages.take();
  }
};

template <CollectiveKind kKind>
using Entry = Registration<CollectiveAlgorithm, Direct<kKind>>;

const Entry<CollectiveKind::broadcast> kBroadcast{"broadcast/direct",
                                                  "the root sends every copy; (P-1) G bytes from one PE"};
const Entry<CollectiveKind::scatter> kScatter{"scatter/direct", "the root sends every block; fewest bytes"};
const Entry<CollectiveKind::gather> kGather{"gather/direct",
                                            "every PE sends its block to the root; fewest bytes"};
const Entry<CollectiveKind::reduce> kReduce{
    "reduce/direct", "every PE sends its vector to the root; (P-1) G bytes into one PE"};
const Entry<CollectiveKind::all_gather> kAllGather{"all_gather/direct",
                                                   "every PE sends its block to all; fewest bytes, 1 step"};
const Entry<CollectiveKind::reduce_scatter> kReduceScatter{
    "reduce_scatter/direct", "every block straight to whoever keeps it; fewest bytes, 1 step"};
const Entry<CollectiveKind::all_reduce> kAllReduce{
    "all_reduce/direct", "blocks straight to their keepers, sums straight to all; fewest bytes, 2 steps"};
const Entry<CollectiveKind::all_to_all> kAllToAll{
    "all_to_all/direct", "every block straight to its reader, neighbours first; 1 step"};

}  // namespace

}  // namespace dfsim
