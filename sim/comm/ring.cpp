// Rings: every PE talks to its two neighbours on a closed tour only.
#include "sim/comm/collective.h"
#include "sim/comm/schedules.h"
#include "sim/comm/tours.h"

namespace dfsim {

namespace {

/// P ranks, G elements. Every rank sends and receives
///   reduce_scatter, all_gather    (P-1)/P G      in P - 1 steps
///   all_reduce                  2 (P-1)/P G      in 2(P - 1) steps
/// which is the least there is (least_elements); all ranks together send P times that. On a mesh with an even
/// number of PEs every message crosses one link, and no two share one. Lower bound: the elements of a rank
/// over the rate of a link; with 2(P-1)/P G for all_reduce (Patarasuk and Yuan, J. Parallel Distrib. Comput.
/// 69(2), 2009).
template <bool kReduce, bool kGather>
class RingAlgorithm : public CollectiveAlgorithm {
 public:
  std::vector<CollectiveMessage> messages(const CollectiveRequest& request) const override {
    MessageList messages;
    const RankRing ring = ring_of_blocks(request, closed_tour(request.columns, request.rows));
    std::uint32_t step = 0;
    if (kReduce) step = ring_reduce_scatter(ring, step, messages);
    if (kGather) ring_all_gather(ring, step, messages);
    return messages.take();
  }
};

const Registration<CollectiveAlgorithm, RingAlgorithm<true, true>> kAllReduce{
    "all_reduce/ring", "reduce-scatter and all-gather along a closed tour; fewest bytes, 2(P-1) steps"};
const Registration<CollectiveAlgorithm, RingAlgorithm<true, false>> kReduceScatter{
    "reduce_scatter/ring", "partial sums along a closed tour; fewest bytes, P-1 steps"};
const Registration<CollectiveAlgorithm, RingAlgorithm<false, true>> kAllGather{
    "all_gather/ring", "blocks along a closed tour; fewest bytes, P-1 steps"};

}  // namespace

}  // namespace dfsim
