#include "planner/inter_stage/segments.h"

#include <algorithm>

#include "planner/ops/operator.h"

namespace dfsim {

namespace {

/// Segments with less than this share (one in ...) of the multiply-accumulates are no segments of their own.
constexpr std::uint64_t kNegligibleShare = 1000;

/// Tensors that cross a cut stay on the chip only if an operator made them; inputs are read from DRAM by
/// whoever needs them.
bool crosses(const Tensor& tensor, std::uint32_t cut) {
  return tensor.producer && tensor.producer->value() < cut && !tensor.consumers.empty() &&
         tensor.consumers.back().value() >= cut;
}

std::vector<CutPoint> all_cuts(const Graph& graph) {
  std::vector<CutPoint> cuts;
  for (std::uint32_t cut = 1; cut < graph.operators().size(); ++cut) {
    CutPoint point{.first = cut};
    for (const Tensor& tensor : graph.tensors())
      if (crosses(tensor, cut)) {
        ++point.live_tensors;
        point.live_bytes += tensor.bytes();
      }
    cuts.push_back(point);
  }
  return cuts;
}

void keep_narrow(std::vector<CutPoint>& cuts, std::size_t enough_single_cuts) {
  const auto single =
      std::count_if(cuts.begin(), cuts.end(), [](const auto& c) { return c.live_tensors < 2; });
  const std::uint32_t most = static_cast<std::size_t>(single) >= enough_single_cuts ? 1 : 2;
  std::erase_if(cuts, [most](const auto& c) { return c.live_tensors > most; });
}

/// Multiply-accumulates of the operators before operator i, for each i. Graphs without any, and kinds that
/// are not registered (tables of prices), count 1 for every operator.
std::vector<std::uint64_t> work_before(const Graph& graph) {
  std::vector<std::uint64_t> work;
  for (std::uint32_t i = 0; i < graph.operators().size(); ++i) {
    const bool known = OperatorRegistry::instance().find(graph.op(OpId(i)).kind) != nullptr;
    work.push_back(known ? macs_per_sample(graph, OpId(i)) : 1);
  }
  const bool none = std::all_of(work.begin(), work.end(), [](std::uint64_t macs) { return macs == 0; });
  std::vector<std::uint64_t> before{0};
  for (const std::uint64_t macs : work) before.push_back(before.back() + (none ? 1 : macs));
  return before;
}

void keep_cheapest_between_work(std::vector<CutPoint>& cuts, const std::vector<std::uint64_t>& before) {
  const std::uint64_t negligible = before.back() / kNegligibleShare;
  std::vector<CutPoint> kept;
  for (const CutPoint& cut : cuts) {
    const std::uint64_t work = before[cut.first];
    if (work <= negligible || before.back() - work <= negligible) continue;  // nothing to do on one side
    if (kept.empty() || work - before[kept.back().first] > negligible)
      kept.push_back(cut);
    else if (cut.live_bytes <= kept.back().live_bytes)
      kept.back() = cut;
  }
  cuts = std::move(kept);
}

/// The cheapest; of those that cost the same as the last that fits, evenly spread ones.
void keep_at_most(std::vector<CutPoint>& cuts, std::size_t most) {
  if (cuts.size() <= most) return;
  std::vector<std::uint64_t> bytes;
  for (const CutPoint& cut : cuts) bytes.push_back(cut.live_bytes);
  std::nth_element(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(most), bytes.end());
  const std::uint64_t limit = bytes[most];
  std::size_t cheaper = 0, equal = 0;
  for (const CutPoint& cut : cuts) {
    cheaper += cut.live_bytes < limit ? 1 : 0;
    equal += cut.live_bytes == limit ? 1 : 0;
  }
  const std::size_t room = most - cheaper;
  std::size_t seen = 0;
  std::erase_if(cuts, [&](const CutPoint& cut) {
    if (cut.live_bytes != limit) return cut.live_bytes > limit;
    const std::size_t index = seen++;
    return (index + 1) * room / equal == index * room / equal;
  });
}

bool feeds(const Graph& graph, std::uint32_t from, std::uint32_t middle, std::uint32_t to) {
  for (std::uint32_t i = middle; i < to; ++i)
    for (const OpId before : graph.predecessors(OpId(i)))
      if (before.value() >= from && before.value() < middle) return true;
  return false;
}

void keep_chain(std::vector<CutPoint>& cuts, const Graph& graph) {
  for (std::size_t i = 0; i < cuts.size();) {
    const std::uint32_t from = i == 0 ? 0 : cuts[i - 1].first;
    const std::uint32_t to =
        i + 1 < cuts.size() ? cuts[i + 1].first : static_cast<std::uint32_t>(graph.operators().size());
    if (feeds(graph, from, cuts[i].first, to)) {
      ++i;
      continue;
    }
    cuts.erase(cuts.begin() + static_cast<std::ptrdiff_t>(i));
    if (i > 0) --i;  // the segment before has grown: look at its other end again
  }
}

void describe(std::vector<CutPoint>& cuts, const Graph& graph) {
  for (std::size_t i = 0; i < cuts.size(); ++i) {
    const std::uint32_t from = i == 0 ? 0 : cuts[i - 1].first;
    const bool last = i + 1 == cuts.size();
    const std::uint32_t to = last ? static_cast<std::uint32_t>(graph.operators().size()) : cuts[i + 1].first;
    for (const Tensor& tensor : graph.tensors()) {
      if (!crosses(tensor, cuts[i].first) || tensor.producer->value() < from) continue;
      const bool read_next = std::any_of(tensor.consumers.begin(), tensor.consumers.end(), [&](OpId op) {
        return op.value() >= cuts[i].first && op.value() < to;
      });
      if (read_next) cuts[i].neighbour_bytes += tensor.bytes();
    }
    if (!last) {
      const std::uint64_t here = cuts[i].live_bytes, next = cuts[i + 1].live_bytes;
      cuts[i].changes_size = here >= 2 * next || next >= 2 * here;
    }
  }
}

}  // namespace

Segments::Segments(const Graph& graph, const SegmentRules& rules)
    : cuts_(all_cuts(graph)), operators_(static_cast<std::uint32_t>(graph.operators().size())) {
  keep_narrow(cuts_, rules.enough_single_cuts);
  keep_cheapest_between_work(cuts_, work_before(graph));
  keep_at_most(cuts_, rules.most_cuts);
  keep_chain(cuts_, graph);
  describe(cuts_, graph);
}

std::uint32_t Segments::begin(std::uint32_t segment) const {
  if (segment == 0) return 0;
  return segment == count() ? operators_ : cuts_[segment - 1].first;
}

std::vector<OpId> Segments::operators(std::uint32_t from, std::uint32_t to) const {
  std::vector<OpId> result;
  for (std::uint32_t i = begin(from); i < begin(to); ++i) result.push_back(OpId(i));
  return result;
}

}  // namespace dfsim
