// planner/inter_stage/dp.cpp: dynamic programming over runs of segments and straight cuts.
//
// Exact for stage prices among: segments of planner/inter_stage/segments.h, boxes of shapes.h, time-sharing
// as in stage_prices.h, the Ethernet between NoCs counted at its wire rate. Prices of transfers on a NoC are
// not looked at; the loop adds them to the estimate.
#include <algorithm>
#include <deque>
#include <optional>

#include "planner/inter_stage/optimizer.h"
#include "planner/inter_stage/region.h"
#include "planner/inter_stage/wires.h"

namespace dfsim {

namespace {

/// One NoC with everything that is known of it; built once per proposal.
struct Region {
  ShapeTable shapes;
  StagePrices prices;
  RegionPlans plans;
  Region(const Segments& segments, const LinkGraph& graph, NocId noc, const ExecutionCost& cost,
         Objective objective)
      : shapes(Extent{graph.extent[0], graph.extent[1], graph.extent[2]},
               ShapeTable::small(graph.router_count(), segments.count())),
        prices(segments, shapes, noc, cost, objective, TimeSharing::useful),
        plans(shapes, prices, segments.count(), objective) {}
};

/// Deals runs of segments to NoCs in turn. Entry [noc][to]: segments [0, to) are placed, the last on `noc`.
class NocChain {
 public:
  NocChain(const Segments& segments, const HardwareSpec& hardware, std::deque<Region>& regions,
           const Goal& goal)
      : segments_(segments), wires_(hardware), regions_(regions), goal_(goal) {}

  InterStageStrategy best() {
    const double cap = goal_.objective == Objective::interval ? least_slowest() : kNever;
    for (Region& region : regions_) region.plans.rank_under(cap);
    return ranked_under(cap);
  }

 private:
  struct Step {
    PlanRank rank;
    std::uint32_t from = 0;
    std::optional<std::uint32_t> before;  ///< NoC of the segments before
  };
  std::uint32_t nocs() const { return static_cast<std::uint32_t>(regions_.size()); }
  std::optional<Crossing> crossing(std::uint32_t before, std::uint32_t noc, std::uint32_t at) const {
    const double bytes = static_cast<double>(segments_.cut(at).neighbour_bytes) * goal_.samples;
    return wires_.cross(NocId(before), NocId(noc), bytes);
  }

  double least_slowest() const {
    const std::uint32_t n = segments_.count();
    std::vector<std::vector<double>> slowest(nocs(), std::vector<double>(n + 1, kNever));
    for (std::uint32_t noc = 0; noc < nocs(); ++noc)
      for (std::uint32_t to = 1; to <= n; ++to) {
        slowest[noc][to] = regions_[noc].plans.slowest(0, to);
        for (std::uint32_t before = 0; before < noc; ++before)
          for (std::uint32_t from = 1; from < to; ++from)
            if (const auto wire = crossing(before, noc, from))
              slowest[noc][to] = std::min(
                  slowest[noc][to],
                  std::max({slowest[before][from], regions_[noc].plans.slowest(from, to), wire->period}));
      }
    double best = kNever;
    for (const auto& row : slowest) best = std::min(best, row[n]);
    return best;
  }

  InterStageStrategy ranked_under(double cap) const {
    const std::uint32_t n = segments_.count();
    std::vector<std::vector<Step>> steps(nocs(), std::vector<Step>(n + 1));
    for (std::uint32_t noc = 0; noc < nocs(); ++noc)
      for (std::uint32_t to = 1; to <= n; ++to) {
        Step& step = steps[noc][to];
        step.rank = regions_[noc].plans.rank(0, to);
        for (std::uint32_t before = 0; before < noc; ++before)
          for (std::uint32_t from = 1; from < to; ++from) {
            const auto wire = crossing(before, noc, from);
            if (!wire || wire->period > cap) continue;
            PlanRank rank = steps[before][from].rank + regions_[noc].plans.rank(from, to);
            rank.latency += wire->latency;
            if (better(rank, step.rank, goal_.objective)) step = {rank, from, before};
          }
      }
    std::optional<std::uint32_t> last;
    for (std::uint32_t noc = 0; noc < nocs(); ++noc)
      if (steps[noc][n].rank.possible() &&
          (!last || better(steps[noc][n].rank, steps[*last][n].rank, goal_.objective)))
        last = noc;
    return last ? unwind(steps, *last) : InterStageStrategy{};
  }

  InterStageStrategy unwind(const std::vector<std::vector<Step>>& steps, std::uint32_t last) const {
    InterStageStrategy strategy;
    std::optional<std::uint32_t> noc = last;
    for (std::uint32_t to = segments_.count(); noc;) {
      const Step& step = steps[*noc][to];
      const auto part = regions_[*noc].plans.stages(segments_, NocId(*noc), step.from, to);
      strategy.stages.insert(strategy.stages.begin(), part.begin(), part.end());
      to = step.from;
      noc = step.before;
    }
    return strategy;
  }

  const Segments& segments_;
  Wires wires_;
  std::deque<Region>& regions_;
  const Goal& goal_;
};

class DynamicProgramming : public InterStageOptimizer {
 public:
  Result<InterStageStrategy, Infeasible> propose(const Graph& graph, const HardwareSpec& hardware,
                                                 const ExecutionCost& cost, const Goal& goal,
                                                 Rng&) const override {
    const Segments segments(graph);
    std::deque<Region> regions;
    for (std::uint32_t noc = 0; noc < hardware.nocs.size(); ++noc)
      regions.emplace_back(segments, hardware.nocs[noc].graph, NocId(noc), cost, goal.objective);
    InterStageStrategy strategy = NocChain(segments, hardware, regions, goal).best();
    if (!strategy.stages.empty()) return strategy;
    return Infeasible{.what = "the graph on any PE group",
                      .demand = segments.count(),
                      .limit = 0,
                      .unit = "segments that fit",
                      .lever = "use more PEs or larger scratchpads"};
  }
};

}  // namespace

const Registration<InterStageOptimizer, DynamicProgramming> kDynamicProgramming{
    "dp", "cuts layers and rectangles together by dynamic programming (straight cuts, exact)"};

}  // namespace dfsim
