// planner/inter_stage/exhaustive.cpp: every division into stages and groups, every place of every box.
//
// For small cases: one NoC of at most 16 PEs, at most 7 segments. Boxes may lie anywhere (exact packing), so
// it also reaches plans that straight cuts cannot; stages may share a group at every cut.
#include <bit>
#include <tuple>

#include "planner/inter_stage/optimizer.h"
#include "planner/inter_stage/region.h"

namespace dfsim {

namespace {

constexpr std::uint32_t kMostPes = 16;
constexpr std::uint32_t kMostSegments = 7;

/// A box in its place; bit x + X * (y + Y * z) of `mask` for each of its PEs.
struct PlacedBox {
  Submesh box;
  std::uint32_t mask = 0;
};

std::vector<PlacedBox> all_boxes(const LinkGraph& graph) {
  const auto& [X, Y, Z] = graph.extent;
  std::vector<PlacedBox> boxes;
  const auto mask_of = [&](const Submesh& box) {
    std::uint32_t mask = 0;
    for (std::uint32_t z = box.z; z < box.z + box.depth; ++z)
      for (std::uint32_t y = box.y; y < box.y + box.height; ++y)
        for (std::uint32_t x = box.x; x < box.x + box.width; ++x) mask |= 1u << (x + X * (y + Y * z));
    return mask;
  };
  const auto add_sizes = [&](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
    for (std::uint32_t d = 1; z + d <= Z; ++d)
      for (std::uint32_t h = 1; y + h <= Y; ++h)
        for (std::uint32_t w = 1; x + w <= X; ++w) {
          const Submesh box{NocId(0), x, y, z, w, h, d};
          if (box.size() >= ShapeTable::least_pes(X * Y * Z, true)) boxes.push_back({box, mask_of(box)});
        }
  };
  for (std::uint32_t z = 0; z < Z; ++z)
    for (std::uint32_t y = 0; y < Y; ++y)
      for (std::uint32_t x = 0; x < X; ++x) add_sizes(x, y, z);
  return boxes;
}

/// A plan so far: which PEs are taken, and what it costs.
struct Partial {
  std::uint32_t taken = 0;
  double slowest = 0;    ///< of the groups that are complete or current
  double group_sum = 0;  ///< of the current group
  PlanRank rank{0, 0, 0};
};

class Enumeration {
 public:
  Enumeration(const Segments& segments, const LinkGraph& graph, const ExecutionCost& cost,
              Objective objective)
      : segments_(segments), cost_(cost), objective_(objective), boxes_(all_boxes(graph)) {
    prices_.resize(std::size_t{segments.count()} * (segments.count() + 1) * boxes_.size());
  }

  InterStageStrategy best() {
    extend(0, {}, nullptr);
    return best_;
  }

 private:
  const KnownPrice& price(std::uint32_t from, std::uint32_t to, std::size_t box) {
    auto& entry = prices_[(std::size_t{from} * (segments_.count() + 1) + to) * boxes_.size() + box];
    if (!entry) {
      Submesh shape = boxes_[box].box;
      shape.x = shape.y = shape.z = 0;  // prices do not depend on the place
      entry = cost_.stage({segments_.operators(from, to), PeGroup{{shape}}});
    }
    return *entry;
  }

  bool beats_best(const Partial& partial) const {
    if (best_.stages.empty()) return true;
    if (objective_ == Objective::interval && partial.slowest != best_value_.slowest)
      return partial.slowest < best_value_.slowest;
    return better(partial.rank, best_value_.rank, objective_);
  }

  void extend(std::uint32_t from, const Partial& partial, const PlacedBox* current) {
    if (!beats_best(partial)) return;  // every part of a rank only grows
    if (from == segments_.count()) {
      best_value_ = partial;
      best_ = stages_;
      return;
    }
    for (std::uint32_t to = from + 1; to <= segments_.count(); ++to)
      for (std::size_t b = 0; b < boxes_.size(); ++b) {
        const bool same = &boxes_[b] == current;
        if (same || (boxes_[b].mask & partial.taken) == 0) place(from, to, b, same, partial);
      }
  }

  void place(std::uint32_t from, std::uint32_t to, std::size_t b, bool same, const Partial& partial) {
    const KnownPrice& known = price(from, to, b);
    if (known.period_cycles == kNever || known.latency_cycles == kNever) return;
    Partial next = partial;
    next.taken |= boxes_[b].mask;
    next.group_sum = (same ? partial.group_sum : 0) + known.period_cycles;
    next.slowest = std::max(partial.slowest, next.group_sum);
    next.rank.unmeasured += known.basis == PriceBasis::measured ? 0 : 1;
    next.rank.latency += known.latency_cycles;
    if (!same) next.rank.spread += kSpreadUnit / boxes_[b].box.size();
    stages_.stages.push_back({segments_.operators(from, to), PeGroup{{boxes_[b].box}}});
    extend(to, next, &boxes_[b]);
    stages_.stages.pop_back();
  }

  const Segments& segments_;
  const ExecutionCost& cost_;
  Objective objective_;
  std::vector<PlacedBox> boxes_;
  std::vector<std::optional<KnownPrice>> prices_;
  InterStageStrategy stages_, best_;
  Partial best_value_;
};

class Exhaustive : public InterStageOptimizer {
 public:
  Result<InterStageStrategy, Infeasible> propose(const Graph& graph, const HardwareSpec& hardware,
                                                 const ExecutionCost& cost, const Goal& goal,
                                                 Rng&) const override {
    const Segments segments(graph);
    const LinkGraph& noc = hardware.nocs.front().graph;
    if (hardware.nocs.size() > 1 || noc.router_count() > kMostPes)
      return Infeasible{.what = "exhaustive search",
                        .demand = hardware.pes.size(),
                        .limit = kMostPes,
                        .unit = "PEs of one NoC",
                        .lever = "use --optimizer dp"};
    if (segments.count() > kMostSegments)
      return Infeasible{.what = "exhaustive search",
                        .demand = segments.count(),
                        .limit = kMostSegments,
                        .unit = "segments of the graph",
                        .lever = "use --optimizer dp"};
    InterStageStrategy strategy = Enumeration(segments, noc, cost, goal.objective).best();
    if (!strategy.stages.empty()) return strategy;
    return Infeasible{.what = "the graph on any PE group",
                      .demand = segments.count(),
                      .limit = 0,
                      .unit = "segments that fit",
                      .lever = "use more PEs or larger scratchpads"};
  }
};

}  // namespace

const Registration<InterStageOptimizer, Exhaustive> kExhaustive{
    "exhaustive", "tries every plan of a small case: at most 16 PEs of one NoC and 7 segments"};

}  // namespace dfsim
