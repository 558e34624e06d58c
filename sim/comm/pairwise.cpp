// Exchange in pairs.
#include <bit>

#include "sim/comm/collective.h"
#include "sim/comm/schedules.h"

namespace dfsim {

namespace {

/// P = 2^k ranks, G elements each: in step s rank r exchanges blocks with r xor s, so that in every step each
/// rank has one partner. Every rank sends and receives (P-1)/P G in P - 1 steps, the least there is. Lower
/// bound: that over the rate of a link. (Thakur, Rabenseifner and Gropp, Int. J. High Perf. Comput. Appl.
/// 19(1), 2005.)
class PairwiseExchange : public CollectiveAlgorithm {
 public:
  std::string refusal(const CollectiveRequest& request) const override {
    return std::has_single_bit(request.ranks()) ? "" : "needs a power of two of PEs";
  }
  std::vector<CollectiveMessage> messages(const CollectiveRequest& request) const override {
    MessageList messages;
    for (std::uint32_t step = 1; step < request.ranks(); ++step)
      for (std::uint32_t rank = 0; rank < request.ranks(); ++rank)
        messages.add(rank, rank ^ step, {request.block_from(rank, rank ^ step)}, false, step - 1);
    return messages.take();
  }
};

const Registration<CollectiveAlgorithm, PairwiseExchange> kAllToAll{
    "all_to_all/pairwise", "in step s PE r exchanges with r xor s; P-1 steps"};

}  // namespace

}  // namespace dfsim
