#include "planner/intra_stage/operator_candidates.h"

#include <algorithm>
#include <optional>
#include <set>

#include "planner/cost/lower_bound.h"
#include "planner/intra_stage/spatial_split.h"
#include "planner/intra_stage/temporal_split.h"
#include "planner/ops/operator.h"

namespace dfsim {

namespace {

constexpr std::size_t kMatrixPatterns = 4;
constexpr std::size_t kOtherPatterns = 2;
constexpr double kPatternFactor = 2.0;
constexpr std::size_t kMostMatrixCandidates = 8;
constexpr std::size_t kMostOtherCandidates = 8;
/// Splits of a vector operator looked at to find those aligned with a producer.
constexpr std::size_t kAlignedSplits = 64;
constexpr double kAlignedFactor = 2.0;
constexpr std::size_t kMostLookedAt = 32;
/// Where a producer in the stage exists, so many of its candidates are followed.
constexpr std::size_t kMostFollowed = 8;

/// A split in one arrangement; laid out on the group when it is looked at.
struct PoolEntry {
  OperatorCandidate candidate;
  double unit_cycles = 0;
  std::optional<Layout> layout;
};

/// Axes on which the parts differ.
std::size_t differences(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
  std::size_t count = 0;
  for (std::size_t axis = 0; axis < std::min(a.size(), b.size()); ++axis) count += a[axis] != b[axis] ? 1 : 0;
  return count;
}

class Former {
 public:
  Former(const Graph& graph, const HardwareSpec& hardware, const CandidateRequest& request)
      : graph_(graph), hardware_(hardware), request_(request), group_(request.proposal->group) {
    pes_ = static_cast<std::uint32_t>(group_.pes(hardware).size());
    for (const Submesh& submesh : group_.submeshes)
      if (submesh.noc.value() < hardware.nocs.size())
        link_width_ = hardware.nocs[submesh.noc.value()].link_width_bytes;
  }

  StageClasses form() {
    find_classes();
    for (OperatorClass& one : result_.classes)
      if (is_matrix(one.representative()) && has_weights(one.representative()))
        form_by_pattern(one, kMatrixPatterns);
    for (OperatorClass& one : result_.classes) {
      const bool matrix = is_matrix(one.representative());
      if (matrix && has_weights(one.representative())) continue;
      if (matrix) form_by_pattern(one, kMatrixPatterns - 1);
      follow_producers(one);
      if (one.candidates.empty()) form_by_pattern(one, kOtherPatterns);
    }
    return std::move(result_);
  }

 private:
  void find_classes() {
    std::map<std::string, std::size_t> known;
    for (const OpId op : request_.proposal->operators) {
      const auto [it, fresh] = known.emplace(graph_.signature({op}), result_.classes.size());
      if (fresh) result_.classes.emplace_back();
      result_.classes[it->second].members.push_back(op);
      result_.class_of[op] = it->second;
    }
  }

  std::vector<Axis> axes(OpId op) const { return kind_of(graph_.op(op)).axes(graph_, op, request_.samples); }
  Box whole(OpId op) const {
    Box block;
    const std::vector<Axis> all = axes(op);
    block.rank = static_cast<std::uint8_t>(all.size());
    for (std::size_t axis = 0; axis < all.size(); ++axis) block.extent[axis] = all[axis].extent;
    return block;
  }
  bool is_matrix(OpId op) const {
    return kind_of(graph_.op(op)).work(graph_, op, whole(op)).unit == WorkUnit::matrix;
  }
  bool has_weights(OpId op) const {
    return std::any_of(graph_.op(op).inputs.begin(), graph_.op(op).inputs.end(),
                       [&](TensorId id) { return graph_.tensor(id).role == TensorRole::weight; });
  }
  SplitRequest split_request(OpId op) const {
    return {
        op,          request_.samples,          pes_,
        link_width_, request_.weights_resident, request_.weights_resident ? request_.most_weight_copies : 0};
  }

  void add(OperatorClass& one, const OperatorCandidate& candidate) const {
    const bool matrix = is_matrix(one.representative());
    if (one.candidates.size() >= (matrix ? kMostMatrixCandidates : kMostOtherCandidates)) return;
    if (std::find(one.candidates.begin(), one.candidates.end(), candidate) == one.candidates.end())
      one.candidates.push_back(candidate);
  }

  void form_by_pattern(OperatorClass& one, std::size_t most) {
    const OpId op = one.representative();
    const std::vector<Axis> all = axes(op);
    const std::vector<SpatialSplit> splits = rated_splits(graph_, hardware_, split_request(op));
    for (const SpatialSplit& split : best_by_pattern(all, splits, most, kPatternFactor))
      for (OperatorCandidate candidate : arrangements(all, split.parts, group_, false)) {
        const bool large = is_matrix(op) && input_too_large(graph_, hardware_, op, split.block);
        set_tiles(op, all, split.block, false, candidate);
        if (large) {
          OperatorCandidate streamed = candidate;
          set_tiles(op, all, split.block, true, streamed);
          if (streamed.outer == OuterLoop::reduction) add(one, streamed);
        }
        add(one, candidate);
      }
  }

  void set_tiles(OpId op, const std::vector<Axis>& all, const Box& block, bool stream,
                 OperatorCandidate& candidate) const {
    const TemporalSplit tiles = is_matrix(op) ? matrix_tiles(graph_, hardware_, op, all, block, stream)
                                              : vector_tiles(graph_, hardware_, op, all, block);
    candidate.temporal = tiles.tiles;
    candidate.outer = tiles.outer;
  }

