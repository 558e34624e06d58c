// Rings along the rows and along the columns of a box.
#include <numeric>

#include "sim/comm/collective.h"
#include "sim/comm/schedules.h"
#include "sim/comm/tours.h"

namespace dfsim {

namespace {

/// C columns, R rows, P = C R ranks, G elements. Reduce-scatter along the rows, then along the columns;
/// all-gather along the columns, then along the rows. Every rank sends and receives
///   reduce_scatter, all_gather    (C-1)/C G + (R-1)/P G = (P-1)/P G      in C + R - 2 steps
///   all_reduce                                          2 (P-1)/P G      in 2(C + R - 2) steps
/// the least there is, in far fewer steps than one ring. A line has no wrap-around link: its ring goes there
/// over every second PE and back over the others, two hops a message, and no directed link is used twice.
/// Lower bound: the elements of a rank over the rate of a link. (Jain and Sabharwal, Optimal bucket
/// algorithms for large MPI collectives on torus interconnects, ICS 2010.)
template <bool kReduce, bool kGather>
class RowColumn : public CollectiveAlgorithm {
 public:
  std::vector<CollectiveMessage> messages(const CollectiveRequest& request) const override {
    MessageList messages;
    std::uint32_t step = 0;
    if (kReduce) {
      step = all_rows(request, step, messages, ring_reduce_scatter);
      step = all_columns(request, step, messages, ring_reduce_scatter);
    }
    if (kGather) {
      step = all_columns(request, step, messages, ring_all_gather);
      all_rows(request, step, messages, ring_all_gather);
    }
    return messages.take();
  }

 private:
  using Phase = std::uint32_t (*)(const RankRing&, std::uint32_t, MessageList&);

  /// The rank at place (x, y), and the blocks that column x keeps.
  static std::uint32_t rank_at(const CollectiveRequest& request, std::uint32_t x, std::uint32_t y) {
    return y * request.columns + x;
  }
  /// If both halves are done, it is free which rank keeps which block: column by column makes a column's
  /// blocks one piece.
  static ElementRange block_of(const CollectiveRequest& request, std::uint32_t x, std::uint32_t y) {
    return request.block(kReduce && kGather ? x * request.rows + y : rank_at(request, x, y));
  }

  static std::uint32_t all_rows(const CollectiveRequest& request, std::uint32_t step, MessageList& messages,
                                Phase phase) {
    std::uint32_t next = step;
    for (std::uint32_t y = 0; y < request.rows; ++y) {
      RankRing ring;
      for (const std::uint32_t x : closed_tour(request.columns, 1)) {
        ElementRanges column;
        for (std::uint32_t other = 0; other < request.rows; ++other)
          column.push_back(block_of(request, x, other));
        ring.ranks.push_back(rank_at(request, x, y));
        ring.parts.push_back(joined(column));
      }
      next = phase(ring, step, messages);
    }
    return next;
  }

  static std::uint32_t all_columns(const CollectiveRequest& request, std::uint32_t step,
                                   MessageList& messages, Phase phase) {
    std::uint32_t next = step;
    for (std::uint32_t x = 0; x < request.columns; ++x) {
      RankRing ring;
      for (const std::uint32_t y : closed_tour(1, request.rows)) {
        ring.ranks.push_back(rank_at(request, x, y));
        ring.parts.push_back({block_of(request, x, y)});
      }
      next = phase(ring, step, messages);
    }
    return next;
  }
};

const Registration<CollectiveAlgorithm, RowColumn<true, true>> kAllReduce{
    "all_reduce/row_column", "rings along rows and columns; fewest bytes, 2(C+R-2) steps"};
const Registration<CollectiveAlgorithm, RowColumn<true, false>> kReduceScatter{
    "reduce_scatter/row_column", "rings along rows, then columns; fewest bytes, C+R-2 steps"};
const Registration<CollectiveAlgorithm, RowColumn<false, true>> kAllGather{
    "all_gather/row_column", "rings along columns, then rows; fewest bytes, C+R-2 steps"};

}  // namespace

}  // namespace dfsim
