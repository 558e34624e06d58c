// planner/inter_stage/plan_space.h: all plans that the searches may choose from, with their prices.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/inter_stage/region.h"
#include "planner/inter_stage/segments.h"
#include "planner/inter_stage/stage_prices.h"
#include "sim/api/hardware.h"

namespace dfsim {

/// One NoC: its boxes and what each run of segments costs on them.
struct NocSpace {
  NocSpace(NocId noc, const Extent& extent, ShapeTable table, std::uint32_t segments,
           const StagePriceFunction& price, Objective objective, const SharingRule& sharing)
      : noc(noc),
        extent(extent),
        shapes(std::move(table)),
        prices(segments, shapes, price, objective, sharing) {}
  NocSpace(const NocSpace&) = delete;  // prices refers to shapes
  NocSpace& operator=(const NocSpace&) = delete;

  NocId noc;
  Extent extent;
  ShapeTable shapes;
  StagePrices prices;
};

/// What the Ethernet asks for at least when the graph is cut between two NoCs.
struct Crossing {
  double period = 0, latency = 0;
};

/// A kind of PE group: a box of one NoC, wherever it lies.
struct GroupKind {
  std::uint32_t noc = 0;    ///< index in PlanSpace::nocs
  std::uint32_t shape = 0;  ///< index in its ShapeTable
  Extent extent{1, 1, 1};
  std::uint32_t pes = 1;
};

/// A plan cuts a chain of segments into runs and gives each run a PE group of its own; groups are disjoint
/// boxes and PEs may stay idle. Prices do not depend on where a group lies.
class PlanSpace {
 public:
  /// Of a graph under the current execution cost: Segments of the graph, boxes by ShapeTable, stages of one
  /// group may take turns, the Ethernet between NoCs counts at its wire rate. Transfers on a NoC are left
  /// out.
  PlanSpace(const Graph& graph, const HardwareSpec& hardware, const ExecutionCost& cost, const Goal& goal);
  /// Of given prices on one area: every box, every run of segments, one stage per group.
  PlanSpace(std::uint32_t segments, const Extent& area, const StagePriceFunction& price, const PlanAim& aim);

  std::uint32_t segments() const { return segments_; }
  const PlanAim& aim() const { return aim_; }
  const std::deque<NocSpace>& nocs() const { return nocs_; }
  /// Prices are given, not measured; every box is a shape.
  bool from_table() const { return !chain_; }
  std::uint32_t pes() const;

  const std::vector<GroupKind>& kinds() const { return kinds_; }
  /// Infinite also where a stage takes longer than the time limit.
  const GroupPlan& price(std::uint32_t from, std::uint32_t to, std::uint32_t kind) const {
    return nocs_[kinds_[kind].noc].prices.best(from, to, kinds_[kind].shape);
  }
  const GroupPlan& measured_price(std::uint32_t from, std::uint32_t to, std::uint32_t kind) const {
    return nocs_[kinds_[kind].noc].prices.best_measured(from, to, kinds_[kind].shape);
  }
  /// What it costs to go from one NoC to another before segment `at`; nothing if no link joins them.
  std::optional<Crossing> crossing(std::uint32_t from_noc, std::uint32_t to_noc, std::uint32_t at) const;

  /// The stages of a plan; only of a space made of a graph.
  InterStageStrategy strategy(const std::vector<PlacedGroup>& groups) const;

 private:
  void list_kinds();

  std::uint32_t segments_;
  PlanAim aim_;
  std::optional<Segments> chain_;
  const HardwareSpec* hardware_ = nullptr;
  std::uint32_t samples_ = 1;
  std::deque<NocSpace> nocs_;
  std::vector<GroupKind> kinds_;
};

}  // namespace dfsim
