// planner/cost/cost_oracle.h: what something costs, as the optimizers see it. Every price is measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "planner/plan/plan.h"

namespace dfsim {

/// Cycles of a stage alone (docs/planning.md): the first period, and the length of the last or, if larger,
/// the most cycles that one unit or port was busy with one period's work.
struct StagePrice {
  std::uint64_t latency_cycles = 0;
  std::uint64_t period_cycles = 0;
  auto operator<=>(const StagePrice&) const = default;
};

enum class PriceStatus : std::uint8_t { executed, stopped, infeasible, failed };

/// What became of one request. `stopped`: the price would have exceeded the limit.
struct PriceAnswer {
  PriceStatus status = PriceStatus::executed;
  StagePrice price;          ///< if executed
  bool reused = false;       ///< known before, not run now
  std::string program_hash;  ///< of the lowered program
  std::string reason;        ///< if infeasible or failed
};

/// Which cycles count, and how many are still of interest (0: no limit).
struct PriceLimit {
  std::uint64_t latency_cycles = 0;
  std::uint64_t period_cycles = 0;
};

/// A plan run whole, on the whole hardware, all stages and samples at once.
struct PlanAnswer {
  PriceStatus status = PriceStatus::executed;
  std::uint32_t fill_periods = 0;  ///< F; F + P periods were run
  std::vector<std::uint64_t> period_done_cycles;
  std::vector<std::uint64_t> stage_period_cycles;  ///< per stage: length of its last period
  bool reused = false;
  std::string program_hash;
  std::string reason;

  std::uint64_t latency_cycles() const { return period_done_cycles.empty() ? 0 : period_done_cycles.front(); }
  /// Mean cycles between the ends of the measured periods, after the fill.
  double period_cycles() const;
};

class CostOracle {
 public:
  virtual ~CostOracle() = default;
  /// Prices of stages alone, in the order asked; a batch runs on all workers at once.
  virtual std::vector<PriceAnswer> price_stages(const std::vector<Stage>& stages,
                                                const PriceLimit& limit) = 0;
  /// Prices of the transfers from the first to the second stage of each pair.
  virtual std::vector<PriceAnswer> price_transfers(const std::vector<std::pair<Stage, Stage>>& pairs) = 0;
  /// Whole-plan runs. F starts at the number of different PE groups minus 1 and is raised (up to 4 times that
  /// plus 4) while the measured lengths differ by more than 5 %.
  virtual std::vector<PlanAnswer> measure_plans(const std::vector<Plan>& plans) = 0;
};

}  // namespace dfsim