  /// Every split of the operator worth looking at, in every arrangement.
  std::vector<PoolEntry> pool(OpId op) const {
    const std::vector<Axis> all = axes(op);
    std::vector<PoolEntry> result;
    const std::vector<SpatialSplit> splits = rated_splits(graph_, hardware_, split_request(op));
    for (const SpatialSplit& split : best_by_work(splits, kAlignedSplits, kAlignedFactor))
      for (OperatorCandidate& candidate : arrangements(all, split.parts, group_, true))
        result.push_back({std::move(candidate), split.unit_cycles, std::nullopt});
    return result;
  }

  /// For every candidate of every producer in the stage the arrangement that costs least: work of the busiest
  /// PE and what has to reach it. Producers in turn, so that all have a say.
  void follow_producers(OperatorClass& one) {
    std::vector<std::pair<OpId, OpId>> edges;  // one per producer class
    std::set<std::size_t> seen;
    for (const OpId member : one.members)
      for (const TensorId input : graph_.op(member).inputs) {
        const auto& producer = graph_.tensor(input).producer;
        if (!producer || !result_.class_of.contains(*producer)) continue;
        const std::size_t from = result_.class_of.at(*producer);
        if (result_.classes[from].candidates.empty() || !seen.insert(from).second) continue;
        edges.emplace_back(*producer, member);
      }
    if (edges.empty()) return;
    std::map<OpId, std::vector<PoolEntry>> pools;
    for (std::size_t number = 0; number < kMostFollowed; ++number)
      for (const auto& [producer, member] : edges) {
        const std::vector<OperatorCandidate>& leaders =
            result_.classes[result_.class_of.at(producer)].candidates;
        if (number >= leaders.size()) continue;
        if (!pools.contains(member)) pools[member] = pool(member);
        if (const auto follower = aligned(pools[member], producer, member, leaders[number]))
          add(one, *follower);
      }
  }

  std::optional<OperatorCandidate> aligned(std::vector<PoolEntry>& pool, OpId producer, OpId op,
                                           const OperatorCandidate& leader) const {
    const Layout from = layout_of(graph_, hardware_, producer, group_, leader, 0, request_.samples);
    std::vector<PoolEntry*> order;  // likely ones first: the search ends where work alone costs more
    for (PoolEntry& entry : pool)
      if (entry.candidate.order == leader.order || entry.candidate.spatial_parts() == 1)
        order.push_back(&entry);
    std::stable_sort(order.begin(), order.end(), [&](const PoolEntry* a, const PoolEntry* b) {
      if (a->unit_cycles != b->unit_cycles) return a->unit_cycles < b->unit_cycles;
      return differences(a->candidate.spatial, leader.spatial) <
             differences(b->candidate.spatial, leader.spatial);
    });
    if (order.size() > kMostLookedAt) order.resize(kMostLookedAt);
    const PoolEntry* best = nullptr;
    double best_cycles = 0;
    for (PoolEntry* entry : order) {
      if (best && entry->unit_cycles >= best_cycles * (1 - 1e-9)) break;
      if (!entry->layout)
        entry->layout = layout_of(graph_, hardware_, op, group_, entry->candidate, 0, request_.samples);
      const double moved = static_cast<double>(moved_bytes(graph_, from, *entry->layout).most);
      const double cycles = entry->unit_cycles + moved / link_width_;
      if (!best || cycles < best_cycles * (1 - 1e-9)) best = entry, best_cycles = cycles;
    }
    if (!best) return std::nullopt;
    OperatorCandidate candidate = best->candidate;
    const std::vector<Axis> all = axes(op);
    const Box block = first_block(op, candidate);
    set_tiles(op, all, block, false, candidate);
    if (!is_matrix(op)) {
      const std::vector<std::uint32_t> tiles = follow_tiles(op, all, block, producer, leader);
      if (!tiles.empty()) candidate.temporal = tiles;
    }
    return candidate;
  }

  Box first_block(OpId op, const OperatorCandidate& candidate) const {
    return rate_split(graph_, hardware_, split_request(op), candidate.spatial).block;
  }

  std::vector<std::uint32_t> follow_tiles(OpId, const std::vector<Axis>& all, const Box& block, OpId producer,
                                          const OperatorCandidate& leader) const {
    const OperatorKind& kind = kind_of(graph_.op(producer));
    const Box leader_block = first_block(producer, leader);
    Box tile = leader_block;
    for (std::size_t axis = 0; axis < leader.temporal.size(); ++axis)
      tile.extent[axis] = ceil_div(tile.extent[axis], std::max(1u, leader.temporal[axis]));
    return tiles_like(all, block, kind.output_box(graph_, producer, 0, leader_block),
                      kind.output_box(graph_, producer, 0, tile));
  }

  const Graph& graph_;
  const HardwareSpec& hardware_;
  const CandidateRequest& request_;
  const PeGroup& group_;
  std::uint32_t pes_ = 1;
  std::uint32_t link_width_ = 32;
  StageClasses result_;
};

}  // namespace

StageClasses form_candidates(const Graph& graph, const HardwareSpec& hardware,
                             const CandidateRequest& request) {
  return Former(graph, hardware, request).form();
}

}  // namespace dfsim
