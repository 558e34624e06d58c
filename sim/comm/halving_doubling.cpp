// Recursive halving and doubling: log2 P exchanges with partners at distances that are powers of two.
#include <bit>
#include <numeric>

#include "sim/comm/collective.h"
#include "sim/comm/schedules.h"

namespace dfsim {

namespace {

/// P = 2^k ranks, G elements. Every rank sends and receives
///   reduce_scatter, all_gather    (P-1)/P G      in k steps
///   all_reduce                  2 (P-1)/P G      in 2k steps
/// the least there is, in few steps; but on a mesh partners are up to half a side apart and share links, so a
/// link may carry several messages of a step. Lower bound: the elements of a rank over the rate of a link.
/// (Rabenseifner, Optimization of collective reduction operations, ICCS 2004; Thakur, Rabenseifner and Gropp,
/// Optimization of collective communication operations in MPICH, Int. J. High Perf. Comput. Appl. 19(1),
/// 2005.)
template <bool kReduce, bool kGather>
class HalvingDoubling : public CollectiveAlgorithm {
 public:
  std::string refusal(const CollectiveRequest& request) const override {
    return std::has_single_bit(request.ranks()) ? "" : "needs a power of two of PEs";
  }
  std::vector<CollectiveMessage> messages(const CollectiveRequest& request) const override {
    MessageList messages;
    std::vector<std::uint32_t> order(request.ranks());
    std::iota(order.begin(), order.end(), 0u);
    RankRing ring = ring_of_blocks(request, order);
    // Where it is free which rank keeps which block, near partners exchange the large halves.
    if (kReduce && kGather)
      for (std::uint32_t i = 0; i < order.size(); ++i) ring.ranks[i] = reversed(i, request.ranks());
    std::uint32_t step = 0;
    if (kReduce) step = halving_reduce_scatter(ring, step, messages);
    if (kGather) doubling_all_gather(ring, step, messages);
    return messages.take();
  }

 private:
  /// The bits of i < 2^k in the opposite order.
  static std::uint32_t reversed(std::uint32_t i, std::uint32_t ranks) {
    std::uint32_t result = 0;
    for (std::uint32_t bit = 1; bit < ranks; bit *= 2) result = 2 * result + ((i & bit) != 0 ? 1 : 0);
    return result;
  }
};

const Registration<CollectiveAlgorithm, HalvingDoubling<true, true>> kAllReduce{
    "all_reduce/halving_doubling",
    "recursive halving, then doubling; fewest bytes, 2 log2 P steps, long ways"};
const Registration<CollectiveAlgorithm, HalvingDoubling<true, false>> kReduceScatter{
    "reduce_scatter/halving_doubling", "recursive halving; fewest bytes, log2 P steps, long ways"};
const Registration<CollectiveAlgorithm, HalvingDoubling<false, true>> kAllGather{
    "all_gather/halving_doubling", "recursive doubling; fewest bytes, log2 P steps, long ways"};

}  // namespace

}  // namespace dfsim
