// planner/cost/pipeline.h: the inter-stage cost model: an event schedule that composes the prices of stages
// and transfers for the periods in flight. It knows no hardware; its value is called *estimate* until a
// whole-plan run replaces it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "planner/graph/graph.h"
#include "planner/plan/execution_cost.h"
#include "planner/plan/plan.h"

namespace dfsim {

/// A stage as the schedule sees it.
struct ScheduledStage {
  double latency_cycles = 0;  ///< from the last input of a period to its output
  double period_cycles = 0;   ///< its group is taken for so long by one period
  std::uint32_t group = 0;    ///< stages with the same number take turns
};

/// Tensors that go from one stage to a later one. A resource of its own: transfers of several periods follow
/// one another, and overlap with everything else.
struct ScheduledTransfer {
  std::uint32_t producer = 0, consumer = 0;  ///< indices of stages; producer < consumer
  double latency_cycles = 0, period_cycles = 0;
};

struct Estimate {
  double period_cycles = 0;   ///< between the ends of two periods, once the pipeline is full
  double latency_cycles = 0;  ///< from the start to the end of the first period
  double of(Objective objective) const {
    return objective == Objective::interval ? period_cycles : latency_cycles;
  }
  bool operator==(const Estimate&) const = default;
};

/// Completion of each of `periods` periods: a stage starts a period when all its inputs are there and its
/// group is free; of what could start at the same time the earliest period goes first, and a group does
/// not wait idle for it. Transfers are listed by consumer, ascending.
std::vector<double> schedule(const std::vector<ScheduledStage>& stages,
                             const std::vector<ScheduledTransfer>& transfers, std::uint32_t periods);

/// Latency by the schedule of one period; period: the most cycles that one group (sum over its stages) or one
/// transfer is taken by a period, which is what the schedule settles at.
Estimate estimate(const std::vector<ScheduledStage>& stages, const std::vector<ScheduledTransfer>& transfers);

enum class TransferPrices : std::uint8_t {
  counted,
  left_out,  ///< then the estimate is what the stages alone allow: nothing with these stages can be faster
};

/// Of a strategy under `cost`.
Estimate estimate(const Graph& graph, const InterStageStrategy& strategy, const ExecutionCost& cost,
                  TransferPrices transfers = TransferPrices::counted);

/// Pairs of stages (producer before consumer) between which at least one tensor passes, ascending by
/// consumer.
std::vector<std::pair<std::uint32_t, std::uint32_t>> connected_stages(const Graph& graph,
                                                                      const InterStageStrategy& strategy);

}  // namespace dfsim
