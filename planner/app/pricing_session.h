// planner/app/pricing_session.h: the oracle of a run with everything behind it: workers, simulator, cache.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "planner/app/watched_oracle.h"
#include "planner/cost/cached.h"
#include "planner/cost/simulated.h"
#include "planner/graph/graph.h"
#include "sim/api/hardware.h"
#include "sim/base/job_tokens.h"
#include "sim/base/worker_pool.h"

namespace dfsim {

/// Forks the workers when made, so make it before this process elaborates a machine of its own. `graph` and
/// `hardware` outlive it.
class PricingSession {
 public:
  /// `tokens` (may be null, outlives this) limit how many simulators work at the same time; `told` (may be
  /// empty) hears of every run.
  PricingSession(const Graph& graph, const HardwareSpec& hardware, const PricingOptions& options,
                 std::uint32_t workers, const std::optional<std::string>& cache_file,
                 JobTokens* tokens = nullptr, WatchedOracle::Told told = {});

  CostOracle& cached() { return *cached_; }
  CostOracle& simulated() { return simulated_; }  ///< always runs

 private:
  WorkerPool pool_;
  SimulatedOracle simulated_;
  WatchedOracle watched_;
  std::unique_ptr<CachedOracle> cached_;
};

}  // namespace dfsim
