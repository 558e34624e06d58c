// planner/loop/price_book.h: has the stages and transfers of proposals priced, and keeps what came of it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "planner/cost/known_cost.h"
#include "planner/loop/loop.h"

namespace dfsim {

/// What the loop works with; all outlive it.
struct LoopInputs {
  const Graph& graph;
  const HardwareSpec& hardware;
  const InterStageOptimizer& inter;
  const IntraStageOptimizer& intra;
  CostOracle& oracle;
  const LoopOptions& options;
  const LoopEvents& events;

  bool interrupted() const { return events.interrupted && events.interrupted(); }
  void note(const std::string& text) const {
    if (events.note) events.note(text);
  }
};

enum class Pricing : std::uint8_t { done, does_not_fit, interrupted };

class PriceBook {
 public:
  PriceBook(const LoopInputs& inputs, KnownCost& cost, PlanningResult& result)
      : in_(inputs), cost_(cost), result_(result) {}

  /// Prices every stage of `strategy` that has no price yet (equal stages once) and, if all fit, the
  /// transfers between them. Counts into `round` and logs the candidates. What does not fit is remembered in
  /// the cost.
  Pricing price(const InterStageStrategy& strategy, RoundRecord& round);
  /// The strategy with the best candidate of each stage; all stages must be priced.
  Plan plan(const InterStageStrategy& strategy) const;
  std::vector<StagePrice> prices(const InterStageStrategy& strategy) const;
  bool measured(const InterStageStrategy& strategy) const;
  /// Of all that did not fit, what came closest.
  std::optional<Infeasible> closest_miss() const { return closest_; }

 private:
  struct Entry {
    IntraStageStrategy strategy;
    StagePrice price;
  };
  Pricing price_stage(const StageProposal& stage, std::uint32_t index, RoundRecord& round);
  Pricing price_transfers(const InterStageStrategy& strategy);
  void log(const IntraStageResult& found, std::uint32_t index, RoundRecord& round);
  void remember_miss(const Infeasible& miss);

  const LoopInputs& in_;
  KnownCost& cost_;
  PlanningResult& result_;
  std::map<std::string, Entry> entries_;  ///< by KnownCost::key
  std::optional<Infeasible> closest_;
};

}  // namespace dfsim
